/* SPDX-License-Identifier: BSD-3-Clause */
/* The radio of one cell in virtual time: LLC-PDUs in, RLC blocks over the air, LLC-PDUs out.

   Model. Time is cut into block periods of 20 ms, [k x 20 ms, (k + 1) x 20 ms) for every whole k; in each,
   every PDCH carries one block in each direction (TS 43.064, TS 45.002). Both directions are alike:
   - LLC-PDUs of a mobile form one FIFO and one stream of octets; each LLC-PDU adds its octets and one length
     indicator (TS 44.060 §10.4.14). A block takes the next `payload` octets of one mobile's stream, or fewer
     if the stream has fewer: N octets alone need ceil((N + 1) / payload) blocks, and the end of one LLC-PDU
     shares its block with the beginning of the next.
   - The blocks of a period are dealt out one by one, round robin over the mobiles that have something to
     send, up to a limit for each mobile, precedence levels in their order (radio_level()). No block is left
     free while a mobile could use it. The turn carries over to the next period.
   - A block is bad by chance, its probability fixed or varying (radio_errors.c). The sender learns it
     `retransmission` after its end and repeats it from the mobile's next turn on, before new data, until it
     arrives (TS 44.060 §9.1, RLC acknowledged mode). A mobile's LLC-PDUs arrive in sequence. A good block
     leaves the send window at once. In RLC unacknowledged mode a bad block is not repeated, and the LLC-PDUs
     with octets in it, length indicators included, are lost when they would arrive (§9.1.12: the receiver
     fills in zeros, and LLC's FCS is wrong).
   - A mobile's first LLC-PDU sets up a temporary block flow: nothing is sent for `setup`, or for the shorter
     `setup_beside` while the mobile's other direction has an open TBF. A TBF closes `release` after the end
     of its last block (TS 44.060 §7, §9.3.1a delayed release; uplink: access, extended uplink TBF).
   - An LLC-PDU arrives `delay` after the end of the block that completes it.
   - PDU Lifetime (uplink: `keep_ns`) is tested when an LLC-PDU is taken for its first block: set-up time
     counts, air time comes on top.
   - Circuit-switched calls take and return PDCHs (radio_channels_set()).
   - Polls, T3190, T3192 and acknowledgements as blocks: bss/tbf.c.
   - With `access` a mobile without a TBF gets its uplink TBF by random access (bss/access.h) in place of
     `setup`, and while its downlink TBF is open, by a request in a PACKET DOWNLINK ACK/NACK: `setup_beside`.
   - A mobile that leaves the cell loses its TBFs: its LLC-PDUs that had not arrived whole wait, to be sent
     from their first octet, until the mobile returns or radio_take() takes them.

   - With `link` a mobile has a C/I that varies, which decides on bad blocks and coding schemes. An RLC block
     then has the octets of its scheme, and a block period carries RLC blocks as bss/radio_link.h says.
   - With a block period of 10 ms (reduced TTI) two PDCHs carry one block.

   Not here: which PDCH (any mobile may use any), USF and its limits, lost acknowledgements of the uplink.

   An idle radio has no deadline. Same configuration, seed and calls = the same events. No clock: `now` is an
   argument and never goes back. */
#ifndef BSS_RADIO_H
#define BSS_RADIO_H

#include "bss/access.h"
#include "bss/radio_coding.h"
#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Block error rates of a radio that vary in time: a rate by steps for the whole cell, and fading of single
   mobiles.

   Model. A step's rate holds from its instant to that of the next; before the first step and without steps
   the rate is that of the cell. Fading is the channel of Gilbert (1960) and Elliott (1963) in continuous
   time: each mobile is in a good or a bad state, whose lengths are exponentially distributed, independently
   of other mobiles. In the bad state its blocks of both directions have the rate of that state, in the good
   one the rate of the cell or step. A block has the state in which its period begins.

   Not here: states that depend on the coding scheme, correlation of mobiles, and memory from cell to cell. */

struct radio_errors_step {
    int64_t from_ns; /* rises from step to step */
    uint32_t bler_ppm, bler_up_ppm;
};

