/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of measured values: median, quartiles, confidence interval. */
#ifndef BENCH_STATISTICS_SPREAD_H
#define BENCH_STATISTICS_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

struct bench_spread {
    double *values;
    size_t count, cap;
};

/* Room for cap values. False: out of memory. */
bool bench_spread_new(struct bench_spread *s, size_t cap);
void bench_spread_free(struct bench_spread *s);

/* Adds a value; there must be room. */
static inline void bench_spread_add(struct bench_spread *s, double value)
{
    s->values[s->count++] = value;
}

/*
 * Median, quartiles, and low..high, the 95 % interval of the population's median for any distribution: order
 * statistics of ranks n/2 +- 0.98 sqrt n (normal approximation of the binomial). All 0 for an empty set.
 * Sorts the values.
 */
struct bench_spread_summary {
    double median, lower_quartile, upper_quartile, low, high;
};
struct bench_spread_summary bench_spread_summary(struct bench_spread *s);

#endif
