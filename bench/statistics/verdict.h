/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verdict on a comparison, from one ratio of the sides' rates for each round.
 *
 * Model: ratios are independent draws from one distribution of any shape. Its median lies between the k-th
 * smallest and the k-th largest of n ratios with a probability of 1 - 2 P(Bin(n, 1/2) < k); k is the largest
 * for which that is at least 95 %. Fewer than BENCH_VERDICT_ROUNDS have no such k: the interval is then from
 * least to most, and there is no verdict. A difference is reported if the whole interval lies beyond the
 * margin.
 */
#ifndef BENCH_STATISTICS_VERDICT_H
#define BENCH_STATISTICS_VERDICT_H

#include "bench/statistics/spread.h"

#define BENCH_VERDICT_ROUNDS 6 /* (1/2)^6 is the first below 2.5 % */

enum bench_verdict_word { BENCH_VERDICT_NONE, BENCH_VERDICT_SLOWER, BENCH_VERDICT_FASTER };

struct bench_verdict {
    double ratio, low, high; /* median of second side / first side, and its 95 % interval */
    enum bench_verdict_word word;
};

/* margin: a share; a smaller difference is not reported. Sorts the ratios. All 0 without ratios. */
struct bench_verdict bench_verdict_of(struct bench_spread *ratios, double margin);

/* The rank k of the interval, from 1; 0: n is too small. */
size_t bench_verdict_rank(size_t n);

/* Additional time per N-PDU in percent, at `ratio` times the rate. */
static inline double bench_verdict_slower_percent(double ratio)
{
    return ratio > 0 ? (1 / ratio - 1) * 100 : 0;
}

const char *bench_verdict_name(enum bench_verdict_word word);

#endif
