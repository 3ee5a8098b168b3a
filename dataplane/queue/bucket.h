/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The leaky bucket of BSSGP flow control, TS 48.018 clause 8.2.3.2.2, in exact integer arithmetic.
 *
 * Model: the bucket holds the octets believed to lie in the BSS. It leaks at R; an LLC-PDU of L octets may
 * pass when B* = B + L - R (now - t) < L        the bucket had run empty: passes, however long it is, or B*
 * <= Bmax. Levels are kept in units of 10^-9 bit, so that R (bit/s) times a time in nanoseconds is a whole
 * number of them: there is no rounding anywhere, and none to favour a side.
 *
 * Invariant: level(now) = max(0, level_nbit - rate_bps * (now - t_ns)).
 *
 * Not here: who waits and for how long (sched.c), and where Bmax and R come from (control).
 */
#ifndef DATAPLANE_QUEUE_BUCKET_H
#define DATAPLANE_QUEUE_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 bucket_nbit;

struct bucket {
    bucket_nbit level_nbit; /* B, after the last change */
    int64_t t_ns;           /* time of that change */
    uint64_t rate_bps;      /* R */
    uint64_t max_octets;    /* Bmax */
};

/* Largest values that flow control can announce (granularity 100 000): 65535 units. */
#define BUCKET_MAX_OCTETS   UINT64_C(6553500000)
#define BUCKET_MAX_RATE_BPS UINT64_C(6553500000)

/* An empty bucket of max_octets that leaks rate_bps; both at most the limits above. */
void bucket_init(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* Octets in the bucket at now, rounded up. */
uint64_t bucket_level_octets(const struct bucket *b, int64_t now);

/* Whether an LLC-PDU of `octets` conforms at now (not before the last change). */
bool bucket_can_take(const struct bucket *b, uint32_t octets, int64_t now);

/*
 * The first nanosecond at which an LLC-PDU of `octets` conforms if nothing else happens; may lie before now.
 * MOMENT_NEVER when only new parameters can help (R = 0, or an instant beyond all time).
 */
int64_t bucket_earliest_ns(const struct bucket *b, uint32_t octets);

/* Charges an LLC-PDU of `octets` that passes at now. The caller has asked bucket_can_take(). */
void bucket_take(struct bucket *b, uint32_t octets, int64_t now);

/*
 * New parameters in force from now. What is in the bucket stays, leaked at the old rate up to now; a level
 * above the new Bmax waits for leakage.
 */
void bucket_set(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* The peer says what the level is: Bucket_Full Ratio in percent of Bmax (clause 11.3.46; above 100 is
 * overfull). */
void bucket_set_ratio(struct bucket *b, uint32_t ratio_percent, int64_t now);

/* Octets that left the BSS without being sent (LLC-DISCARDED, FLUSH-LL-ACK): the level falls, not below 0. */
void bucket_discard(struct bucket *b, uint64_t octets, int64_t now);

/* Empties the bucket, parameters stay (BVC-RESET, cell change). */
void bucket_reset(struct bucket *b, int64_t now);

#endif