struct radio_errors_config {
    const struct radio_errors_step *steps; /* the caller's; they outlive the radio */
    size_t step_count;                     /* 0: none */
    int64_t start_ns;                      /* when the steps' time and the states begin */
    int64_t repeat_ns;                     /* after which the steps' time begins again; 0: never */
    int64_t good_ns, bad_ns;               /* mean lengths of the states; both 0: no fading */
    uint32_t bad_bler_ppm;                 /* in the bad state, < 1 000 000 */
};

/* State of one mobile. */
struct radio_errors_fade {
    struct rng rng;
    int64_t until_ns;
    bool is_bad;
};

/** Asserts the ranges in the struct. */
void radio_errors_check(const struct radio_errors_config *config);

/** A mobile's state at config->start_ns, drawn by the shares of both states. `tlli` chooses its numbers. */
void radio_errors_fade_init(struct radio_errors_fade *fade, const struct radio_errors_config *config,
                            uint64_t seed, uint32_t tlli);

/** The step of an instant; NULL: none holds. */
const struct radio_errors_step *radio_errors_step_at(const struct radio_errors_config *config, int64_t now);

/** Whether the mobile is in the bad state at `now`, which never goes back. */
bool radio_errors_is_bad(struct radio_errors_fade *fade, const struct radio_errors_config *config,
                         int64_t now);

#define RADIO_BLOCK_NS INT64_C(20000000)

enum {
    RADIO_MAX_PDCHS = 64,
    RADIO_MAX_WINDOW_BLOCKS = 2048,
    RADIO_MAX_MOBILES = 4096,         /* TLLIs ever seen; more are RADIO_DISCARD_CELL_FULL */
    RADIO_MAX_QUEUE_OCTETS = 1 << 26, /* per cell and direction, whatever the configured limits */
    RADIO_MAX_QUEUE_FRAMES = 1 << 18,
    RADIO_INFINITE_CS = 0xffff,
    RADIO_LEVELS = 8,
};

/* Procedures of the TBFs of one direction (bss/tbf.c). All zero: none. */
struct radio_tbf_config {
    int64_t poll_ns;    /* interval of polls of a TBF that is open without data */
    int64_t lost_ns;    /* downlink: T3190 */
    int64_t listen_ns;  /* downlink: T3192 */
    unsigned ack_every; /* downlink: blocks for one PACKET DOWNLINK ACK/NACK; 0: retransmission_ns instead */
};

/* One direction of a cell. All zero but `slots` is a perfect radio. */
struct radio_way_config {
    unsigned slots;            /* blocks per period for one mobile: its multislot class; >= 1 */
    uint32_t bler_ppm;         /* bad blocks per million, < 1 000 000 */
    int64_t retransmission_ns; /* from the end of a bad block until it may go again */
    int64_t setup_ns;          /* of a TBF; uplink: the access */
    int64_t setup_beside_ns;   /* while the mobile's other direction is open; 0: as setup_ns */
    int64_t release_ns;        /* from the end of the TBF's last block until it closes */
    int64_t delay_ns;          /* processing and propagation, after a block's end */
    unsigned control_one_in;   /* every n-th used block carries control instead; 0: none; 1 is invalid */
    uint64_t mobile_limit_octets, cell_limit_octets; /* LLC-PDUs beyond are discarded; 0: no limit */
    unsigned payload_octets;                         /* of a block in this direction; 0: as the cell's */
    unsigned window_blocks;                          /* in this direction; 0: as the cell's */
    int64_t keep_ns;         /* uplink: a PDU Lifetime that the mobile gives itself; 0: none */
    int64_t restart_wait_ns; /* downlink: see radio_channels_set(); 0: at once when there are PDCHs again */
    struct radio_tbf_config tbf;
};

/* The mean C/I of a cell from an instant on. */
struct radio_link_step {
    int64_t from_ns; /* rises from step to step */
    int32_t ci_mdb;
};

/* C/I and what follows from it; see bss/link_quality.h, bss/link_adaptation.h, bss/radio_link.h. In place of
   block error rates and `errors`. mdb: thousandths of a dB. */
