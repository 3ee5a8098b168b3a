/* SPDX-License-Identifier: BSD-3-Clause */
/* A radio with a clock and a log. LLC-PDUs are numbered from 0, all of them together, and filled with octets
   that follow from the number; what arrives is checked against that, for sequence, and for conservation. */
#ifndef TESTS_UNIT_BSS_RADIO_KIT_H
#define TESTS_UNIT_BSS_RADIO_KIT_H

#include "bss/radio.h"

#define KIT_MS_NS INT64_C(1000000)

enum { RADIO_KIT_DELIVERED = RADIO_DISCARDS }; /* beside the reasons of a discard */

struct radio_kit_event {
    int64_t at_ns;
    uint32_t tlli, number, octets;
    uint8_t way, what;
};

struct radio_kit {
    struct radio *radio;
    int64_t now;
    uint32_t next_number;
    unsigned steps; /* calls of radio_step() that had something to do */
    struct radio_kit_event *events;
    size_t count, room;
    int64_t last_number[RADIO_WAYS][256]; /* delivered, by the last octet of the TLLI */
};

void radio_kit_init(struct radio_kit *kit, const struct radio_config *config);

/* Checks conservation and frees. */
void radio_kit_fini(struct radio_kit *kit);

/* Puts one at kit->now. Up has no lifetime. */
bool radio_kit_put(struct radio_kit *kit, enum radio_way way, uint32_t tlli, size_t octets,
                   uint16_t lifetime_cs);

/* Puts `count` alike without a lifetime. */
void radio_kit_fill(struct radio_kit *kit, enum radio_way way, uint32_t tlli, size_t octets, unsigned count);

/* Steps at every deadline up to and including until_ns, and is there then. */
void radio_kit_run(struct radio_kit *kit, int64_t until_ns);

/* Runs until nothing is due any more; kit->now is then the last instant at which something was. */
void radio_kit_finish(struct radio_kit *kit);

/* Frames of one kind so far. */
size_t radio_kit_count(const struct radio_kit *kit, enum radio_way way, int what, uint32_t tlli);

/* Fails unless in = delivered + discarded + queued + taken, by the radio's counters and by the log. */
void radio_kit_check(const struct radio_kit *kit);

#endif
