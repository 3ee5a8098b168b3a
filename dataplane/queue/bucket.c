/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/bucket.h"

#include "dataplane/base/moment.h"

#include <assert.h>

#define NBIT_PER_OCTET UINT64_C(8000000000)

static bucket_nbit from_octets(uint64_t octets)
{
    return (bucket_nbit)octets * NBIT_PER_OCTET;
}

static bucket_nbit leaked(const struct bucket *b, int64_t now)
{
    assert(now >= b->t_ns);
    return (bucket_nbit)b->rate_bps * (uint64_t)(now - b->t_ns);
}

static bucket_nbit level(const struct bucket *b, int64_t now)
{
    bucket_nbit leak = leaked(b, now);
    return b->level_nbit > leak ? b->level_nbit - leak : 0;
}

static void settle(struct bucket *b, int64_t now)
{
    b->level_nbit = level(b, now);
    b->t_ns = now;
}

void bucket_init(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now)
{
    *b = (struct bucket){.t_ns = now, .rate_bps = rate_bps, .max_octets = max_octets};
}

uint64_t bucket_level_octets(const struct bucket *b, int64_t now)
{
    return (uint64_t)((level(b, now) + NBIT_PER_OCTET - 1) / NBIT_PER_OCTET);
}

bool bucket_can_take(const struct bucket *b, uint32_t octets, int64_t now)
{
    bucket_nbit leak = leaked(b, now);
    if (leak > b->level_nbit)
        return true;
    return b->level_nbit - leak + from_octets(octets) <= from_octets(b->max_octets);
}

int64_t bucket_earliest_ns(const struct bucket *b, uint32_t octets)
{
    bucket_nbit wait_ns;
    if (octets <= b->max_octets) {
        bucket_nbit room = from_octets(b->max_octets - octets);
        if (b->level_nbit <= room)
            return b->t_ns;
        if (b->rate_bps == 0)
            return MOMENT_NEVER;
        wait_ns = (b->level_nbit - room + b->rate_bps - 1) / b->rate_bps;
    } else {
        if (b->rate_bps == 0)
            return MOMENT_NEVER;
        wait_ns = b->level_nbit / b->rate_bps + 1; /* just after it has drained: B* < L is strict */
    }
    return wait_ns > (bucket_nbit)MOMENT_NEVER ? MOMENT_NEVER : moment_add(b->t_ns, (int64_t)wait_ns);
}

void bucket_take(struct bucket *b, uint32_t octets, int64_t now)
{
    settle(b, now);
    b->level_nbit += from_octets(octets);
}

void bucket_set(struct bucket *b, uint64_t max_octets, uint64_t rate_bps, int64_t now)
{
    settle(b, now);
    b->max_octets = max_octets;
    b->rate_bps = rate_bps;
}

void bucket_set_ratio(struct bucket *b, uint32_t ratio_percent, int64_t now)
{
    b->level_nbit = from_octets(b->max_octets) * ratio_percent / 100;
    b->t_ns = now;
}

void bucket_discard(struct bucket *b, uint64_t octets, int64_t now)
{
    settle(b, now);
    bucket_nbit gone = from_octets(octets);
    b->level_nbit = b->level_nbit > gone ? b->level_nbit - gone : 0;
}

void bucket_reset(struct bucket *b, int64_t now)
{
    b->level_nbit = 0;
    b->t_ns = now;
}
