/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deciphers the LLC and SNDCP headers of a mobile's downlink frames at the BSS, by which bss_account.h
 * counts.
 */
#ifndef SIM_LLC_TAP_H
#define SIM_LLC_TAP_H

#include "dataplane/context/llc.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <stddef.h>
#include <stdint.h>

#define LLC_TAP_OCTETS ((int)LLC_UI_OCTETS + (int)SNDCP_FIRST_OCTETS)

struct llc_tap {
    struct llc_key key; /* algorithm 0: frames are not ciphered */
    const struct gea_engine *gea;
    struct llc_entity llc; /* of one SAPI */
    uint8_t clear[LLC_TAP_OCTETS];
};

/* A frame towards the BSS: returns the frame itself, or its first LLC_TAP_OCTETS octets in clear, valid until
   the next call. */
const uint8_t *llc_tap_pass(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets);

/* As llc_tap_pass(), for a frame that passed at most 512 frames ago. */
const uint8_t *llc_tap_passed(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets);

#endif
