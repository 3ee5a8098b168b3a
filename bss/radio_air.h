/* SPDX-License-Identifier: BSD-3-Clause */
/* State of a radio, for the files of this folder alone. */
#ifndef BSS_RADIO_AIR_H
#define BSS_RADIO_AIR_H

#include "bss/link_quality.h"
#include "bss/radio.h"
#include "dataplane/base/rng.h"

enum { RADIO_BUCKETS = 1024, RADIO_WINDOW_WORDS = RADIO_MAX_WINDOW_BLOCKS / 64 };

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
    uint64_t received[RADIO_WINDOW_WORDS]; /* bits, block modulo RADIO_MAX_WINDOW_BLOCKS */
    struct radio_repeat *repeats;          /* ring of repeat_cap places, by need; at most `window` in use */
    unsigned window, repeat_cap, repeat_first, repeat_count;
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

/* Events of bss/tbf.c, by at_ns. */
enum { TBF_POLL_DOWN, TBF_POLL_UP, TBF_ANSWER, TBF_LEARN, TBF_RINGS };

struct tbf_event {
    int64_t at_ns;
    unsigned ring; /* TBF_... */
    struct radio_flow *flow;
    uint32_t stamp;
    uint64_t sends, oldest_block; /* of the flow when it asked for an acknowledgement */
};

struct tbf_ring {
    struct tbf_event *events;
    unsigned cap, first, count;
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

/* Adds or subtracts one LLC-PDU. */
static inline void radio_sum_add(struct radio_sum *sum, size_t octets)
{
    sum->frames++;
    sum->octets += octets;
}

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

/* A flow of a mobile in the cell has something to send: sets up its TBF. Does nothing without a PDCH;
   radio_channels_set() calls it again. */
void radio_begin(struct radio *radio, enum radio_way way, struct radio_mobile *mobile, int64_t now);

/* radio_access.c: uplink TBFs by random access */
bool radio_access_init(struct radio *radio, const struct access_config *config, const struct access_ops *ops);
/* A mobile without an uplink TBF has something to send. False: it needs no random access. */
bool radio_access_begin(struct radio *radio, struct radio_mobile *mobile, int64_t now);
void radio_access_cancel(struct radio *radio, struct radio_mobile *mobile);
int64_t radio_access_due_ns(const struct radio *radio);
void radio_access_step(struct radio *radio, int64_t now);

/* radio_air.c */
/* Takes an LLC-PDU out of the sums of queued ones. */
void radio_unqueue(struct radio *radio, enum radio_way way, const struct radio_pdu *pdu);
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
/* Notes that a block has arrived, or will not be repeated. */
void radio_flow_receive(struct radio_flow *flow, uint64_t block);
/* The next LLC-PDU that has arrived whole and in sequence, or NULL. */
struct radio_pdu *radio_flow_take_whole(struct radio_flow *flow);

/* Puts LLC-PDUs that have not arrived whole back into `waiting`, empties the window and closes the TBF. */
void radio_flow_restart(struct radio_flow *flow);

void radio_flow_append(struct radio_fifo *fifo, struct radio_pdu *pdu);
struct radio_pdu *radio_flow_pop(struct radio_fifo *fifo);

/* radio_air.c: the block periods of one direction */
void radio_air_init(struct radio *radio, enum radio_way way, const struct radio_way_config *config);
/* Fills the new block flow->next_block with up to `room` octets of the waiting LLC-PDUs and discards expired
   ones. Returns false if none is left: no block is used. */
bool radio_air_fill(struct radio *radio, enum radio_way way, struct radio_flow *flow, size_t room,
                    int64_t now);
/* A block of the period that began at `now` has arrived: LLC-PDUs that are whole are on their way. */
void radio_air_accept(struct radio_air *air, struct radio_flow *flow, uint64_t block, int64_t now);
/* Tells ops.block(). */
void radio_air_tell(struct radio *radio, enum radio_way way, const struct radio_block *block, int64_t now);
/* Enters a flow that has something to send. */
void radio_air_wake(struct radio_air *air, struct radio_flow *flow);
/* Takes the flow out of the ring. */
void radio_air_forget(struct radio_air *air, struct radio_flow *flow);
int64_t radio_air_due_ns(const struct radio_air *air);
void radio_air_arrive(struct radio *radio, enum radio_way way, int64_t now);
void radio_air_deal(struct radio *radio, enum radio_way way, int64_t now);
/* Polls, answers and what they tell (bss/tbf.c). */
void radio_air_poll(struct radio *radio, int64_t now);
/* Sends a block without data in the next period, before all others; `flow`: to or by whom, or NULL. Returns
   whether it arrives; without a PDCH it does not. */
bool radio_air_control(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);

/* tbf.c */
void tbf_fini(struct radio *radio);
int64_t tbf_due_ns(const struct radio *radio);
/* Takes an event that is due at `now`; none is due before. False: there is none. */
bool tbf_take(struct radio *radio, struct tbf_event *event, int64_t now);
/* A poll of a TBF that is open without data. False: it is out of date. */
bool tbf_poll(struct radio *radio, const struct tbf_event *event);
/* The answer to a poll for an acknowledgement, at its period's begin: the BSS knows it later, or asks again.
 */
void tbf_answer(struct radio *radio, const struct tbf_event *event, bool is_bad);
/* The BSS knows the answer. */
void tbf_learn(const struct tbf_event *event);
/* The flow has nothing more to send: sets close_ns. */
void tbf_rest(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);
/* Data came while the TBF was open without any. */
void tbf_wake(const struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);
/* A new TBF's set-up time. `beside`: the mobile's other flow. */
int64_t tbf_setup_ns(const struct radio_air *air, const struct radio_flow *flow,
                     const struct radio_flow *beside, int64_t now);
/* Whether T3190 has run out. */
bool tbf_is_lost(const struct radio_air *air, const struct radio_flow *flow, int64_t now);
/* The flow sent a block: asks for an acknowledgement if that is due. */
void tbf_sent(struct radio *radio, struct radio_flow *flow, int64_t now);
/* All that was left to send has expired. True: a block without data asks for an acknowledgement. */
bool tbf_stop(struct radio *radio, struct radio_flow *flow, int64_t now);

/* A changing number of PDCHs: circuit-switched calls have precedence on a cell's timeslots.

   Model. Blocks on the air end undisturbed. Without a PDCH every TBF ends: LLC-PDUs that have not arrived
   whole wait, to be sent from their first octet; more may be put; no block is sent and no TBF set up. When
   there are PDCHs again, LLC-PDUs whose lifetime has ended are discarded, and each mobile with waiting
   LLC-PDUs sets up a new TBF. With `restart_wait_ns` a mobile that lost its downlink TBF gets the next one
   only after that time, when it asks for an uplink channel, or when a new LLC-PDU for it comes from the SGSN.

   PDCHs are not numbered: a call takes any, and mobiles use the others. */

/** Sets the PDCHs that carry blocks, 0 to the configured number, from the first period that begins at or
   after `now`. Call radio_step() for `now` first. */
void radio_channels_set(struct radio *radio, unsigned pdchs, int64_t now);

/** Discards the downlink LLC-PDUs of the mobiles in the cell, RADIO_DISCARD_PREEMPTED; only while there is no
   PDCH. */
void radio_channels_flush(struct radio *radio, int64_t now);

#endif
