/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/queue/bucket_model.h"

#include "dataplane/base/moment.h"

static __int128 octets_of(uint64_t octets)
{
    return (__int128)octets * BUCKET_MODEL_OCTET;
}

static __int128 predicted(const struct bucket_model *m, uint32_t octets, int64_t now)
{
    return m->b + octets_of(octets) - (__int128)m->rate_bps * ((__int128)now - m->tp_ns);
}

void bucket_model_init(struct bucket_model *m, uint64_t max_octets, uint64_t rate_bps, int64_t now)
{
    *m = (struct bucket_model){.tp_ns = now, .rate_bps = rate_bps, .max_octets = max_octets};
}

__int128 bucket_model_level(const struct bucket_model *m, int64_t now)
{
    __int128 level = predicted(m, 0, now);
    return level < 0 ? 0 : level;
}

bool bucket_model_can_take(const struct bucket_model *m, uint32_t octets, int64_t now)
{
    __int128 b = predicted(m, octets, now);
    if (b < octets_of(octets))
        return true;
    return b <= octets_of(m->max_octets);
}

int64_t bucket_model_earliest_ns(const struct bucket_model *m, uint32_t octets, int64_t now)
{
    int64_t low = now, high = MOMENT_NEVER - 1;
    if (!bucket_model_can_take(m, octets, high))
        return MOMENT_NEVER;
    while (low < high) {
        int64_t middle = (int64_t)(((__int128)low + high) >> 1);
        if (bucket_model_can_take(m, octets, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void bucket_model_take(struct bucket_model *m, uint32_t octets, int64_t now)
{
    __int128 b = predicted(m, octets, now);
    m->b = b < octets_of(octets) ? octets_of(octets) : b;
    m->tp_ns = now;
}

static void leak(struct bucket_model *m, int64_t now)
{
    m->b = bucket_model_level(m, now);
    m->tp_ns = now;
}

void bucket_model_set(struct bucket_model *m, uint64_t max_octets, uint64_t rate_bps, int64_t now)
{
    leak(m, now);
    m->rate_bps = rate_bps;
    m->max_octets = max_octets;
}

void bucket_model_set_ratio(struct bucket_model *m, uint32_t ratio_percent, int64_t now)
{
    m->b = (__int128)m->max_octets * ratio_percent * (BUCKET_MODEL_OCTET / 100);
    m->tp_ns = now;
}

void bucket_model_discard(struct bucket_model *m, uint64_t octets, int64_t now)
{
    leak(m, now);
    m->b -= octets_of(octets);
    if (m->b < 0)
        m->b = 0;
}

void bucket_model_reset(struct bucket_model *m, int64_t now)
{
    m->b = 0;
    m->tp_ns = now;
}
