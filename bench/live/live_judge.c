/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/live_judge.h"

#include "bench/statistics/spread.h"

#include <stdlib.h>

#define BEFORE 1 /* windows that a gap voids, besides its own */
#define BEHIND 2

bool live_judge_new(struct live_judge *judge, size_t values)
{
    bool is_there = true;
    for (unsigned i = 0; i < LIVE_JUDGE_KINDS; i++) {
        judge->sets[i].list = calloc(values, sizeof(struct live_sample));
        judge->sets[i].cap = values;
        is_there &= judge->sets[i].list != NULL;
    }
    return is_there;
}

void live_judge_free(struct live_judge *judge)
{
    for (unsigned i = 0; i < LIVE_JUDGE_KINDS; i++)
        free(judge->sets[i].list);
}

static uint32_t window_of(const struct live_judge *judge, int64_t at_ns)
{
    int64_t window = at_ns < judge->begin_ns ? 0 : (at_ns - judge->begin_ns) / LIVE_JUDGE_WINDOW_NS;
    return window < LIVE_JUDGE_WINDOWS ? (uint32_t)window : LIVE_JUDGE_WINDOWS - 1;
}

void live_judge_begin(struct live_judge *judge, int64_t now)
{
    judge->begin_ns = now;
}

void live_judge_end(struct live_judge *judge, int64_t now)
{
    judge->windows = window_of(judge, now) + 1;
}

void live_judge_gap(struct live_judge *judge, int64_t from_ns, int64_t to_ns)
{
    if (to_ns < judge->begin_ns)
        return;
    for (uint32_t i = window_of(judge, from_ns); i <= window_of(judge, to_ns); i++)
        atomic_store_explicit(&judge->gaps[i], 1, memory_order_relaxed);
}

void live_judge_add(struct live_judge *judge, unsigned kind, int64_t from_ns, int64_t to_ns)
{
    struct live_judge_set *set = &judge->sets[kind];
    if (window_of(judge, from_ns) < LIVE_JUDGE_WARM)
        return;
    if (set->count == set->cap) {
        set->left_out++;
        return;
    }
    set->list[set->count++] = (struct live_sample){window_of(judge, from_ns), to_ns - from_ns};
}

static bool is_void(const struct live_judge *judge, uint32_t window)
{
    uint32_t first = window > BEHIND ? window - BEHIND : 0;
    for (uint32_t i = first; i <= window + BEFORE && i < LIVE_JUDGE_WINDOWS; i++)
        if (atomic_load_explicit(&judge->gaps[i], memory_order_relaxed))
            return true;
    return false;
}

uint32_t live_judge_windows(const struct live_judge *judge)
{
    return judge->windows > LIVE_JUDGE_WARM ? judge->windows - LIVE_JUDGE_WARM : 0;
}

uint32_t live_judge_voided(const struct live_judge *judge)
{
    uint32_t count = 0;
    for (uint32_t i = LIVE_JUDGE_WARM; i < judge->windows; i++)
        count += is_void(judge, i);
    return count;
}

static double quantile_us(const int64_t *sorted, size_t count, unsigned per_mille)
{
    return (double)bench_spread_percentile(sorted, count, per_mille) / 1000.0;
}

struct live_judge_result live_judge_result(struct live_judge *judge, unsigned kind, bool is_all)
{
    const struct live_judge_set *set = &judge->sets[kind];
    struct live_judge_result result = {0};
    int64_t *values = malloc((set->count + 1) * sizeof(*values));
    if (!values)
        return result;
    for (size_t i = 0; i < set->count; i++)
        if (is_all || !is_void(judge, set->list[i].window))
            values[result.count++] = set->list[i].ns;
    bench_spread_sort_ns(values, result.count);
    result.p50_us = quantile_us(values, result.count, 500);
    result.p99_us = quantile_us(values, result.count, 990);
    result.p999_us = quantile_us(values, result.count, 999);
    result.max_us = quantile_us(values, result.count, 1000);
    free(values);
    return result;
}
