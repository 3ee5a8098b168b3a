/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The leaky bucket of BSSGP flow control, TS 48.018 clause 8.2.3.2.2, in exact integer arithmetic.
 *
 * Model: the bucket holds the octets believed to lie in the BSS. It leaks at R. An LLC-PDU of L octets
 * conforms when one of these holds for B* = B + L - R (now - t):
 *   B* < L      the bucket has run empty; the LLC-PDU may be longer than Bmax
 *   B* <= Bmax
 * Levels are in units of 10^-9 bit, so that R (bit/s) times nanoseconds is an integer: nothing is rounded.
 *
 * Invariant: level(now) = max(0, bucket_level_nbit() - rate_bps * (now - t_ns)).
 *
 * A bucket is half a cache line, and the functions called for each LLC-PDU are inline. 88 bits of level do
 * not overflow: 255 % of the largest Bmax is less than 2^67, an LLC-PDU adds less than 2^65 and conforms
 * only below Bmax or in an empty bucket. Charges without a conformance test overflow it after nine million of
 * 2^32 - 1 octets without any leak.
 *
 * Not here: parking (sched.c), and the source of Bmax and R (control).
 */
#ifndef DATAPLANE_QUEUE_BUCKET_H
#define DATAPLANE_QUEUE_BUCKET_H

#include "dataplane/base/moment.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 bucket_nbit;

#define BUCKET_MAX_OCTETS_BITS 40
#define BUCKET_LEVEL_HIGH_BITS 24

/* A bit field is computed in its own width: convert max_octets to a wider type before multiplying it. */
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
#define BUCKET_SMALL_OCTETS   (UINT64_C(1) << 31) /* times BUCKET_NBIT_PER_OCTET it is less than 2^64 */
#define BUCKET_WORD_OCTETS    (UINT64_C(1) << 30) /* the same, less than 2^63 */

