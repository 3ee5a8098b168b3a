/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The leaky bucket of BSSGP flow control, TS 48.018 clause 8.2.3.2.2, in exact integer arithmetic.
 *
 * Model: the bucket holds the octets believed to lie in the BSS. It leaks at R; an LLC-PDU of L octets may
 * pass when B* = B + L - R (now - t) < L        the bucket had run empty: passes, however long it is, or B*
 * <= Bmax. Levels are kept in units of 10^-9 bit, so that R (bit/s) times a time in nanoseconds is a whole
 * number of them: there is no rounding anywhere, and none to favour a side.
 *
 * Invariant: level(now) = max(0, bucket_level_nbit() - rate_bps * (now - t_ns)).
 *
 * A bucket is half a cache line, and what each LLC-PDU asks of it is inline. Its level has 88 bits, which
 * nothing fills: 255 % of the largest Bmax is less than 2^67, an LLC-PDU adds less than 2^65 and conforms
 * only below Bmax or when all else has leaked. Octets charged without asking would have to come, with no leak
 * at all, nine million times as the largest 32-bit number.
 *
 * Not here: who waits and for how long (sched.c), and where Bmax and R come from (control).
 */
#ifndef DATAPLANE_QUEUE_BUCKET_H
#define DATAPLANE_QUEUE_BUCKET_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 bucket_nbit;

#define BUCKET_MAX_OCTETS_BITS 40
#define BUCKET_LEVEL_HIGH_BITS 24

/* In C a bit field counts in its own width: widen max_octets before it is multiplied. */
struct bucket {
    uint64_t level_low;                           /* B after the last change: its low 64 bits */
    int64_t t_ns;                                 /* time of that change */
    uint64_t rate_bps;                            /* R */
    uint64_t max_octets : BUCKET_MAX_OCTETS_BITS; /* Bmax */
    uint64_t level_high : BUCKET_LEVEL_HIGH_BITS; /* B: the bits above */
};

static_assert(sizeof(struct bucket) == 32, "two buckets to a cache line");

/* Largest values that flow control can announce (granularity 100 000): 65535 units. */
#define BUCKET_MAX_OCTETS   UINT64_C(6553500000)
#define BUCKET_MAX_RATE_BPS UINT64_C(6553500000)

#define BUCKET_NBIT_PER_OCTET UINT64_C(8000000000)
#define BUCKET_SMALL_OCTETS   (UINT64_C(1) << 31) /* times the above is less than 2^64 */

/* An empty bucket of max_octets that leaks rate_bps; both at most the limits above. */
void bucket_init(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* What it held after the last change, in 10^-9 bit. */
static inline bucket_nbit bucket_level_nbit(const struct bucket *b)
{
    return (bucket_nbit)b->level_high << 64 | b->level_low;
}

/* Octets in the bucket at now, rounded up. */
uint64_t bucket_level_octets(const struct bucket *b, int64_t now);

/* What has leaked by now, had there been enough. */
static inline bucket_nbit bucket_leak_nbit(const struct bucket *b, int64_t now)
{
    assert(now >= b->t_ns);
    return (bucket_nbit)b->rate_bps * ((uint64_t)now - (uint64_t)b->t_ns);
}

/*
 * Whether an LLC-PDU of `octets` conforms at now (not before the last change), and what the bucket would hold
 * after it, in 10^-9 bit, for bucket_put(). Without branches on what is as good as chance: whether the bucket
 * has run empty. Up to 2 GB 64 bits are enough.
 */
static inline bool bucket_try(const struct bucket *b, uint32_t octets, int64_t now, bucket_nbit *after)
{
    bucket_nbit leak = bucket_leak_nbit(b, now), charge = (bucket_nbit)octets * BUCKET_NBIT_PER_OCTET;
    bool is_empty;

    if (__builtin_expect(b->level_high == 0 && b->max_octets < BUCKET_SMALL_OCTETS, true)) {
        uint64_t level = b->level_low, leak_low = (uint64_t)leak;
        uint64_t max_nbit = b->max_octets * BUCKET_NBIT_PER_OCTET;
        is_empty = (level < leak_low) | ((uint64_t)(leak >> 64) != 0);
        *after = ((level - leak_low) & ((uint64_t)is_empty - 1)) + charge;
        return is_empty | (*after <= max_nbit);
    }
    is_empty = leak > bucket_level_nbit(b);
    *after = (is_empty ? 0 : bucket_level_nbit(b) - leak) + charge;
    return is_empty || *after <= (bucket_nbit)(uint64_t)b->max_octets * BUCKET_NBIT_PER_OCTET;
}

/* The same, if only that is of interest. */
static inline bool bucket_can_take(const struct bucket *b, uint32_t octets, int64_t now)
{
    bucket_nbit after;
    return bucket_try(b, octets, now, &after);
}

/*
 * The first nanosecond at which an LLC-PDU of `octets` conforms if nothing else happens; may lie before now.
 * MOMENT_NEVER when only new parameters can help (R = 0, or an instant beyond all time).
 */
int64_t bucket_earliest_ns(const struct bucket *b, uint32_t octets);

/* bucket_earliest_ns() for an LLC-PDU that does not conform at now; `after` is what bucket_try() said. */
int64_t bucket_later_ns(const struct bucket *b, uint32_t octets, int64_t now, bucket_nbit after);

/* The first nanosecond from now on at which an LLC-PDU of `octets` conforms: now, when it does. */
static inline int64_t bucket_open_ns(const struct bucket *b, uint32_t octets, int64_t now)
{
    bucket_nbit after;
    return bucket_try(b, octets, now, &after) ? now : bucket_later_ns(b, octets, now, after);
}

/* The bucket holds this from now on: as bucket_take() after bucket_try(). */
static inline void bucket_put(struct bucket *b, bucket_nbit after, int64_t now)
{
    b->level_low = (uint64_t)after;
    b->level_high = (uint64_t)(after >> 64);
    b->t_ns = now;
}

/* Charges an LLC-PDU of `octets` that passes at now. The caller has asked bucket_can_take(). */
static inline void bucket_take(struct bucket *b, uint32_t octets, int64_t now)
{
    bucket_nbit after;
    (void)bucket_try(b, octets, now, &after);
    bucket_put(b, after, now);
}

/*
 * New parameters in force from now. What is in the bucket stays, leaked at the old rate up to now; a level
 * above the new Bmax waits for leakage.
 */
void bucket_set(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* The peer says what the level is: Bucket_Full Ratio in percent of Bmax (clause 11.3.46; above 100 is
 * overfull, 255 the most that fits its octet). */
void bucket_set_ratio(struct bucket *b, uint32_t ratio_percent, int64_t now);

/* Octets that left the BSS without being sent (LLC-DISCARDED, FLUSH-LL-ACK): the level falls, not below 0. */
void bucket_discard(struct bucket *b, uint64_t octets, int64_t now);

/* Empties the bucket, parameters stay (BVC-RESET, cell change). */
void bucket_reset(struct bucket *b, int64_t now);

#endif
