/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What becomes of N-PDUs in the BSS, seen from outside by the SNDCP headers of the LLC-PDUs that go in, die
 * and come out: in = out + dropped + queued, for each mobile. An N-PDU is in when its first segment comes,
 * out when the mobile has all of it, dropped once when one of its segments is thrown away, or when the SGSN
 * gave it up midway (its rest never comes).
 */
#ifndef SIM_BSS_ACCOUNT_H
#define SIM_BSS_ACCOUNT_H

#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bss_account_end {
    BSS_ACCOUNT_LIFETIME,   /* PDU lifetime ran out before its first block */
    BSS_ACCOUNT_FULL,       /* the BSS had no room */
    BSS_ACCOUNT_OTHER,      /* thrown away for another reason */
    BSS_ACCOUNT_INCOMPLETE, /* the SGSN sent a part of it only */
    BSS_ACCOUNT_PREEMPTED,  /* calls took the cell's channels, and it was flushed */
    BSS_ACCOUNT_ENDS,
};

struct bss_account {
    uint64_t in, out;
    uint64_t dropped[BSS_ACCOUNT_ENDS];
    int32_t open_number; /* N-PDU whose last segment has not come, -1 */
    /* By N-PDU number; a long queue of short packets holds several of a number, and the oldest ends first. */
    uint8_t queued[SNDCP_NPDU_MODULUS]; /* at most RADIO_MAX_QUEUE_FRAMES / 4096 = 64 each */
    bool is_dead[SNDCP_NPDU_MODULUS];   /* the latest that ended was dropped; what is left of it dies, too */
};

void bss_account_init(struct bss_account *a);

/* An LLC-PDU came in from Gb. */
void bss_account_down(struct bss_account *a, const uint8_t *llc_pdu, size_t octets);

/* An LLC-PDU was thrown away. */
void bss_account_discard(struct bss_account *a, const uint8_t *llc_pdu, size_t octets,
                         enum bss_account_end end);

/* The mobile has an N-PDU whole. */
void bss_account_delivered(struct bss_account *a, uint16_t number);

/* N-PDUs in the BSS, counted by walking. */
uint64_t bss_account_queued(const struct bss_account *a);

#endif