/* Initialises an empty bucket; max_octets and rate_bps are at most the limits above. */
void bucket_init(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* Level after the last change, in 10^-9 bit. */
static inline bucket_nbit bucket_level_nbit(const struct bucket *b)
{
    return (bucket_nbit)b->level_high << 64 | b->level_low;
}

/* Octets in the bucket at now, rounded up. */
uint64_t bucket_level_octets(const struct bucket *b, int64_t now);

/* R (now - t), which may be more than the level. */
static inline bucket_nbit bucket_leak_nbit(const struct bucket *b, int64_t now)
{
    assert(now >= b->t_ns);
    return (bucket_nbit)b->rate_bps * ((uint64_t)now - (uint64_t)b->t_ns);
}

/*
 * Whether an LLC-PDU of `octets` conforms at now, which is not before the last change. *after is the level
 * with it, in 10^-9 bit, for bucket_put(). Has no branch on whether the bucket has run empty, which is
 * unpredictable. Computes in 64 bits while Bmax and level allow it.
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

/*
 * bucket_try() in words of 64 bits, for `octets` up to BUCKET_WORD_OCTETS. False also where the level needs
 * more bits: then bucket_try() has the answer. True: bucket_put_word(), before any other change, charges.
 */
static inline bool bucket_try_word(const struct bucket *b, uint32_t octets, int64_t now, uint64_t *after)
{
    bucket_nbit leak = bucket_leak_nbit(b, now);
    uint64_t level = b->level_low, leak_low = (uint64_t)leak, max_octets = b->max_octets;
    if (__builtin_expect((int64_t)level < 0 || b->level_high > 0, false))
        return false;
    *after = octets * BUCKET_NBIT_PER_OCTET;
    if ((level < leak_low) | ((uint64_t)(leak >> 64) != 0)) /* it is empty, as most are at light load */
        return true;
    *after += level - leak_low;
    return (max_octets > UINT64_MAX / BUCKET_NBIT_PER_OCTET) | (*after <= max_octets * BUCKET_NBIT_PER_OCTET);
}

/* Bmax, in octets, with the high bits of the level above it: less than BUCKET_SMALL_OCTETS where Bmax is and
 * these bits are 0, so that one comparison tests both. */
static inline uint64_t bucket_max_word(const struct bucket *b)
{
    uint64_t word;
    memcpy(&word, (const char *)b + sizeof *b - sizeof word, sizeof word);
    return word;
}

/*
 * bucket_try_word() without a branch on whether the bucket has run empty: for buckets that are busy. False
 * also where Bmax, level or `octets` need more bits.
 */
static inline __attribute__((always_inline)) bool bucket_try_busy(const struct bucket *b, uint32_t octets,
                                                                  int64_t now, uint64_t *after)
{
    uint64_t level = b->level_low, max_octets = bucket_max_word(b), leak;
    bool runs_over = __builtin_mul_overflow(b->rate_bps, (uint64_t)now - (uint64_t)b->t_ns, &leak);
    if (__builtin_expect(
            (int64_t)level < 0 || max_octets >= BUCKET_SMALL_OCTETS || octets > BUCKET_WORD_OCTETS, false))
        return false;
    uint64_t empty = -(uint64_t)(runs_over | (level < leak)); /* a mask */
    *after = ((level - leak) & ~empty) + octets * BUCKET_NBIT_PER_OCTET;
    return *after <= (max_octets * BUCKET_NBIT_PER_OCTET | empty);
}

static inline void bucket_put_word(struct bucket *b, uint64_t after, int64_t now)
{
    b->level_low = after;
    b->t_ns = now;
}

/* As bucket_try(), without the level. */
static inline bool bucket_can_take(const struct bucket *b, uint32_t octets, int64_t now)
{
    bucket_nbit after;
    return bucket_try(b, octets, now, &after);
}

/*
 * The first nanosecond at which an LLC-PDU of `octets` conforms if nothing else changes; may be before now.
 * MOMENT_NEVER when only new parameters can help (R = 0, or beyond the range of instants).
 */
int64_t bucket_earliest_ns(const struct bucket *b, uint32_t octets);

/* bucket_earliest_ns() for an LLC-PDU that does not conform at now; `after` is from bucket_try(). */
int64_t bucket_later_ns(const struct bucket *b, uint32_t octets, int64_t now, bucket_nbit after);

/* The first nanosecond from now on at which an LLC-PDU of `octets` conforms: now, when it does. */
static inline int64_t bucket_open_ns(const struct bucket *b, uint32_t octets, int64_t now)
{
    bucket_nbit after;
    return bucket_try(b, octets, now, &after) ? now : bucket_later_ns(b, octets, now, after);
}

/* bucket_open_ns() of a bucket that was changed at now, which it has not leaked since. */
static inline int64_t bucket_reopen_ns(const struct bucket *b, uint32_t octets, int64_t now)
{
    uint64_t max_octets = b->max_octets;
    assert(now == b->t_ns);
    if (__builtin_expect((int64_t)b->level_low < 0 || b->level_high > 0 ||
                             max_octets >= BUCKET_SMALL_OCTETS || octets > BUCKET_WORD_OCTETS,
                         false))
        return bucket_open_ns(b, octets, now);
    uint64_t after = b->level_low + octets * BUCKET_NBIT_PER_OCTET;
    return after <= max_octets * BUCKET_NBIT_PER_OCTET ? now : bucket_later_ns(b, octets, now, after);
}

/* bucket_reopen_ns() in words of 64 bits, where these suffice. */
static inline int64_t bucket_again_ns(const struct bucket *b, uint32_t octets, int64_t now)
{
    uint64_t max_octets = bucket_max_word(b), rate_bps = b->rate_bps;
    if (__builtin_expect((int64_t)b->level_low < 0 || max_octets >= BUCKET_WORD_OCTETS ||
                             octets > max_octets || rate_bps == 0,
                         false))
        return bucket_reopen_ns(b, octets, now);
    int64_t over = (int64_t)(b->level_low - (max_octets - octets) * BUCKET_NBIT_PER_OCTET);
    return over <= 0 ? now : moment_add(now, (int64_t)(((uint64_t)over + rate_bps - 1) / rate_bps));
}

/*
 * Sets the level to `after` of bucket_try() at now; bucket_try() and bucket_put() equal bucket_take(). The
 * high bits are written only when they change: they share a word with Bmax, and a read of a word of which a
 * part was just written waits for the cache.
 */
static inline void bucket_put(struct bucket *b, bucket_nbit after, int64_t now)
{
    uint64_t high = (uint64_t)(after >> 64);
    b->level_low = (uint64_t)after;
    if (__builtin_expect(b->level_high != high, false))
        b->level_high = high & ((UINT64_C(1) << BUCKET_LEVEL_HIGH_BITS) - 1);
    b->t_ns = now;
}

/* Charges an LLC-PDU of `octets` that leaves at now. Requires bucket_can_take(). */
static inline void bucket_take(struct bucket *b, uint32_t octets, int64_t now)
{
    bucket_nbit after;
    (void)bucket_try(b, octets, now, &after);
    bucket_put(b, after, now);
}

/*
 * New parameters from now on. The level stays, after leaking at the old rate up to now; a level above the
 * new Bmax must leak first.
 */
void bucket_set(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* Sets the level to the announced Bucket_Full Ratio, in percent of Bmax (clause 11.3.46; above 100:
 * overfull, at most 255). */
void bucket_set_ratio(struct bucket *b, uint32_t ratio_percent, int64_t now);

/* Lowers the level by octets that the BSS discarded (LLC-DISCARDED, FLUSH-LL-ACK), to 0 at least. */
void bucket_discard(struct bucket *b, uint64_t octets, int64_t now);

/* Empties the bucket and keeps its parameters (BVC-RESET, cell change). */
void bucket_reset(struct bucket *b, int64_t now);

#endif
