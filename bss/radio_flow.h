/* SPDX-License-Identifier: BSD-3-Clause */
/* A flow: one mobile's LLC-PDUs in one direction, its stream of RLC blocks and its send window. For the files
   of this folder alone. */
#ifndef BSS_RADIO_FLOW_H
#define BSS_RADIO_FLOW_H

#include "bss/radio.h"
#include "dataplane/base/rng.h"

struct radio_air;

struct radio_pdu {
    struct radio_pdu *next;
    struct radio_flow *flow;
    int64_t at_ns;     /* when it was put; after its last block: when it will arrive */
    int64_t latest_ns; /* the latest begin of its first block: end of its lifetime */
    uint64_t last_block;
    size_t octets;
    bool is_hurt; /* a block with octets of it was bad, and will not be repeated */
    uint8_t llc_pdu[];
};

struct radio_fifo {
    struct radio_pdu *head, *tail;
};

/* A bad block to repeat; repeats are due in the order of sending. */
struct radio_repeat {
    uint64_t block;
    uint64_t send;  /* the flow's `sends` with it */
    int64_t due_ns; /* MOMENT_NEVER: its sender does not know yet */
};

/* One mobile, one direction. Blocks are numbered from 0.
   oldest_block <= next_block <= oldest_block + window; repeats hold the missing blocks of [oldest_block,
   next_block). waiting: LLC-PDUs not yet in blocks, the head perhaps in part. sent: whole in blocks, of which
   one is still missing. */
struct radio_flow {
    uint32_t tlli;
    struct radio_fifo waiting, sent;
    size_t taken_octets; /* of the stream of waiting.head, its length indicator included */
    uint64_t next_block, oldest_block;
    uint64_t *received; /* a bit for each block of the window, modulo whole words; NULL: none has come */
    struct radio_repeat *repeats; /* ring of repeat_cap places, by need; at most `window` in use */
    unsigned window, repeat_cap, repeat_first, repeat_count;
    unsigned last_word;        /* of `received`: words are a power of two */
    int64_t open_ns, close_ns; /* the TBF is open in [open_ns, close_ns) */
    int64_t end_ns;            /* of its last block */
    int64_t resolved_ns;       /* blocks before carry the TLLI, too: contention resolution */
    /* bss/tbf.c */
    int64_t heard_ns;                 /* the last poll that the mobile heard, at most until data came */
    int64_t usf_ns;                   /* uplink: no block before this poll */
    int64_t poll_ns;                  /* the next poll while the TBF is open without data */
    bool is_acked;                    /* by polled acknowledgements */
    uint64_t sends, acked_block;      /* blocks sent; oldest block by the last acknowledgement */
    unsigned unasked;                 /* blocks sent since one that asked for an acknowledgement */
    uint32_t idle_stamp, start_stamp; /* times that it began to be idle or busy; that it was restarted */
    int64_t
        restart_ns; /* its TBF was lost to calls: no new one before, unless the mobile asks; 0: not lost */
    struct radio_flow *previous, *next; /* ring of flows with something to send; NULL: not in it */
    unsigned level, next_level;         /* level of its ring; level when it enters next */
    int64_t period_ns;                  /* the period of `dealt` */
    unsigned dealt;
    struct radio_queue queue;
    struct radio_errors_fade *fade; /* its mobile's */
    struct radio_link_flow *link;   /* NULL: the radio has no `link` */
    bool is_away;                   /* the mobile has left the cell: not in a ring, no TBF, nothing sent */
};

static inline bool radio_flow_is_open(const struct radio_flow *flow, int64_t now)
{
    return flow->open_ns <= now && now < flow->close_ns;
}

static inline bool radio_flow_has_repeat(const struct radio_flow *flow, int64_t now)
{
    return flow->repeat_count && flow->repeats[flow->repeat_first].due_ns <= now;
}

/* Whether its send window has room for a new block. */
static inline bool radio_flow_has_window(const struct radio_flow *flow)
{
    return flow->next_block - (flow->is_acked ? flow->acked_block : flow->oldest_block) < flow->window;
}

void radio_flow_init(struct radio_flow *flow, uint32_t tlli, unsigned window_blocks);
void radio_flow_fini(struct radio_flow *flow);
/* Queues an LLC-PDU. */
void radio_flow_put(struct radio_flow *flow, struct radio_pdu *pdu);
bool radio_flow_is_busy(const struct radio_flow *flow);
/* The earliest instant at which it can use a block; INT64_MAX: none. */
int64_t radio_flow_ready_ns(const struct radio_flow *flow);
uint64_t radio_flow_take_repeat(struct radio_flow *flow);
/* Takes up to `room` octets of the first waiting LLC-PDU for a block. Returns how many. */
size_t radio_flow_take(struct radio_flow *flow, uint64_t block, size_t room);
/* Ends the program when memory is short. */
void radio_flow_put_repeat(struct radio_flow *flow, uint64_t block, int64_t due_ns);
/* Marks the LLC-PDUs with octets in the newest block, which was bad and is not repeated. */
void radio_flow_hurt(struct radio_flow *flow, uint64_t block);
/* Notes that a block has arrived, or will not be repeated. Ends the program when memory is short. */
void radio_flow_receive(struct radio_flow *flow, uint64_t block);
/* The next LLC-PDU that has arrived whole and in sequence, or NULL. */
struct radio_pdu *radio_flow_take_whole(struct radio_flow *flow);

/* Puts LLC-PDUs that have not arrived whole back into `waiting`, empties the window and closes the TBF. */
void radio_flow_restart(struct radio_flow *flow);

void radio_flow_append(struct radio_fifo *fifo, struct radio_pdu *pdu);
struct radio_pdu *radio_flow_pop(struct radio_fifo *fifo);

/* Functions with the cell's radio: they count its LLC-PDUs and tell radio_ops. */

/* Fills the new block flow->next_block with up to `room` octets of the waiting LLC-PDUs and discards expired
   ones. Returns false if none is left: no block is used. */
bool radio_flow_fill(struct radio *radio, enum radio_way way, struct radio_flow *flow, size_t room,
                     int64_t now);
/* Discards the LLC-PDUs at the head of the queue whose lifetime has ended before their first block. */
void radio_flow_expire(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);
/* A block of the period that began at `now` has arrived: LLC-PDUs that are whole are on their way. */
void radio_flow_accept(struct radio_air *air, struct radio_flow *flow, uint64_t block, int64_t now);
/* LLC-PDUs that arrive by `now` are delivered, or lost. */
void radio_flow_arrive(struct radio *radio, enum radio_way way, int64_t now);
/* Counts, reports and frees an LLC-PDU that is in no queue. */
void radio_flow_lose(struct radio *radio, enum radio_way way, enum radio_discard reason,
                     struct radio_pdu *pdu, int64_t now);
/* Takes an LLC-PDU out of the sums of queued ones. */
void radio_flow_unqueue(struct radio *radio, enum radio_way way, const struct radio_pdu *pdu);

#endif
