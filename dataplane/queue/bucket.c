/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/bucket.h"

#include "dataplane/base/moment.h"

static bucket_nbit from_octets(uint64_t octets)
{
    return (bucket_nbit)octets * BUCKET_NBIT_PER_OCTET;
}

static bucket_nbit level(const struct bucket *b, int64_t now)
{
    bucket_nbit leak = bucket_leak_nbit(b, now), before = bucket_level_nbit(b);
    return before > leak ? before - leak : 0;
}

static void bucket_hold(struct bucket *b, bucket_nbit level_nbit, int64_t now)
{
    assert(level_nbit >> 64 < UINT64_C(1) << BUCKET_LEVEL_HIGH_BITS);
    b->level_low = (uint64_t)level_nbit;
    b->level_high = (uint64_t)(level_nbit >> 64);
    b->t_ns = now;
}

void bucket_init(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now)
{
    assert(max_octets >> BUCKET_MAX_OCTETS_BITS == 0);
    *b = (struct bucket){.t_ns = now, .rate_bps = rate_bps, .max_octets = max_octets};
}

uint64_t bucket_level_octets(const struct bucket *b, int64_t now)
{
    return (uint64_t)((level(b, now) + BUCKET_NBIT_PER_OCTET - 1) / BUCKET_NBIT_PER_OCTET);
}

/* Most dividends fit into 64 bits, which are divided much faster. */
static bucket_nbit divide(bucket_nbit a, uint64_t b)
{
    return a >> 64 ? a / b : (uint64_t)a / b;
}

int64_t bucket_later_ns(const struct bucket *b, uint32_t octets, int64_t now, bucket_nbit after)
{
    bucket_nbit wait_ns;
    if (b->rate_bps == 0)
        return MOMENT_NEVER;
    if (octets <= b->max_octets)
        wait_ns = divide(after - from_octets(b->max_octets) + b->rate_bps - 1, b->rate_bps);
    else
        wait_ns = divide(after - from_octets(octets), b->rate_bps) +
                  1; /* 1 ns after it has run empty: B* < L is strict */
    return wait_ns > (bucket_nbit)MOMENT_NEVER ? MOMENT_NEVER : moment_add(now, (int64_t)wait_ns);
}

int64_t bucket_earliest_ns(const struct bucket *b, uint32_t octets)
{
    bucket_nbit after = bucket_level_nbit(b) + from_octets(octets);
    if (after <= from_octets(b->max_octets))
        return b->t_ns;
    return bucket_later_ns(b, octets, b->t_ns, after);
}

void bucket_set(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now)
{
    assert(max_octets >> BUCKET_MAX_OCTETS_BITS == 0);
    bucket_hold(b, level(b, now), now);
    b->max_octets = max_octets;
    b->rate_bps = rate_bps;
}

void bucket_set_ratio(struct bucket *b, uint32_t ratio_percent, int64_t now)
{
    bucket_hold(b, from_octets(b->max_octets) * ratio_percent / 100, now);
}

void bucket_discard(struct bucket *b, uint64_t octets, int64_t now)
{
    bucket_nbit before = level(b, now), gone = from_octets(octets);
    bucket_hold(b, before > gone ? before - gone : 0, now);
}

void bucket_reset(struct bucket *b, int64_t now)
{
    bucket_hold(b, 0, now);
}
