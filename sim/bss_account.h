/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fates of a mobile's N-PDUs in the BSS, counted by the SNDCP headers of the LLC-PDUs that enter, are
 * discarded and are delivered: in = out + dropped + queued. An N-PDU is in when its first segment arrives,
 * out when the mobile has all of it, and dropped once when one of its segments is discarded or the SGSN sent
 * it only in part. In acknowledged mode each I frame counts for itself, as each is repeated for itself.
 */
#ifndef SIM_BSS_ACCOUNT_H
#define SIM_BSS_ACCOUNT_H

#include "dataplane/context/llc.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Deciphers the LLC and SNDCP headers of a mobile's downlink frames at the BSS, by which N-PDUs are
 * counted.
 */

#define BSS_ACCOUNT_TAP_OCTETS ((int)LLC_UI_OCTETS + (int)SNDCP_FIRST_OCTETS)

struct bss_account_tap {
    struct llc_key key; /* algorithm 0: frames are not ciphered */
    const struct gea_engine *gea;
    struct llc_entity llc; /* of one SAPI */
    uint8_t clear[BSS_ACCOUNT_TAP_OCTETS];
};

/* A frame towards the BSS: returns the frame itself, or its first BSS_ACCOUNT_TAP_OCTETS octets in clear,
   valid until the next call. */
const uint8_t *bss_account_tap_pass(struct bss_account_tap *t, const uint8_t *llc_pdu, size_t octets);

/* As bss_account_tap_pass(), for a frame that passed at most 512 frames ago. */
const uint8_t *bss_account_tap_passed(struct bss_account_tap *t, const uint8_t *llc_pdu, size_t octets);

enum bss_account_end {
    BSS_ACCOUNT_LIFETIME,   /* the PDU Lifetime ended before the first block */
    BSS_ACCOUNT_FULL,       /* the BSS had no room */
    BSS_ACCOUNT_OTHER,      /* discarded for another reason */
    BSS_ACCOUNT_INCOMPLETE, /* the SGSN sent only a part of it */
    BSS_ACCOUNT_PREEMPTED,  /* flushed when calls took the cell's PDCHs */
    BSS_ACCOUNT_RLC,        /* a block was bad, and RLC is unacknowledged */
    BSS_ACCOUNT_ENDS,
};

/* How many N-PDU numbers share a piece of memory. */
#define BSS_ACCOUNT_CHUNK 256

/* By N-PDU number. A long queue of short packets holds several N-PDUs of a number; the oldest ends first. */
struct bss_account_numbers {
    uint8_t queued[BSS_ACCOUNT_CHUNK]; /* at most RADIO_MAX_QUEUE_FRAMES / 4096 = 64 each */
    uint8_t
        dead[BSS_ACCOUNT_CHUNK / 8]; /* bits: the last to end was dropped, further segments do not count */
};

/* A zeroed one is empty. */
struct bss_account {
    uint64_t in, out;
    uint64_t dropped[BSS_ACCOUNT_ENDS];
    uint64_t queued_frames; /* I frames */
    bool is_open;           /* the last segment of N-PDU open_number has not arrived */
    uint16_t open_number;
    /* NULL: no N-PDU with these numbers has come. */
    struct bss_account_numbers *chunks[SNDCP_NPDU_MODULUS / BSS_ACCOUNT_CHUNK];
};

/* Frees the memory and empties it. */
void bss_account_fini(struct bss_account *a);

/* Counts an LLC-PDU that arrived on Gb. Ends the program when memory is short, as the next two. */
void bss_account_down(struct bss_account *a, const uint8_t *llc_pdu, size_t octets);

/* Counts an LLC-PDU that the BSS discarded. */
void bss_account_discard(struct bss_account *a, const uint8_t *llc_pdu, size_t octets,
                         enum bss_account_end end);

/* Counts an LLC-PDU that has reached the mobile; those of unacknowledged mode do not count here. */
void bss_account_frame_delivered(struct bss_account *a, const uint8_t *llc_pdu, size_t octets);

/* Counts an N-PDU that the mobile has received whole. */
void bss_account_delivered(struct bss_account *a, uint16_t number);

/* N-PDUs in the BSS; walks over all numbers. */
uint64_t bss_account_queued(const struct bss_account *a);

#endif
