/* SPDX-License-Identifier: BSD-3-Clause */
/* Random access of one cell in virtual time: how a mobile without an uplink TBF gets one.

   Model (TS 44.018 §3.3.1.1.2, §3.5.2; TS 44.060 §7.1).
   - The random access channel has `opportunities` slots of equal distance in a 51-multiframe, 3060/13 ms. A
     burst takes one slot. The BSS decodes a burst that is alone in its slot. Of two or more it decodes none,
     or, with the probability `capture`, one of them, each with the same chance: slotted ALOHA with capture.
   - A mobile draws the number of slots before its first burst from 0 .. max(T, 8) - 1, and that between two
     bursts from S .. S + T - 1. It tries M + 1 times. At each time it draws a number from 0 .. 15 and sends
     if that is not below the persistence level; a time without a burst counts. No assignment `fail_wait_ns`
     after the last time (T3146, T3170) is an access failure. `retry_ns` later the mobile begins again; a
     mobile of the background load does not.
   - For a decoded burst an IMMEDIATE ASSIGNMENT enters the AGCH (bss/agch.h) `response_ns` after the end of
     the slot. An assignment for any of its bursts ends the mobile's tries; further ones are wasted.
   - One-phase access: the assignment is that of the TBF, which opens `start_ns` later. Two-phase access: it
     is that of one uplink block, which carries the PACKET RESOURCE REQUEST; `round_trip_ns` after it a
     downlink block has the PACKET UPLINK ASSIGNMENT. If one of both blocks is bad, T3168 ends `t3168_ns`
     after the request, and the mobile begins again, ACCESS_ROUNDS times in all, before it is a failure.
   - Contention resolution: of the mobiles whose bursts lost to a captured one, each drew the same random
     reference with a chance of 1 in ACCESS_REFERENCES and takes the assignment, too (the first such mobile:
     at most one). It finds another TLLI confirmed, `resolution_ns` after the assignment (two-phase: when
   T3168 ends), and begins again, as above.
   - Without contention the channel has neither slots nor collisions: a burst is decoded when the mobile wants
     to send it. The AGCH then has the mobiles' arrivals as they are.
   - Background load: mobiles that come as a Poisson process, each for one access. They send no data.

   Access delay: from the begin of the first procedure (the LLC-PDU's arrival) until the assignment of the
   TBF, retries included.

   The BSS assigns whether or not calls leave it a PDCH; the radio then takes back what mobiles ask for.

   Not here: bursts lost without a collision, IMMEDIATE ASSIGNMENT REJECT, T3142, distances in one slot,
   priorities of persistence, the uneven places of the RACH on a combined CCCH.

   Same configuration and same calls = same events. No clock: `now` is an argument and never goes back. */
#ifndef BSS_ACCESS_H
#define BSS_ACCESS_H

#include "bss/agch.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ACCESS_MAX_OPPORTUNITIES = 408,
    ACCESS_REFERENCES = 8, /* three bits: TS 44.018 table 9.1.8.1 */
    ACCESS_ROUNDS = 4,     /* TS 44.060 §7.1.3.3, §7.1.2.3 */
    ACCESS_NEVER_PERSISTENT = 16,
    ACCESS_DELAY_BINS = 65536,
    ACCESS_MAX_BACKGROUND = 1 << 20, /* at a time; a further one fails at once */
};

#define ACCESS_MULTIFRAMES_NS INT64_C(3060000000) /* of 13 51-multiframes */
#define ACCESS_MULTIFRAMES    13
#define ACCESS_STREAM         (UINT64_C(1) << 40) /* the radio has the ones below */

