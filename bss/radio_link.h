/* SPDX-License-Identifier: BSD-3-Clause */
/* RLC blocks of a radio with radio_config.link, for the files of this folder alone.

   Model. An RLC block has its octets and number for life. A radio block of MCS-7, -8 or -9 carries two RLC
   blocks, which fail separately, or one if there is no second; every other scheme carries one or a half.
   - A new RLC block takes the scheme that link_adaptation_turn() says.
   - A bad one is repeated in a scheme of its family (link_adaptation_repeat()). If that has room for a half
     only, the block is split for good: its halves are sent, fail and are repeated separately (TS 44.060
     §8.1.1, §10.4.8b). Two RLC blocks share a radio block if both are to be sent in its scheme.
   - With incremental redundancy the receiver keeps what it got of a bad block of EGPRS. The C/I of the sum
     counts for the next try (link_quality_sum_mdb()): a block that failed with BLER B(1) in the same scheme
     fails again with B(sum) / B(1), because what cannot be decoded with more cannot with less; in the other
     scheme of the same code (MCS-9 and -6, MCS-7 and -5) with B(sum). Nothing is kept
     from before a split, nor from MCS-8 for MCS-6.

   Not here: memory limits of the receiver, splits into three, header errors, blocks repeated without need. */
#ifndef BSS_RADIO_LINK_H
#define BSS_RADIO_LINK_H

#include "bss/link_adaptation.h"
#include "bss/link_quality.h"
#include "bss/radio_air.h"

enum { RADIO_LINK_HALVES = 2 };

/* An RLC block that has not arrived. unsent: of the parts to send in this round. */
struct radio_link_block {
    uint8_t coding; /* first */
    bool is_split;
    uint8_t missing, unsent; /* bits of the parts */
    struct {
        uint8_t coding; /* of the last try; RADIO_CODINGS: none is kept */
        int32_t ci_mdb; /* sum of the tries */
        uint32_t bler_ppm;
    } kept[RADIO_LINK_HALVES];
};

/* Of one mobile and direction. */
struct radio_link_flow {
    struct link_adaptation adaptation;
    struct link_quality *quality;     /* its mobile's */
    struct radio_link_block blocks[]; /* by number modulo the window */
};

/** Gives a mobile's flows their state, which is freed by free(flow->link). False: out of memory. */
bool radio_link_add(struct radio *radio, struct radio_mobile *mobile, uint32_t tlli);

/** Gives the flow one radio block, if it can use it. */
bool radio_link_send(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);

#endif