struct radio_link_config {
    bool is_there;
    int32_t mean_mdb, spread_mdb, shadowing_mdb, up_offset_mdb;
    int64_t decorrelation_ns;
    const struct radio_link_step *steps; /* over mean_mdb; the caller's; they outlive the radio */
    size_t step_count;                   /* 0: none */
    int64_t start_ns, repeat_ns;         /* when the steps' time begins, and after which it begins again */
    bool is_adaptive;                    /* else all blocks have radio_config.coding */
    enum radio_coding initial; /* of a mobile's first TBF; with is_adaptive `coding` is the greatest */
    int32_t hysteresis_mdb;
    int64_t t_avg_ns, report_ns;
    int32_t shift_mdb[RADIO_CODINGS]; /* of the curves, to the right */
    bool has_redundancy, has_splits;  /* EGPRS: incremental redundancy, resegmentation */
};

struct radio_config {
    unsigned pdchs; /* 1..RADIO_MAX_PDCHS */
    enum radio_coding coding;
    unsigned payload_octets; /* of a block; 0: as `coding` has it */
    unsigned window_blocks;  /* send window from the oldest missing block; GPRS: 64; 0: the greatest */
    bool is_unacknowledged;  /* RLC: bad blocks are not repeated */
    uint64_t seed;           /* for this cell's block errors */
    struct radio_way_config down, up;
    struct radio_errors_config errors;  /* over bler_ppm of both; all zero: none */
    int64_t block_ns;                   /* block period: 0: 20 ms, or 10 ms, with even pdchs and slots */
    struct radio_link_config link;      /* all zero: none */
    const struct access_config *access; /* the caller's, copied; NULL: up.setup_ns is the access */
};

enum radio_way { RADIO_DOWN, RADIO_UP, RADIO_WAYS };

enum radio_discard {
    RADIO_DISCARD_LIFETIME,
    RADIO_DISCARD_MOBILE_FULL,
    RADIO_DISCARD_CELL_FULL,
    RADIO_DISCARD_FLUSHED,   /* by FLUSH-LL; reported by the caller of radio_take(), never by the radio */
    RADIO_DISCARD_PREEMPTED, /* calls took the cell's PDCHs, and its queues were flushed */
    RADIO_DISCARD_RLC,       /* a block was bad, and RLC is unacknowledged; the BSS does not notice */
    RADIO_DISCARDS
};

/* A mobile's LLC-PDU in a callback; the octets are valid during the call only. */
struct radio_frame {
    uint32_t tlli;
    const uint8_t *llc_pdu;
    size_t octets;
};

/* With a frame: a new block takes octets of it. Without: the block begins; a number that comes again is a
   repetition. */
struct radio_block {
    uint32_t tlli;
    uint64_t number; /* in the mobile's stream */
    const struct radio_frame *frame;
    bool is_bad;
};

/* `now` is the instant of the event. The first two are required; none may call back into the radio. */
struct radio_ops {
    void *arg;
    void (*delivered)(void *arg, enum radio_way way, const struct radio_frame *frame, int64_t now);
    /* The LLC-PDU was discarded instead. */
    void (*lost)(void *arg, enum radio_way way, enum radio_discard reason, const struct radio_frame *frame,
                 int64_t now);
    /* Of each block with data; NULL: not wanted. */
    void (*block)(void *arg, enum radio_way way, const struct radio_block *block, int64_t now);
};

struct radio_sum {
    uint64_t frames, octets;
};

/* Of one direction. in = delivered + discarded + queued + taken, in frames and in octets; `queued` includes
   LLC-PDUs on the air. */
struct radio_stats {
    struct radio_sum in, delivered, queued, taken, discarded[RADIO_DISCARDS];
    uint64_t queued_max_octets;
    uint64_t blocks; /* used: first transmissions, repetitions and control */
    uint64_t repeated_blocks, bad_blocks, control_blocks;
    uint64_t idle_polls, asked_acks, lost_acks, lost_tbfs; /* bss/tbf.c */
    uint64_t setups, uplink_restarts, downlink_restarts;   /* TBFs; waits that a request, an LLC-PDU ends */
    uint64_t begun_frames, begun_wait_ns; /* LLC-PDUs that got a first block, and the sum of their waits */
};