struct access_config {
    bool has_contention;
    unsigned opportunities;    /* in a 51-multiframe, 1 .. ACCESS_MAX_OPPORTUNITIES */
    unsigned retransmissions;  /* M */
    unsigned s_slots, t_slots; /* S; T >= 1 */
    unsigned persistence;      /* P, 0 .. 16; 0: always sends, 16: never */
    uint32_t capture_ppm;      /* 1000000 at most */
    struct agch_config agch;
    int64_t response_ns;   /* of the BSS */
    int64_t fail_wait_ns;  /* T3146; 0: T + 2 S slots, 5 s at most */
    int64_t retry_ns;      /* from a failure to the next procedure; INT64_MAX: access_renew() begins it */
    int64_t start_ns;      /* from an assignment to the first block */
    int64_t resolution_ns; /* round trip of the contention resolution in one-phase access */
    bool is_two_phase;
    int64_t round_trip_ns, t3168_ns;
    int64_t background_ns; /* mean interval of background mobiles; 0: none */
    int64_t from_ns;       /* background mobiles come from then on */
    uint64_t seed;         /* stream ACCESS_STREAM of it */
};

enum access_kind { ACCESS_MOBILES, ACCESS_BACKGROUND, ACCESS_KINDS };

/* Their mean exactly, their quantiles to a millisecond; a delay beyond the last bin counts as in it. */
struct access_delays {
    uint64_t count;
    double sum_ns;
    uint32_t bins[ACCESS_DELAY_BINS]; /* i to i + 1 ms */
};

/* Of mobiles of one kind. begun = granted + failed + those under way or cancelled; a retry counts again. */
struct access_outcome {
    uint64_t begun, granted, failed;
    struct access_delays delays; /* of those granted */
};

struct access_counts {
    uint64_t bursts;
    uint64_t collided;   /* bursts that shared a slot, captured ones included */
    uint64_t collisions; /* slots with more than one burst */
    uint64_t decoded;    /* bursts */
    uint64_t unanswered; /* decoded bursts that found the AGCH's queue full */
    uint64_t wasted;     /* assignments that no mobile waited for */
    uint64_t unresolved; /* mobiles that took another one's assignment */
    uint64_t expired;    /* T3168 */
};

struct access_stats {
    struct access_counts counts;
    struct access_outcome outcomes[ACCESS_KINDS];
};

struct access_ops {
    void *arg;
    /* The mobile's uplink TBF opens at open_ns; `owner` as in access_begin(). Must not call access_begin()
       or access_cancel(). */
    void (*granted)(void *arg, void *owner, int64_t open_ns, int64_t now);
    /* One RLC block without data is sent, up or down. Returns whether it arrives. NULL: always. */
    bool (*sends)(void *arg, void *owner, bool is_up, int64_t now);
};

/** Makes the channel of a cell; copies both structs. NULL: out of memory. Asserts the ranges. */
struct access *access_new(const struct access_config *config, const struct access_ops *ops);

/** Frees it; NULL is allowed. */
void access_free(struct access *access);

/** A mobile begins an access procedure. Returns its number, not 0. Ends the program when memory is short. */
uint32_t access_begin(struct access *access, void *owner, int64_t now);

/** The mobile has a new LLC-PDU: begins the next procedure if the last one failed and none is to come. */
void access_renew(struct access *access, uint32_t number, int64_t now);

/** The mobile gives up, or has left the cell: no callback for it any more. 0: no effect. */
void access_cancel(struct access *access, uint32_t number);

/** The next instant of an event; INT64_MAX: none. */
int64_t access_due_ns(const struct access *access);

/** Handles all events up to `now`, in order of time. */
void access_step(struct access *access, int64_t now);

/** Counters since access_new(). */
const struct access_stats *access_stats_get(const struct access *access);
const struct agch_stats *access_agch_stats_get(const struct access *access);

/** The mean of delays; INT64_MAX without one. */
int64_t access_mean_ns(const struct access_delays *delays);

/** The end of the bin of the delay that `percent` of all do not exceed; INT64_MAX without one. */
int64_t access_quantile_ns(const struct access_delays *delays, unsigned percent);

/** Slots that begin in [from, to); 0 without contention. */
uint64_t access_slots(const struct access *access, int64_t from_ns, int64_t to_ns);

#endif
