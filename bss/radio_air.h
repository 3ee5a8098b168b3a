/* SPDX-License-Identifier: BSD-3-Clause */
/* The air of a cell: state of its radio, and the block periods of each direction. For the files of this
   folder alone. */
#ifndef BSS_RADIO_AIR_H
#define BSS_RADIO_AIR_H

#include "bss/link_quality.h"
#include "bss/radio.h"
#include "bss/radio_flow.h"
#include "bss/tbf.h"
#include "dataplane/base/rng.h"

enum { RADIO_BUCKETS = 1024 };

struct radio_mobile {
    struct radio_mobile *next;
    struct radio_errors_fade fade;
    struct link_quality quality;
    uint32_t access; /* its number there while it has no uplink TBF; 0: none */
    struct radio_flow flows[RADIO_WAYS];
};

struct radio_ring {
    struct radio_flow *turn; /* the next flow; NULL: empty */
    unsigned count;
};

struct radio_air {
    struct radio_way_config config;
    int64_t block_ns;
    unsigned payload_octets, window_blocks;
    unsigned slots; /* blocks per period of one mobile */
    struct rng rng;
    struct radio_ring rings[RADIO_LEVELS];
    unsigned data_blocks; /* since the last control block fell due */
    unsigned control_owed;
    unsigned charged; /* blocks without data that are due from charged_ns on */
    int64_t charged_ns;
    int64_t done_ns, due_ns;    /* the period dealt last, and the next */
    struct radio_fifo arriving; /* by at_ns */
    struct radio_stats stats;
    struct radio_link_stats link_stats;
};

struct radio {
    struct radio_config config;
    unsigned pdchs; /* those that calls leave, a multiple of block_pdchs */
    unsigned all_pdchs;
    unsigned block_pdchs; /* that carry one block together */
    uint64_t seed;
    struct link_quality_params quality;
    struct radio_errors_config errors;
    struct radio_ops ops;
    struct radio_air airs[RADIO_WAYS];
    struct radio_mobile *buckets[RADIO_BUCKETS];
    unsigned mobile_count;
    struct access *access; /* NULL: none */
    int64_t resolution_ns; /* of one-phase access */
    struct tbf_ring tbf[TBF_RINGS];
};

/* Adds one LLC-PDU. */
static inline void radio_sum_add(struct radio_sum *sum, size_t octets)
{
    sum->frames++;
    sum->octets += octets;
}

/* Tells ops.block(). */
static inline void radio_air_tell(const struct radio *radio, enum radio_way way,
                                  const struct radio_block *block, int64_t now)
{
    if (radio->ops.block)
        radio->ops.block(radio->ops.arg, way, block, now);
}

void radio_air_init(struct radio *radio, enum radio_way way, const struct radio_way_config *config);
/* Enters a flow that has something to send. */
void radio_air_wake(struct radio_air *air, struct radio_flow *flow);
/* Takes the flow out of the ring. */
void radio_air_forget(struct radio_air *air, struct radio_flow *flow);
/* Recomputes the deadline after a change of the number of PDCHs. */
void radio_air_plan(struct radio *radio, enum radio_way way);
int64_t radio_air_due_ns(const struct radio_air *air);
void radio_air_deal(struct radio *radio, enum radio_way way, int64_t now);
/* Polls, answers and what they tell (bss/tbf.c). */
void radio_air_poll(struct radio *radio, int64_t now);
/* Sends a block without data in the next period, before all others; `flow`: to or by whom, or NULL. Returns
   whether it arrives; without a PDCH it does not. */
bool radio_air_control(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);

#endif