/* Of one direction, with radio_config.link. Parts are RLC blocks and halves of RLC blocks. */
struct radio_link_stats {
    uint64_t radio_blocks[RADIO_CODINGS];
    uint64_t parts, bad_parts, split_blocks;
    uint64_t combined_parts; /* tries with energy of earlier ones */
    int64_t ci_sum_mdb;      /* of each mobile's filtered C/I at its radio blocks */
    uint64_t ci_count;
};

/* Of one mobile and direction. */
struct radio_queue {
    struct radio_sum queued;
    uint64_t queued_max_octets;
    uint64_t discarded_frames;
};

/** The block period of a configuration. */
static inline int64_t radio_block_ns(const struct radio_config *config)
{
    return config->block_ns ? config->block_ns : RADIO_BLOCK_NS;
}

/** Makes a cell's radio; copies both structs. NULL: out of memory. Asserts the ranges in the structs. */
struct radio *radio_new(const struct radio_config *config, const struct radio_ops *ops);

/** Frees the radio and its LLC-PDUs; NULL is allowed. */
void radio_free(struct radio *radio);

/**
 * Handles all events due up to `now`, in order of time. Returns the next deadline, INT64_MAX without one;
 * radio_down() and radio_up() may make it earlier (radio_due_ns()).
 */
int64_t radio_step(struct radio *radio, int64_t now);

/** The next deadline; INT64_MAX: none. */
int64_t radio_due_ns(const struct radio *radio);

/**
 * Queues a copy of an LLC-PDU towards a mobile, lifetime in 10 ms (TS 48.018 §11.3.25). An LLC-PDU put at the
 * instant at which a block period begins is in time for that period, unless radio_step() has handled the
 * instant. Returns false if it was discarded; lost() has then been called.
 */
bool radio_down(struct radio *radio, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                uint16_t lifetime_cs, int64_t now);

/** Likewise from a mobile; its lifetime is `keep_ns`. */
bool radio_up(struct radio *radio, uint32_t tlli, const uint8_t *llc_pdu, size_t octets, int64_t now);

/** A mobile leaves the cell: nothing is sent to or by it; queued LLC-PDUs stay and more may be put. */
void radio_leave(struct radio *radio, uint32_t tlli);

/** The mobile has entered the cell: queued LLC-PDUs are sent from now on. Unknown mobiles are in it. */
void radio_enter(struct radio *radio, uint32_t tlli, int64_t now);

/** Sets a mobile's precedence, 0 (first; the default) to 7, for when its queue is empty. False: no room. */
bool radio_level(struct radio *radio, uint32_t tlli, unsigned level);

/** Sets a mobile's own mean C/I in place of the cell's. False: no room. Without `link` it has no effect. */
bool radio_ci(struct radio *radio, uint32_t tlli, int32_t mean_mdb);

/** Whether a mobile has left the cell. */
bool radio_is_away(const struct radio *radio, uint32_t tlli);

/** A rate of radio_config.coding, for the downlink coding scheme of a mobile now, less its bad blocks. */
uint64_t radio_coded_bps(const struct radio *radio, uint32_t tlli, uint64_t rate_bps);

/** Takes out a left mobile's LLC-PDUs of one direction, in order, with the lifetime left. take() may not call
   into this radio. Returns the octets. */
typedef void (*radio_take_fn)(void *arg, const struct radio_frame *frame, uint16_t lifetime_cs);
uint64_t radio_take(struct radio *radio, enum radio_way way, uint32_t tlli, radio_take_fn take, void *arg,
                    int64_t now);

/** Counters since radio_new(). */
const struct radio_stats *radio_stats_get(const struct radio *radio, enum radio_way way);

/** Likewise; NULL: the radio has no `link`. */
const struct radio_link_stats *radio_link_stats_get(const struct radio *radio, enum radio_way way);

/** The cell's random access; NULL: it has none. */
const struct access *radio_access_get(const struct radio *radio);

/** A mobile's queue; zeros for an unknown mobile. */
struct radio_queue radio_queue_get(const struct radio *radio, enum radio_way way, uint32_t tlli);

/** Blocks that all PDCHs could carry in one direction in periods that begin in [from, to); 0 <= from. */
uint64_t radio_possible_blocks(const struct radio *radio, int64_t from_ns, int64_t to_ns);

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
