/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of N workers, with figures computed by hand. */
#include "tests/unit/unit.h"

#include "bench/throughput/scaling.h"

#include <math.h>

static const struct bench_scaling_parts parts = {
    .alone_ns = 100, .sender_ns = 40, .receiver_ns = 80, .line_ns = 5, .chase_ns = 50};

static struct bench_scaling predict(enum bench_deal deal, unsigned workers, double steered)
{
    return bench_scaling_predict(&parts, &(struct bench_scaling_counts){steered, 4, 1}, deal, workers);
}

static void expect(struct bench_scaling s, double rate, double low, double high, double efficiency)
{
    assert_true(fabs(s.npdu_per_s - rate) < 1);
    assert_true(fabs(s.low - low) < 1);
    assert_true(fabs(s.high - high) < 1);
    assert_true(fabs(s.efficiency - efficiency) < 1e-6);
}

/* 100 ns each, whatever a line costs. */
TEST(test_none_steered)
{
    for (unsigned workers = 1; workers <= 16; workers *= 2)
        expect(predict(BENCH_DEAL_TEID, workers, 0), workers * 1e7, workers * 1e7, workers * 1e7, 1);
}

/* 50 + 0.5 (45 + 100) = 122.5 ns; 50 + 0.5 (90 + 280) = 235; 50 + 0.5 (40 + 80) = 110. */
TEST(test_two_in_turn)
{
    expect(predict(BENCH_DEAL_TURN, 2, 0.5), 2e9 / 122.5, 2e9 / 235, 2e9 / 110, 100 / 122.5);
}

/* 6.25 + 0.9375 (45 + 100) = 142.1875 ns; with 90 + 280: 353.125; with 40 + 80: 118.75. */
TEST(test_sixteen_in_turn)
{
    expect(predict(BENCH_DEAL_TURN, 16, 0.9375), 16e9 / 142.1875, 16e9 / 353.125, 16e9 / 118.75,
           100 / 142.1875);
}

/* The first one takes 25 + 0.75 * 45 = 58.75 ns, 25 + 0.75 * 90 = 92.5, 25 + 0.75 * 40 = 55; each other one
 * 0.75 * 100 / 3 = 25, 0.75 * 280 / 3 = 70, 20. */
TEST(test_four_by_address)
{
    expect(predict(BENCH_DEAL_ADDRESS, 4, 0.75), 1e9 / 58.75, 1e9 / 92.5, 1e9 / 55, 100 / 58.75 / 4);
}

/* Two: the first one takes 50 + 22.5 = 72.5 ns, the other one 50; with chased lines 95 and 140. */
TEST(test_the_other_one_is_slower)
{
    expect(predict(BENCH_DEAL_ADDRESS, 2, 0.5), 1e9 / 72.5, 1e9 / 140, 1e9 / 70, 100 / 72.5 / 2);
}

TEST(test_one_worker_has_no_others)
{
    expect(predict(BENCH_DEAL_ADDRESS, 1, 0), 1e7, 1e7, 1e7, 1);
    expect(predict(BENCH_DEAL_TURN, 1, 0), 1e7, 1e7, 1e7, 1);
}

/* A chase that seems to cost less is no bound: 50 + 0.5 (45 + 100) = 122.5 ns. */
TEST(test_bounds_have_the_prediction)
{
    const struct bench_scaling_parts odd = {
        .alone_ns = 100, .sender_ns = 40, .receiver_ns = 80, .line_ns = 5, .chase_ns = 2};
    const struct bench_scaling_counts counts = {0.5, 4, 1};
    expect(bench_scaling_predict(&odd, &counts, BENCH_DEAL_TURN, 2), 2e9 / 122.5, 2e9 / 122.5, 2e9 / 110,
           100 / 122.5);
}

UNIT_MAIN(NULL, NULL)
