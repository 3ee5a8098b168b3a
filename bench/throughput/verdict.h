/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ratios of two sides' rates, one for each round, say.
 *
 * Model: rounds are independent draws from one distribution, of which nothing is assumed. Its median lies
 * between the k-th smallest and the k-th largest of n ratios with a probability of 1 - 2 P(Bin(n, 1/2) < k);
 * k is the largest that makes it at least 95 %. Fewer than BENCH_VERDICT_ROUNDS leave no such k: the interval
 * then is all there is. A difference is shown when the whole interval lies beyond the margin.
 */
#ifndef BENCH_THROUGHPUT_VERDICT_H
#define BENCH_THROUGHPUT_VERDICT_H

#include "bench/throughput/spread.h"

#define BENCH_VERDICT_ROUNDS 6 /* (1/2)^6 is the first below 2.5 % */

enum bench_verdict_word { BENCH_VERDICT_NONE, BENCH_VERDICT_SLOWER, BENCH_VERDICT_FASTER };

struct bench_verdict {
    double ratio, low, high; /* median of second side / first side, and its 95 % interval */
    enum bench_verdict_word word;
};

/* margin: a share; differences up to it are of no interest. Sorts the ratios. All 0 without any. */
struct bench_verdict bench_verdict_of(struct bench_spread *ratios, double margin);

/* Which smallest and largest of n bound the median, from 1; 0: n is too small. */
size_t bench_verdict_rank(size_t n);

/* By how many percent more time an N-PDU takes where the rate is `ratio` of what it was. */
static inline double bench_verdict_slower_percent(double ratio)
{
    return ratio > 0 ? (1 / ratio - 1) * 100 : 0;
}

const char *bench_verdict_name(enum bench_verdict_word word);

#endif
