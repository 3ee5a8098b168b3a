/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/statistics/verdict.h"

#include <math.h>

#define TAIL 0.025

size_t bench_verdict_rank(size_t n)
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

struct bench_verdict bench_verdict_of(struct bench_spread *ratios, double margin)
{
    struct bench_verdict v = {.ratio = bench_spread_summary(ratios).median};
    size_t rank = bench_verdict_rank(ratios->count);
    if (ratios->count == 0)
        return v;
    rank = rank > 0 ? rank : 1;
    v.low = ratios->values[rank - 1];
    v.high = ratios->values[ratios->count - rank];
    if (ratios->count < BENCH_VERDICT_ROUNDS)
        return v;
    if (v.high < 1 - margin)
        v.word = BENCH_VERDICT_SLOWER;
    if (v.low > 1 + margin)
        v.word = BENCH_VERDICT_FASTER;
    return v;
}

const char *bench_verdict_name(enum bench_verdict_word word)
{
    static const char *const names[] = {"none", "slower", "faster"};
    return names[word];
}
