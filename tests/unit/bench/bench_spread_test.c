/* SPDX-License-Identifier: BSD-3-Clause */
/* Percentiles, rates of slices, and verdicts, from values whose answer is known. */
#include "tests/unit/unit.h"

#include "bench/statistics/spread.h"
#include "bench/throughput/comparison.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* --- percentiles --- */

TEST(test_percentiles_are_values)
{
    static int64_t values[1000];
    for (int64_t i = 0; i < 1000; i++)
        values[i] = 10 * (i + 1);
    static const struct {
        unsigned permille;
        int64_t expect;
    } rows[] = {{0, 10}, {1, 10}, {2, 20}, {500, 5000}, {900, 9000}, {990, 9900}, {999, 9990}, {1000, 10000}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(bench_spread_percentile(values, COUNT(values), rows[i].permille), rows[i].expect);
}

TEST(test_percentiles_of_few_values)
{
    static const int64_t values[] = {3, 7};
    assert_int_equal(bench_spread_percentile(values, 0, 500), 0);
    assert_int_equal(bench_spread_percentile(values, 1, 999), 3);
    assert_int_equal(bench_spread_percentile(values, 2, 500), 3);
    assert_int_equal(bench_spread_percentile(values, 2, 501), 7);
    assert_int_equal(bench_spread_percentile(values, 2, 999), 7);
}

/* --- intervals --- */

/* The values 1 to n, the greatest first. */
TEST(test_few_values_have_no_interval)
{
    static const struct {
        size_t n;
        bool has_interval;
        double median, low, high;
    } rows[] = {{0, false, 0, 0, 0},  {1, false, 1, 0, 0}, {2, false, 1.5, 0, 0},    {5, false, 3, 0, 0},
                {6, true, 3.5, 1, 6}, {7, true, 4, 1, 7},  {100, true, 50.5, 41, 61}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double values[100];
        struct bench_spread s = {.values = values, .count = rows[i].n, .cap = COUNT(values)};
        for (size_t k = 0; k < rows[i].n; k++)
            values[k] = (double)(rows[i].n - k);
        const struct bench_spread_summary summary = bench_spread_summary(&s);
        assert_true(summary.median == rows[i].median);
        assert_int_equal(isnan(summary.low) != 0, !rows[i].has_interval);
        assert_int_equal(isnan(summary.high) != 0, !rows[i].has_interval);
        assert_true(!rows[i].has_interval || (summary.low == rows[i].low && summary.high == rows[i].high));
    }
}

/* --- rates and verdicts --- */

static bool verdict_is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-6 * expected;
}

/* Ranks as tables of the sign test have them. */
TEST(test_ranks)
{
    static const struct {
        size_t n, rank;
    } rows[] = {{0, 0},  {1, 0},  {5, 0},  {6, 1},  {8, 1},   {9, 2},   {11, 2},
                {12, 3}, {15, 4}, {20, 6}, {25, 8}, {50, 18}, {100, 40}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(bench_spread_verdict_rank(rows[i].n), rows[i].rank);
}

/* The interval holds the true median of skewed draws in 95 % of cases, or a little more. */
TEST(test_coverage)
{
    enum { VERDICT_CASES = 4000, ROUNDS = 12 };
    double values[ROUNDS];
    unsigned held = 0;
    srand48(7);
    for (unsigned i = 0; i < VERDICT_CASES; i++) {
        struct bench_spread s = {.values = values, .count = ROUNDS, .cap = ROUNDS};
        for (unsigned k = 0; k < ROUNDS; k++)
            values[k] = -log(1 - drand48());
        struct bench_verdict v = bench_spread_verdict(&s, 0);
        held += v.low <= M_LN2 && M_LN2 <= v.high;
    }
    assert_in_range(held, VERDICT_CASES * 95 / 100, VERDICT_CASES * 98 / 100);
}

TEST(test_verdicts)
{
    static const struct {
        size_t n;
        double center, step, margin; /* ratios: center, with steps to both sides */
        enum bench_verdict_word word;
    } rows[] = {
        {12, 0.95, 0.001, 0.01, BENCH_VERDICT_SLOWER}, {12, 1.05, 0.001, 0.01, BENCH_VERDICT_FASTER},
        {12, 1, 0.001, 0.01, BENCH_VERDICT_NONE},      {12, 0.98, 0.005, 0.01, BENCH_VERDICT_NONE},
        {12, 0.995, 0.0001, 0.01, BENCH_VERDICT_NONE}, {12, 0.995, 0.0001, 0, BENCH_VERDICT_SLOWER},
        {12, 0.95, 0.02, 0.01, BENCH_VERDICT_NONE},    {5, 0.5, 0.001, 0.01, BENCH_VERDICT_NONE},
        {6, 0.5, 0.001, 0.01, BENCH_VERDICT_SLOWER},   {0, 0.5, 0, 0.01, BENCH_VERDICT_NONE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double values[12];
        struct bench_spread s = {.values = values, .count = rows[i].n, .cap = 12};
        for (size_t k = 0; k < rows[i].n; k++)
            values[k] = rows[i].center + rows[i].step * ((double)k - (double)(rows[i].n - 1) / 2);
        struct bench_verdict v = bench_spread_verdict(&s, rows[i].margin);
        assert_int_equal(v.word, rows[i].word);
        assert_true(rows[i].n == 0 || verdict_is_near(v.ratio, rows[i].center));
        assert_int_equal(isnan(v.low) && isnan(v.high), rows[i].n < BENCH_SPREAD_LEAST);
        assert_true(rows[i].n < BENCH_SPREAD_LEAST || (v.low <= v.ratio && v.ratio <= v.high));
    }
}

TEST(test_percent_is_of_time)
{
    assert_true(verdict_is_near(bench_verdict_slower_percent(1 / 1.05), 5));
    assert_true(bench_verdict_slower_percent(1) == 0);
    assert_true(bench_verdict_slower_percent(0) == 0);
}

/* 100 and 200 ns: 10 and 5 million a second. */
TEST(test_rate_is_a_sum)
{
    double ns[] = {100, 100, 100, 100, 200, 200, 200, 200};
    assert_true(verdict_is_near(bench_comparison_rate(ns, 2, 4), 15e6));
}

TEST(test_gap_of_one_counts_for_all)
{
    double ns[] = {100, 50, 0, 100, 200, 0, 400, 200};
    assert_true(verdict_is_near(bench_comparison_rate(ns, 2, 4), 15e6));
    double none[] = {0, 100, 100, 0};
    assert_true(bench_comparison_rate(none, 2, 2) == 0);
    double one_of_five[] = {0, 0, 0, 0, 100};
    assert_true(bench_comparison_rate(one_of_five, 1, 5) == 0);
    double one_of_four[] = {0, 0, 0, 100};
    assert_true(verdict_is_near(bench_comparison_rate(one_of_four, 1, 4), 1e7));
}

UNIT_MAIN(NULL, NULL)
