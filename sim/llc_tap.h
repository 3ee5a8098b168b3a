/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headers of a mobile's ciphered downlink frames in clear, for whoever watches them pass the BSS: what
 * bss_account.h counts by.
 */
#ifndef SIM_LLC_TAP_H
#define SIM_LLC_TAP_H

#include "dataplane/context/llc_cipher.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <stddef.h>
#include <stdint.h>

#define LLC_TAP_OCTETS ((int)LLC_UI_OCTETS + (int)SNDCP_FIRST_OCTETS)

struct llc_tap {
    struct llc_key key; /* algorithm 0: frames are in clear as they are */
    const struct gea_engine *gea;
    struct llc_entity llc; /* of one SAPI */
    uint8_t clear[LLC_TAP_OCTETS];
};

/* A frame on its way to the BSS: itself, or its first LLC_TAP_OCTETS octets in clear, until the next call. */
const uint8_t *llc_tap_pass(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets);

/* The same for one that passed no more than 512 frames ago. */
const uint8_t *llc_tap_passed(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets);

#endif
