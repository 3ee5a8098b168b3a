/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_spread.h"

#include <math.h>

#define STEPS_LOG2 8
#define MOST       (INT64_C(1) << 53)

static unsigned class_of(int64_t value)
{
    if (value < GI_SPREAD_STEPS)
        return (unsigned)value;
    unsigned shift = 63 - (unsigned)__builtin_clzll((unsigned long long)value) - STEPS_LOG2;
    return (shift + 1) * GI_SPREAD_STEPS + (unsigned)(value >> shift) - GI_SPREAD_STEPS;
}

int64_t gi_spread_value(unsigned class)
{
    if (class < 2 * GI_SPREAD_STEPS)
        return class;
    unsigned shift = class / GI_SPREAD_STEPS - 1;
    int64_t low = (int64_t)(class % GI_SPREAD_STEPS + GI_SPREAD_STEPS) << shift;
    return low + (INT64_C(1) << (shift - 1));
}

void gi_spread_add(struct gi_spread *s, int64_t value)
{
    value = value < 0 ? 0 : value > MOST ? MOST : value;
    s->least = s->count == 0 || value < s->least ? value : s->least;
    s->most = value > s->most ? value : s->most;
    s->count++;
    s->sum += (double)value;
    s->classes[class_of(value)]++;
}

int64_t gi_spread_quantile(const struct gi_spread *s, double share)
{
    uint64_t rank = (uint64_t)ceil(share * (double)s->count), seen = 0;
    for (unsigned i = 0; i < GI_SPREAD_CLASSES; i++) {
        seen += s->classes[i];
        if (seen == 0 || seen < rank)
            continue;
        int64_t value = gi_spread_value(i);
        return value < s->least ? s->least : value > s->most ? s->most : value;
    }
    return 0;
}

double gi_spread_mean(const struct gi_spread *s)
{
    return s->count ? s->sum / (double)s->count : 0;
}

void gi_spread_moments_add(struct gi_spread_moments *m, double value)
{
    double from = value - m->mean;
    m->count++;
    m->mean += from / (double)m->count;
    m->squares += from * (value - m->mean);
}

double gi_spread_moments_deviation(const struct gi_spread_moments *m)
{
    return m->count < 2 ? 0 : sqrt(m->squares / (double)(m->count - 1));
}
