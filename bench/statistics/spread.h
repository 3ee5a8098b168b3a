/* SPDX-License-Identifier: BSD-3-Clause */
/* The spread of a set of measured values: median, quartiles, confidence interval, and the verdict on a
 * comparison. */
#ifndef BENCH_STATISTICS_SPREAD_H
#define BENCH_STATISTICS_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * statistics of ranks n/2 +- 0.98 sqrt n (normal approximation of the binomial). Fewer than
 * BENCH_SPREAD_LEAST values have no such interval: low and high are NAN. Median and quartiles of an empty set
 * are 0. Sorts the values.
 */
#define BENCH_SPREAD_LEAST                                                                                   \
    6U /* least to most: the median is outside with 2 (1/2)^n, at 6 the first below 5 % */

struct bench_spread_summary {
    double median, lower_quartile, upper_quartile, low, high;
};
struct bench_spread_summary bench_spread_summary(struct bench_spread *s);

enum bench_verdict_word { BENCH_VERDICT_NONE, BENCH_VERDICT_SLOWER, BENCH_VERDICT_FASTER };

struct bench_verdict {
    double ratio, low, high; /* median of second side / first side, and its 95 % interval, NAN: none */
    enum bench_verdict_word word;
};

/* margin: a share; a smaller difference is not reported. Sorts the ratios. Ratio 0 without ratios; neither
 * interval nor difference with fewer than BENCH_SPREAD_LEAST. */
struct bench_verdict bench_spread_verdict(struct bench_spread *ratios, double margin);

/* The rank k of the interval, from 1; 0: n is too small. */
size_t bench_spread_verdict_rank(size_t n);

/* Additional time per N-PDU in percent, at `ratio` times the rate. */
static inline double bench_verdict_slower_percent(double ratio)
{
    return ratio > 0 ? (1 / ratio - 1) * 100 : 0;
}

const char *bench_spread_verdict_name(enum bench_verdict_word word);

/* Sorts times for bench_spread_percentile(). */
void bench_spread_sort_ns(int64_t *ns, size_t count);

/* The smallest of `count` ascending values that is not below `permille` / 1000 of them (nearest rank). 0 of
 * no values. */
int64_t bench_spread_percentile(const int64_t *ascending, size_t count, unsigned permille);

#endif
