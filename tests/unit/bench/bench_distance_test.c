/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting round trips into distances. Real samples: tests/system/bench/test_ndr.py. */
#include "tests/unit/unit.h"

#include "bench/throughput/distance.h"

#define UNKNOWN BENCH_DISTANCE_UNKNOWN

/* Adds a distance. */
static void learn(struct bench_distance *d, double trip_ns)
{
    for (unsigned i = 0; i + 1 < BENCH_DISTANCE_SAMPLES; i++)
        assert_int_equal(bench_distance_sort(d, trip_ns), UNKNOWN);
    const unsigned count = d->count;
    assert_int_equal(bench_distance_sort(d, trip_ns), count);
    assert_int_equal(d->count, count + 1);
    assert_true(d->ns[count] == trip_ns);
}

static void expect(struct bench_distance *d, const double *trips_ns, const unsigned *sorted, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(bench_distance_sort(d, trips_ns[i]), sorted[i]);
}

TEST(test_two_distances)
{
    static const double trips_ns[] = {160, 170, 730, 140, 190, 540, 790, 180, 860, 130};
    static const unsigned sorted[] = {0, 0, 1, 0, 0, 1, 1, 0, 1, 0};
    struct bench_distance d = {.lcore = 1};
    learn(&d, 160);
    learn(&d, 730);
    expect(&d, trips_ns, sorted, 10);
    assert_int_equal(d.count, 2);
}

/* A ratio of 1.5 is another distance; a known distance does not change. */
TEST(test_where_one_ends)
{
    static const double trips_ns[] = {100, 149, 149, 149, 67, 151, 149, 66, 149};
    static const unsigned sorted[] = {0, 0, 0, 0, 0, UNKNOWN, 0, UNKNOWN, 0};
    struct bench_distance d = {.lcore = 1};
    learn(&d, 100);
    expect(&d, trips_ns, sorted, 9);
    assert_int_equal(d.count, 1);
    assert_true(d.ns[0] == 100);
}

/* Samples of different round trips, or not in a row, make no distance. */
TEST(test_new_samples)
{
    struct bench_distance d = {.lcore = 1};
    learn(&d, 100);
    for (unsigned i = 0; i < 4 * BENCH_DISTANCE_SAMPLES; i++)
        assert_int_equal(bench_distance_sort(&d, i % 2 ? 400 : 900), UNKNOWN);
    for (unsigned i = 0; i < 4 * BENCH_DISTANCE_SAMPLES; i++)
        assert_int_equal(bench_distance_sort(&d, i % 4 ? 400 : 100), i % 4 ? UNKNOWN : 0);
    assert_int_equal(d.count, 1);
}

/* A distance is the mean of its first samples. */
TEST(test_mean)
{
    struct bench_distance d = {.lcore = 1};
    for (unsigned i = 0; i < BENCH_DISTANCE_SAMPLES; i++)
        bench_distance_sort(&d, i % 2 ? 120 : 100);
    assert_int_equal(d.count, 1);
    assert_true(d.ns[0] > 109.9 && d.ns[0] < 110.1);
}

TEST(test_no_room_for_more)
{
    static const double trips_ns[] = {100, 200, 400, 800, 1600, 30};
    static const unsigned sorted[] = {0, 1, 2, 3, 3, 0};
    struct bench_distance d = {.lcore = 1};
    for (unsigned i = 0; i < BENCH_DISTANCES; i++)
        learn(&d, 100 << i);
    expect(&d, trips_ns, sorted, 6);
    assert_int_equal(d.count, BENCH_DISTANCES);
}

UNIT_MAIN(NULL, NULL)
