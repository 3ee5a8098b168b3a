/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/statistics/spread.h"

#include <math.h>
#include <stdlib.h>

bool bench_spread_new(struct bench_spread *s, size_t cap)
{
    *s = (struct bench_spread){.values = calloc(cap > 0 ? cap : 1, sizeof(double)), .cap = cap};
    return s->values != NULL;
}

void bench_spread_free(struct bench_spread *s)
{
    free(s->values);
    *s = (struct bench_spread){0};
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Interpolates between neighbours. */
static double quantile(const struct bench_spread *s, double share)
{
    double at = share * (double)(s->count - 1), whole = floor(at);
    size_t i = (size_t)whole;
    double next = s->values[i + 1 < s->count ? i + 1 : i];
    return s->values[i] + (at - whole) * (next - s->values[i]);
}

/* The value of a rank, from 0 to the last one. */
static double at_rank(const struct bench_spread *s, double rank)
{
    double last = (double)(s->count - 1);
    return s->values[(size_t)(rank < 0 ? 0 : rank > last ? last : rank)];
}

struct bench_spread_summary bench_spread_summary(struct bench_spread *s)
{
    if (s->count == 0)
        return (struct bench_spread_summary){0};
    qsort(s->values, s->count, sizeof(*s->values), compare);
    double half = (double)s->count / 2, wide = 0.98 * sqrt((double)s->count);
    return (struct bench_spread_summary){
        .median = quantile(s, 0.5),
        .lower_quartile = quantile(s, 0.25),
        .upper_quartile = quantile(s, 0.75),
        .low = at_rank(s, floor(half - wide)),
        .high = at_rank(s, ceil(half + wide)),
    };
}
