/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of measured values: its median and how sure that is. */
#ifndef BENCH_THROUGHPUT_SPREAD_H
#define BENCH_THROUGHPUT_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

struct bench_spread {
    double *values;
    size_t count, cap;
};

/* False without memory. */
bool bench_spread_new(struct bench_spread *s, size_t cap);
void bench_spread_free(struct bench_spread *s);

/* One value more; there is room. */
static inline void bench_spread_add(struct bench_spread *s, double value)
{
    s->values[s->count++] = value;
}

/*
 * Quartiles, and the order statistics between which the median of the population lies with 95 %, whatever
 * the distribution (binomial, normal approximation: ranks n/2 +- 0.98 sqrt n). All 0 for an empty set. Sorts
 * it.
 */
struct bench_spread_summary {
    double median, lower_quartile, upper_quartile, low, high;
};
struct bench_spread_summary bench_spread_summary(struct bench_spread *s);

#endif
