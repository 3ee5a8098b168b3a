/* SPDX-License-Identifier: BSD-3-Clause */
/* Percentiles, the longest burst without loss, and the recovery after overload, of simulated devices. */
#include "tests/unit/unit.h"

#include "bench/statistics/rfc2544.h"
#include "bench/statistics/search.h"

#include <math.h>
#include <stdint.h>

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
        assert_int_equal(bench_percentile(values, COUNT(values), rows[i].permille), rows[i].expect);
}

TEST(test_percentiles_of_few_values)
{
    static const int64_t values[] = {3, 7};
    assert_int_equal(bench_percentile(values, 0, 500), 0);
    assert_int_equal(bench_percentile(values, 1, 999), 3);
    assert_int_equal(bench_percentile(values, 2, 500), 3);
    assert_int_equal(bench_percentile(values, 2, 501), 7);
    assert_int_equal(bench_percentile(values, 2, 999), 7);
}

/* --- bursts --- */

/* The result for a device that takes bursts of up to `room`; *trials counts. */
static struct bench_burst_search search_burst(uint64_t room, uint64_t limit, unsigned *trials)
{
    struct bench_burst_search s = {.limit = limit};
    *trials = 0;
    for (uint64_t length; (length = bench_burst_search_next(&s)) > 0; ++*trials) {
        assert_true(length <= limit);
        assert_true(*trials < 100);
        bench_burst_search_add(&s, length, length <= room);
    }
    return s;
}

TEST(test_finds_the_longest_burst)
{
    static const uint64_t rooms[] = {1, 2, 31, 32, 33, 63, 64, 100, 1000, 1024, 5000, 123456, 99999999};
    unsigned trials;
    for (size_t i = 0; i < COUNT(rooms); i++) {
        struct bench_burst_search s = search_burst(rooms[i], 1000000000, &trials);
        assert_true(s.passed <= rooms[i]);
        assert_true(rooms[i] < s.lost);
        assert_true(s.lost - s.passed <= 1 + s.passed / 64);
        assert_true(trials < 40);
    }
}

TEST(test_burst_ends_at_its_limit)
{
    unsigned trials;
    struct bench_burst_search s = search_burst(UINT64_MAX, 5000, &trials);
    assert_int_equal(s.passed, 5000);
    assert_int_equal(s.lost, 0);
    s = search_burst(UINT64_MAX, 7, &trials);
    assert_int_equal(s.passed, 7);
    assert_int_equal(trials, 1);
}

TEST(test_no_burst_passes)
{
    unsigned trials;
    struct bench_burst_search s = search_burst(0, 5000, &trials);
    assert_int_equal(s.passed, 0);
    assert_int_equal(s.lost, 1);
}

/* A device of 1024 places that empties 3 of 4 frames meanwhile takes bursts of 4096. */
TEST(test_buffer_is_what_had_to_wait)
{
    assert_float_equal(bench_burst_buffer(4096, 4e6, 3e6), 1024, 1e-6);
    assert_float_equal(bench_burst_buffer(4096, 3e6, 3e6), 0, 0);
    assert_float_equal(bench_burst_buffer(4096, 0, 0), 0, 0);
}

/* --- recovery --- */

#define SLOT_NS 100
#define START   1000000

static struct bench_recovery *begin(void)
{
    static struct bench_recovery r;
    bench_recovery_begin(&r, START, SLOT_NS);
    return &r;
}

/* Ten N-PDUs in each slot, of which those of slots below `lost` do not come. */
static void send(struct bench_recovery *r, unsigned slots, unsigned lost)
{
    for (unsigned slot = 0; slot < slots; slot++) {
        const int64_t at_ns = START + (int64_t)slot * SLOT_NS + 50;
        bench_recovery_sent(r, at_ns, 10);
        for (unsigned i = 0; i < 10 && slot >= lost; i++)
            bench_recovery_came(r, at_ns);
    }
}

TEST(test_nothing_is_lost)
{
    struct bench_recovery *r = begin();
    assert_false(bench_recovery_is_over(r));
    send(r, 100, 0);
    assert_int_equal(bench_recovery_ns(r), 0);
    assert_int_equal(bench_recovery_lost(r), 0);
    assert_true(bench_recovery_is_over(r));
}

TEST(test_recovery_ends_behind_the_last_loss)
{
    struct bench_recovery *r = begin();
    send(r, 100, 30);
    assert_int_equal(bench_recovery_ns(r), 30 * SLOT_NS);
    assert_int_equal(bench_recovery_lost(r), 300);
    assert_true(bench_recovery_is_over(r));
    /* One more, later. */
    bench_recovery_sent(r, START + 60 * SLOT_NS, 1);
    assert_int_equal(bench_recovery_ns(r), 61 * SLOT_NS);
    assert_int_equal(bench_recovery_lost(r), 301);
    /* And in the last tenth. */
    bench_recovery_sent(r, START + 95 * SLOT_NS, 1);
    assert_false(bench_recovery_is_over(r));
}

TEST(test_npdus_of_the_overload_belong_to_no_slot)
{
    struct bench_recovery *r = begin();
    bench_recovery_sent(r, START - 1, 10);
    bench_recovery_came(r, START - 1);
    assert_int_equal(bench_recovery_ns(r), 0);
    assert_int_equal(bench_recovery_lost(r), 0);
    send(r, 10, 0);
    assert_true(bench_recovery_is_over(r));
}

TEST(test_late_npdus_belong_to_the_last_slot)
{
    struct bench_recovery *r = begin();
    const int64_t behind_ns = START + (BENCH_RECOVERY_SLOTS + 7) * SLOT_NS;
    bench_recovery_sent(r, behind_ns, 2);
    bench_recovery_came(r, behind_ns);
    assert_int_equal(bench_recovery_ns(r), BENCH_RECOVERY_SLOTS * SLOT_NS);
    bench_recovery_came(r, behind_ns);
    assert_int_equal(bench_recovery_ns(r), 0);
}

/* --- the search by bisection alone --- */

struct device {
    double capacity;
    unsigned trials;
};

static bool try_device(void *arg, double rate, double *loss)
{
    struct device *d = arg;
    d->trials++;
    *loss = rate > d->capacity ? 1 - d->capacity / rate : 0;
    return d->trials < 1000;
}

TEST(test_bisection_ends_at_half_a_percent)
{
    static const double capacities[] = {3e3, 5.1e4, 8.7e5, 2.5e6, 9.9e6, 2e7};
    for (unsigned agreed = 1; agreed <= 2; agreed++)
        for (size_t i = 0; i < COUNT(capacities); i++) {
            struct device device = {.capacity = capacities[i]};
            struct bench_search s = {.max_rate = 1e7,
                                     .narrow = 0.005,
                                     .agreed = agreed,
                                     .has_no_staircase = true,
                                     .goal_count = 2,
                                     .goals = {{.loss = 0.005}, {.loss = 0}}};
            assert_true(bench_search_run(&s, try_device, &device));
            const double ndr = fmin(capacities[i], s.max_rate), pdr = fmin(capacities[i] / 0.995, s.max_rate);
            assert_true(s.goals[1].found <= ndr && s.goals[1].found >= ndr * 0.995);
            assert_true(s.goals[0].found <= pdr && s.goals[0].found >= pdr * 0.995);
            assert_true(device.trials <= 40 * agreed);
        }
}

UNIT_MAIN(NULL, NULL)
