/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/rng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

enum { DRAWS = 200000 };

/* The published algorithm's own numbers: state 1, 2, 3, 4. */
TEST(follows_the_algorithm)
{
    static const uint64_t expected[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};
    struct rng r = {.state = {1, 2, 3, 4}};
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_true(rng_u64(&r) == expected[i]);
}

TEST(equal_seeds_are_equal)
{
    static const struct {
        uint64_t seed, stream;
    } others[] = {{7, 1}, {8, 0}, {6, 0}, {0, 7}, {UINT64_MAX, UINT64_MAX}};
    struct rng a, b;
    rng_init(&a, 7, 0);
    rng_init(&b, 7, 0);
    for (int i = 0; i < 1000; i++)
        assert_true(rng_u64(&a) == rng_u64(&b));
    for (size_t row = 0; row < COUNT(others); row++) {
        int same = 0;
        rng_init(&b, others[row].seed, others[row].stream);
        for (int i = 0; i < 1000; i++)
            same += rng_u64(&a) == rng_u64(&b);
        assert_int_equal(same, 0);
    }
}

TEST(skips_draws)
{
    struct rng skips, draws;
    rng_init(&skips, 7, 1);
    rng_init(&draws, 7, 1);
    for (uint32_t count = 0; count < 70; count++) {
        rng_skip(&skips, count);
        for (uint32_t i = 0; i < count; i++)
            rng_u64(&draws);
        assert_true(rng_u64(&skips) == rng_u64(&draws));
    }
}

/* Each of n values within 5 standard deviations of its share; nothing outside. */
TEST(below_is_even)
{
    static const uint64_t ns[] = {1, 2, 3, 7, 10};
    struct rng r;
    rng_init(&r, 1, 2);
    for (size_t row = 0; row < COUNT(ns); row++) {
        int64_t n = (int64_t)ns[row], counts[10] = {0};
        for (int i = 0; i < DRAWS; i++) {
            uint64_t drawn = rng_below(&r, ns[row]);
            assert_true(drawn < ns[row]);
            counts[drawn]++;
        }
        for (int64_t i = 0; i < n; i++) {
            int64_t off = counts[i] - DRAWS / n;
            assert_true(off * off <= 25 * (DRAWS / n) + n);
        }
    }
}

TEST(below_has_no_bias_at_the_top)
{
    /* With n = 3 x 2^62 a remainder would give the first third twice as often. */
    struct rng r;
    int low = 0;
    rng_init(&r, 3, 0);
    for (int i = 0; i < DRAWS; i++)
        low += rng_below(&r, UINT64_C(3) << 62) < UINT64_C(1) << 62;
    assert_in_range(low, DRAWS / 3 - 1200, DRAWS / 3 + 1200);
}

TEST(between_reaches_both_ends)
{
    struct rng r;
    bool seen[5] = {false};
    rng_init(&r, 4, 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t drawn = rng_between(&r, 10, 14);
        assert_in_range(drawn, 10, 14);
        seen[drawn - 10] = true;
    }
    for (int i = 0; i < 5; i++)
        assert_true(seen[i]);
    assert_true(rng_between(&r, 5, 5) == 5);
    rng_between(&r, 0, UINT64_MAX);
}

TEST(chance_is_as_often_as_said)
{
    static const struct {
        uint32_t ppm;
        int low, high;
    } rows[] = {{0, 0, 0},
                {1000000, DRAWS, DRAWS},
                {UINT32_MAX, DRAWS, DRAWS},
                {100000, 19300, 20700},
                {1000, 130, 270}};
    struct rng r;
    rng_init(&r, 5, 0);
    for (size_t row = 0; row < COUNT(rows); row++) {
        int hits = 0;
        for (int i = 0; i < DRAWS; i++)
            hits += rng_chance_ppm(&r, rows[row].ppm);
        assert_in_range(hits, rows[row].low, rows[row].high);
    }
}

/* Mean 1, and e^-1, e^-2, e^-3 of the draws beyond 1, 2, 3 means. */
TEST(exponential_has_its_shape)
{
    static const int beyond[] = {DRAWS, 73576, 27067, 9957};
    const int64_t mean_ns = 1000000000;
    int64_t sum_us = 0;
    int counts[4] = {0};
    struct rng r;
    rng_init(&r, 6, 0);
    for (int i = 0; i < DRAWS; i++) {
        int64_t drawn = rng_exponential_ns(&r, mean_ns);
        assert_true(drawn >= 0 && drawn < 45 * mean_ns);
        sum_us += drawn / 1000;
        for (int64_t k = 0; k < 4; k++)
            counts[k] += drawn >= k * mean_ns;
    }
    assert_in_range(sum_us / DRAWS, 990000, 1010000);
    for (int k = 0; k < 4; k++)
        assert_true(abs(counts[k] - beyond[k]) <= 1200);
}

TEST(exponential_at_its_edges)
{
    struct rng r;
    rng_init(&r, 7, 0);
    for (int i = 0; i < 1000; i++) {
        assert_true(rng_exponential_ns(&r, 0) == 0);
        assert_true(rng_exponential_ns(&r, (INT64_C(1) << 57) - 1) >= 0);
    }
}

UNIT_MAIN(NULL, NULL)
