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

static int spread_compare(const void *a, const void *b)
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
        return (struct bench_spread_summary){.low = NAN, .high = NAN};
    qsort(s->values, s->count, sizeof(*s->values), spread_compare);
    const bool has_interval = s->count >= BENCH_SPREAD_LEAST;
    double half = (double)s->count / 2, wide = 0.98 * sqrt((double)s->count);
    return (struct bench_spread_summary){
        .median = quantile(s, 0.5),
        .lower_quartile = quantile(s, 0.25),
        .upper_quartile = quantile(s, 0.75),
        .low = has_interval ? at_rank(s, floor(half - wide)) : NAN,
        .high = has_interval ? at_rank(s, ceil(half + wide)) : NAN,
    };
}

/* --- the verdict --- */

/*
 * The verdict on a comparison, from one ratio of the sides' rates for each round.
 *
 * Model: ratios are independent draws from one distribution of any shape. Its median lies between the k-th
 * smallest and the k-th largest of n ratios with a probability of 1 - 2 P(Bin(n, 1/2) < k); k is the largest
 * for which that is at least 95 %. Fewer than BENCH_SPREAD_LEAST have no such k: there is neither interval
 * nor verdict. A difference is reported if the whole interval lies beyond the margin.
 */

#define TAIL 0.025

size_t bench_spread_verdict_rank(size_t n)
{
    double term = pow(0.5, (double)n), below = 0; /* below: P(Bin(n, 1/2) < k + 1) */
    size_t k = 0;
    for (; k < n; k++) {
        below += term;
        if (below > TAIL)
            break;
        term *= (double)(n - k) / (double)(k + 1);
    }
    return k;
}

struct bench_verdict bench_spread_verdict(struct bench_spread *ratios, double margin)
{
    struct bench_verdict v = {.ratio = bench_spread_summary(ratios).median, .low = NAN, .high = NAN};
    const size_t rank = bench_spread_verdict_rank(ratios->count);
    if (rank == 0)
        return v;
    v.low = ratios->values[rank - 1];
    v.high = ratios->values[ratios->count - rank];
    if (v.high < 1 - margin)
        v.word = BENCH_VERDICT_SLOWER;
    if (v.low > 1 + margin)
        v.word = BENCH_VERDICT_FASTER;
    return v;
}

const char *bench_spread_verdict_name(enum bench_verdict_word word)
{
    static const char *const names[] = {"none", "slower", "faster"};
    return names[word];
}

static int compare_ns(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

void bench_spread_sort_ns(int64_t *ns, size_t count)
{
    qsort(ns, count, sizeof(*ns), compare_ns);
}

int64_t bench_spread_percentile(const int64_t *ascending, size_t count, unsigned permille)
{
    if (count == 0)
        return 0;
    size_t rank = (count * permille + 999) / 1000;
    return ascending[rank == 0 ? 0 : rank > count ? count - 1 : rank - 1];
}
