/* SPDX-License-Identifier: BSD-3-Clause */
/* What a radio remembers, for the files of this folder alone. */
#ifndef BSS_RADIO_STATE_H
#define BSS_RADIO_STATE_H

#include "bss/radio.h"
#include "dataplane/base/rng.h"

enum { RADIO_BUCKETS = 1024, RADIO_WINDOW_WORDS = RADIO_MAX_WINDOW_BLOCKS / 64 };

struct radio_pdu {
    struct radio_pdu *next;
    struct radio_flow *flow;
    int64_t at_ns;     /* when it came; once it has been sent whole, when it will arrive */
    int64_t latest_ns; /* its first block begins then or earlier */
    uint64_t last_block;
    size_t octets;
    uint8_t llc_pdu[];
};

struct radio_fifo {
    struct radio_pdu *head, *tail;
};

/* A bad block that goes again; they fall due in the order in which they were sent. */
struct radio_repeat {
    uint64_t block;
    int64_t due_ns;
};

/* One mobile, one way. Blocks are numbered from 0.
   oldest_block <= next_block <= oldest_block + window; repeats hold the missing ones of [oldest_block,
   next_block). waiting: nothing or a part of the head is taken. sent: taken whole, a block of it is missing.
 */
struct radio_flow {
    uint32_t tlli;
    struct radio_fifo waiting, sent;
    size_t taken_octets; /* of the stream of waiting.head, its length indicator included */
    uint64_t next_block, oldest_block;
    uint64_t received[RADIO_WINDOW_WORDS]; /* bits, block modulo RADIO_MAX_WINDOW_BLOCKS */
    struct radio_repeat *repeats;          /* ring of `window` places */
    unsigned window, repeat_first, repeat_count;
    int64_t open_ns, close_ns; /* the TBF is open in [open_ns, close_ns) */
    int64_t end_ns;            /* of its last block */
    int64_t restart_ns; /* lost its TBF to calls: no new one before, unless the mobile asks; 0: did not */
    struct radio_flow *previous,
        *next;                  /* in the ring of those that have something to send; NULL: not in it */
    unsigned level, next_level; /* of the ring it is in; of the one that it goes into next */
    int64_t period_ns;          /* the period that `dealt` counts in */
    unsigned dealt;
    struct radio_queue queue;
    bool is_away; /* its mobile has left the cell: out of the ring, no TBF, nothing taken or sent */
};

struct radio_mobile {
    struct radio_mobile *next;
    struct radio_flow flows[RADIO_WAYS];
};

struct radio_ring {
    struct radio_flow *turn; /* who is next; NULL: it is empty */
    unsigned count;
};

struct radio_air {
    struct radio_way_config config;
    unsigned payload_octets;
    struct rng rng;
    struct radio_ring rings[RADIO_LEVELS];
    unsigned data_blocks; /* since the last that was set aside for control */
    unsigned control_owed;
    int64_t done_ns, due_ns;    /* period that was dealt last, and that is next */
    struct radio_fifo arriving; /* by at_ns */
    struct radio_stats stats;
};

struct radio {
    unsigned pdchs; /* that calls leave */
    unsigned all_pdchs, payload_octets, window_blocks;
    struct radio_ops ops;
    struct radio_air airs[RADIO_WAYS];
    struct radio_mobile *buckets[RADIO_BUCKETS];
    unsigned mobile_count;
};

/* One LLC-PDU more in a sum, or less. */
static inline void radio_sum_add(struct radio_sum *sum, size_t octets)
{
    sum->frames++;
    sum->octets += octets;
}

static inline void radio_sum_sub(struct radio_sum *sum, size_t octets)
{
    sum->frames--;
    sum->octets -= octets;
}

/* radio.c */
struct radio_mobile *radio_mobile_get(const struct radio *radio, uint32_t tlli); /* NULL: not known */
struct radio_mobile *radio_mobile_add(struct radio *radio, uint32_t tlli);       /* NULL: no room */
/* A flow of a mobile in the cell has something to send; for when there is no PDCH, it is asked again. */
void radio_begin(struct radio *radio, enum radio_way way, struct radio_mobile *mobile, int64_t now);

/* radio_fate.c */
/* An LLC-PDU is queued no more. */
void radio_unqueue(struct radio *radio, enum radio_way way, const struct radio_pdu *pdu);
/* An LLC-PDU leaves; counted, told and freed. */
void radio_deliver(struct radio *radio, enum radio_way way, struct radio_pdu *pdu, int64_t now);
void radio_lose(struct radio *radio, enum radio_way way, enum radio_discard reason, struct radio_pdu *pdu,
                int64_t now);

/* radio_flow.c: one mobile's stream of octets and its send window */
bool radio_flow_init(struct radio_flow *flow, uint32_t tlli, unsigned window_blocks, bool has_errors);
void radio_flow_fini(struct radio_flow *flow);
void radio_flow_put(struct radio_flow *flow, struct radio_pdu *pdu);
bool radio_flow_is_busy(const struct radio_flow *flow);
bool radio_flow_is_open(const struct radio_flow *flow, int64_t now);
/* The instant from which it has something to send; INT64_MAX: none. */
int64_t radio_flow_ready_ns(const struct radio_flow *flow);
bool radio_flow_has_repeat(const struct radio_flow *flow, int64_t now);
uint64_t radio_flow_take_repeat(struct radio_flow *flow);
/* Takes up to `room` octets of the first waiting LLC-PDU for a block. Returns how many. */
size_t radio_flow_take(struct radio_flow *flow, uint64_t block, size_t room);
void radio_flow_put_repeat(struct radio_flow *flow, uint64_t block, int64_t due_ns);
/* A block has arrived. */
void radio_flow_receive(struct radio_flow *flow, uint64_t block);
/* The next LLC-PDU that has arrived whole and in sequence, or NULL. */
struct radio_pdu *radio_flow_take_whole(struct radio_flow *flow);

/* Nothing of what waits has been sent: the window begins anew, the TBF is closed. */
void radio_flow_restart(struct radio_flow *flow);

void radio_flow_append(struct radio_fifo *fifo, struct radio_pdu *pdu);
struct radio_pdu *radio_flow_pop(struct radio_fifo *fifo);

/* radio_air.c: the block periods of one way */
void radio_air_init(struct radio_air *air, const struct radio_way_config *config, uint64_t seed,
                    enum radio_way way);
/* The number of PDCHs is another one. */
void radio_air_plan(struct radio *radio, enum radio_way way);
/* The flow has got something to send. */
void radio_air_wake(struct radio_air *air, struct radio_flow *flow);
/* It has not, or must not. */
void radio_air_forget(struct radio_air *air, struct radio_flow *flow);
int64_t radio_air_due_ns(const struct radio_air *air);
void radio_air_arrive(struct radio *radio, enum radio_way way, int64_t now);
void radio_air_deal(struct radio *radio, enum radio_way way, int64_t now);

#endif
