/* SPDX-License-Identifier: BSD-3-Clause */
/* The searches of rates and of bursts against simulated DUTs of a known forwarding rate. */
#include "tests/unit/unit.h"

#include "bench/statistics/search.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS_MOST (2 * BENCH_SEARCH_STAIRCASE + 140)
#define VOID_SHARE  0.3
#define NEAR_WORTH  1e-9

/* Loses the load above its capacity, and in every odd-th trial 10 % more. */
struct device {
    double capacity, leak; /* leak: share lost at any load above half of the capacity */
    unsigned odd, trials, most;
};

static bool try_device(void *arg, double rate, double *loss)
{
    struct device *d = arg;
    if (d->trials == d->most)
        return false;
    d->trials++;
    *loss = rate > d->capacity ? 1 - d->capacity / rate : rate > d->capacity / 2 ? d->leak : 0;
    if (d->odd > 0 && d->trials % d->odd == 0)
        *loss += 0.1;
    return true;
}

static struct bench_search search_of(double max_rate)
{
    return (struct bench_search){
        .max_rate = max_rate, .width = 0.01, .goal_count = 2, .goals = {{.loss = 0}, {.loss = 0.005}}};
}

static void check_near(double rate, double expected)
{
    assert_true(rate <= expected);
    assert_true(rate >= expected * 0.99);
}

TEST(test_finds_capacities)
{
    static const double capacities[] = {3e4,   5.1e4, 8.7e4, 1.5e5, 2.5e5, 4.3e5,
                                        7.2e5, 1.2e6, 2.1e6, 3.6e6, 6e6};
    for (size_t i = 0; i < COUNT(capacities); i++) {
        const double capacity = capacities[i];
        struct device device = {.capacity = capacity, .most = 1000};
        struct bench_search s = search_of(1e7);
        assert_true(bench_search_run(&s, try_device, &device));
        check_near(s.goals[0].found, capacity);
        check_near(s.goals[1].found, capacity / 0.995);
        assert_false(s.goals[0].is_least || s.goals[1].is_least);
        assert_true(device.trials < TRIALS_MOST);
    }
}

TEST(test_one_odd_trial_decides_nothing)
{
    struct device device = {.capacity = 2.5e6, .odd = 3, .most = 1000};
    struct bench_search s = search_of(1e7);
    assert_true(bench_search_run(&s, try_device, &device));
    check_near(s.goals[0].found, 2.5e6);
}

TEST(test_goals_differ)
{
    struct device device = {.capacity = 4e6, .leak = 0.003, .most = 1000};
    struct bench_search s = search_of(1e7);
    assert_true(bench_search_run(&s, try_device, &device));
    check_near(s.goals[0].found, 2e6);
    check_near(s.goals[1].found, 4e6 / 0.995);
}

TEST(test_nothing_is_above)
{
    struct device device = {.capacity = 1e8, .most = 1000};
    struct bench_search s = search_of(1e7);
    assert_true(bench_search_run(&s, try_device, &device));
    assert_true(s.goals[0].found == 1e7 && s.goals[0].upper == 0);
    assert_true(s.goals[0].is_least && s.goals[1].is_least);
    assert_true(device.trials < TRIALS_MOST);
}

TEST(test_nothing_is_below)
{
    struct device device = {.capacity = 1, .most = 1000};
    struct bench_search s = search_of(1e7);
    assert_false(bench_search_run(&s, try_device, &device));
    assert_true(s.goals[0].found == 0);
    assert_true(device.trials < 100);
}

TEST(test_ends_when_trials_do)
{
    struct device device = {.capacity = 3e6, .most = 7};
    struct bench_search s = search_of(1e7);
    assert_false(bench_search_run(&s, try_device, &device));
    assert_true(s.goals[0].found <= 3e6 && s.goals[0].upper > 3e6);
    assert_true(s.goals[0].is_least);
    assert_int_equal(device.trials, 7);
}

static unsigned staircase_trials(const struct bench_search *s)
{
    return s->goals[0].staircase.trials + s->goals[1].staircase.trials;
}

/* Void trials are made again at the same rate; searches that take turns are independent. */
TEST(test_searches_in_turn)
{
    struct device devices[] = {{.capacity = 1.7e6, .most = 1000}, {.capacity = 6e6, .most = 1000}};
    struct bench_search searches[] = {search_of(1e7), search_of(1.1e7)};
    struct bench_search *s;
    for (unsigned turn = 0; (s = bench_search_turn(searches, 2)) != NULL; turn++) {
        double loss, rate = bench_search_next(s);
        if (turn % 3 == 0)
            assert_true(bench_search_next(s) == rate && (rate == 0 || bench_search_turn(searches, 2) == s));
        else if (rate > 0 && try_device(&devices[s - searches], rate, &loss))
            bench_search_add_loss(s, loss);
        const unsigned trials[] = {staircase_trials(&searches[0]), staircase_trials(&searches[1])};
        if (trials[0] > 0 && trials[1] > 0 && !searches[0].is_done && !searches[1].is_done)
            assert_in_range(trials[0] + 1 - trials[1], 0, 2);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_true(bench_search_end(&searches[i]));
        check_near(searches[i].goals[0].found, devices[i].capacity);
        assert_true(devices[i].trials < TRIALS_MOST);
    }
}

/*
 * A DUT on a shared machine: its capacity differs by 1 % from trial to trial, a share of the trials (odd)
 * loses frames at any load, and the capacity is up to 18 % lower in slow periods of exponentially distributed
 * length, or sinks by a share and rises again, periodically. 30 % of the trials are void.
 */
struct busy_machine {
    double capacity, slower;
    double slow_trials,
        fast_trials;            /* mean length of slow periods, 0: there are none; of the time between two */
    double drift, drift_trials; /* share by which the capacity sinks; period */
    double odd;                 /* share of trials that lose frames at any load */
    bool is_slow;
    unsigned left, trials;
};

static double normal(void)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++)
        sum += drand48();
    return sum;
}

static double try_busy(struct busy_machine *m, double rate)
{
    if (m->left == 0 && m->slow_trials > 0) {
        m->is_slow = !m->is_slow;
        m->left = 1 + (unsigned)(-log(1 - drand48()) * (m->is_slow ? m->slow_trials : m->fast_trials));
        m->slower = m->is_slow ? 0.06 + 0.12 * drand48() : 0;
    }
    m->left -= m->left > 0;
    const double down = m->drift * (1 - cos(2 * M_PI * m->trials++ / fmax(m->drift_trials, 1))) / 2;
    double capacity = m->capacity * (1 + 0.01 * normal()) * (1 - m->slower) * (1 - down);
    double loss = rate > capacity ? 1 - capacity / rate : 0;
    return loss + (drand48() < m->odd ? 0.01 : 0);
}

/* Three searches in turn; is_near: their results for a goal lie within 3 %. */
static void search_three(struct busy_machine *machine, bool is_near[2], unsigned *trials)
{
    struct bench_search s[3];
    for (unsigned k = 0; k < 3; k++) {
        s[k] = search_of(1e7 * (1 + drand48() / 10));
        s[k].width = 0.005;
    }
    for (struct bench_search *turn; (turn = bench_search_turn(s, 3)) != NULL;) {
        const double rate = bench_search_next(turn);
        if (rate == 0)
            continue;
        const double loss = try_busy(machine, rate);
        ++*trials;
        if (drand48() >= VOID_SHARE)
            bench_search_add_loss(turn, loss);
    }
    for (unsigned k = 0; k < 3; k++)
        assert_true(bench_search_end(&s[k]));
    for (unsigned i = 0; i < 2; i++) {
        const double found[] = {s[0].goals[i].found, s[1].goals[i].found, s[2].goals[i].found};
        const double least = fmin(found[0], fmin(found[1], found[2]));
        is_near[i] = fmax(found[0], fmax(found[1], found[2])) < 1.03 * least;
        const double most = machine->capacity / (1 - s[0].goals[i].loss);
        assert_true(least > 0.8 * (1 - machine->drift) * most && least < 1.02 * most);
    }
}

/* In 95 of 100 cases three searches agree, for any length of slow periods, and with 40 % odd trials. */
TEST(test_repeats_agree)
{
    static const struct busy_machine machines[] = {
        {.slow_trials = 6, .fast_trials = 60, .odd = 0.08},
        {.slow_trials = 60, .fast_trials = 120, .odd = 0.08},
        {.slow_trials = 150, .fast_trials = 300, .odd = 0.08},
        {.slow_trials = 300, .fast_trials = 300, .odd = 0.08},
        {.slow_trials = 1000, .fast_trials = 1000, .odd = 0.08},
        {.drift = 0.3, .drift_trials = 1500},
        {.odd = 0.4},
        {.drift = 0.3, .drift_trials = 1500, .odd = 0.4},
    };
    enum { CASES = 100, KINDS = COUNT(machines) };
    srand48(3);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const struct busy_machine *m = &machines[kind];
        unsigned near[2] = {0}, trials = 0;
        for (unsigned i = 0; i < CASES; i++) {
            struct busy_machine machine = *m;
            bool is_near[2];
            machine.capacity = 2.5e6;
            machine.is_slow = i % 2 == 0;
            machine.trials = 17 * i;
            search_three(&machine, is_near, &trials);
            near[0] += is_near[0];
            near[1] += is_near[1];
        }
        print_message("slow for %.0f of %.0f trials, drifts by %.0f %%, %.0f %% odd: ", m->slow_trials,
                      m->slow_trials + m->fast_trials, 100 * m->drift, 100 * m->odd);
        print_message("of %u cases %u (NDR) and %u (PDR) agree, %u trials a search\n", CASES, near[0],
                      near[1], trials / CASES / 3);
        assert_true(near[0] >= CASES * 19 / 20);
        assert_true(near[1] >= CASES * 19 / 20);
    }
}

/* A search that ends early says how far its result may be off: in 9 of 10 cases it is no further, with many
 * odd trials, too; and it says no more than it has to. */
TEST(test_ended_early)
{
    static const struct {
        unsigned trials; /* of both goals */
        double odd, most_worth;
        bool is_known;
    } rows[] = {{20, 0.08, 1, false}, {60, 0.08, 1, false},  {180, 0.08, 0.06, true}, {280, 0.08, 0.03, true},
                {20, 0.3, 1, false},  {180, 0.3, 0.1, true}, {280, 0.3, 0.04, true}};
    srand48(4);
    for (size_t k = 0; k < COUNT(rows); k++) {
        unsigned within = 0, known = 0;
        double worth = 0;
        for (unsigned i = 0; i < 100; i++) {
            struct busy_machine machine = {.capacity = 2.5e6 * (1 + drand48()), .odd = rows[k].odd};
            struct bench_search s = search_of(1e7);
            s.width = 0.005;
            for (unsigned trials = 0; trials < rows[k].trials; trials++) {
                const double rate = bench_search_next(&s);
                bench_search_add_loss(&s, try_busy(&machine, rate));
            }
            assert_false(bench_search_end(&s));
            const struct bench_search_goal *goal = &s.goals[0];
            known += goal->worth < 1;
            worth += goal->worth / 100;
            within += fabs(goal->found - machine.capacity) <= goal->worth * machine.capacity;
        }
        print_message("%u trials, %.0f %% odd: %u known, off by at most %.3f, %u within\n", rows[k].trials,
                      100 * rows[k].odd, known, worth, within);
        assert_true(within >= 90 && worth <= rows[k].most_worth + NEAR_WORTH);
        assert_int_equal(known >= 50, rows[k].is_known);
    }
}

/* --- the search by bisection alone --- */

TEST(test_bisection_ends_at_half_a_percent)
{
    static const double capacities[] = {3e3, 5.1e4, 8.7e5, 2.5e6, 9.9e6, 2e7};
    for (unsigned agreed = 1; agreed <= 2; agreed++)
        for (size_t i = 0; i < COUNT(capacities); i++) {
            struct device device = {.capacity = capacities[i], .most = 1000};
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

/* --- bursts --- */

/* The result for a device that takes bursts of up to `room`; *trials counts. */
static struct bench_search_burst search_burst(uint64_t room, uint64_t limit, unsigned *trials)
{
    struct bench_search_burst s = {.limit = limit};
    *trials = 0;
    for (uint64_t length; (length = bench_search_burst_next(&s)) > 0; ++*trials) {
        assert_true(length <= limit);
        assert_true(*trials < 100);
        bench_search_burst_add(&s, length, length <= room);
    }
    return s;
}

TEST(test_finds_the_longest_burst)
{
    static const uint64_t rooms[] = {1, 2, 31, 32, 33, 63, 64, 100, 1000, 1024, 5000, 123456, 99999999};
    unsigned trials;
    for (size_t i = 0; i < COUNT(rooms); i++) {
        struct bench_search_burst s = search_burst(rooms[i], 1000000000, &trials);
        assert_true(s.passed <= rooms[i]);
        assert_true(rooms[i] < s.lost);
        assert_true(s.lost - s.passed <= 1 + s.passed / 64);
        assert_true(trials < 40);
    }
}

TEST(test_burst_ends_at_its_limit)
{
    unsigned trials;
    struct bench_search_burst s = search_burst(UINT64_MAX, 5000, &trials);
    assert_int_equal(s.passed, 5000);
    assert_int_equal(s.lost, 0);
    s = search_burst(UINT64_MAX, 7, &trials);
    assert_int_equal(s.passed, 7);
    assert_int_equal(trials, 1);
}

TEST(test_no_burst_passes)
{
    unsigned trials;
    struct bench_search_burst s = search_burst(0, 5000, &trials);
    assert_int_equal(s.passed, 0);
    assert_int_equal(s.lost, 1);
}

/* A device of 1024 places that empties 3 of 4 frames meanwhile takes bursts of 4096. */
TEST(test_buffer_is_what_had_to_wait)
{
    assert_float_equal(bench_search_burst_buffer(4096, 4e6, 3e6), 1024, 1e-6);
    assert_float_equal(bench_search_burst_buffer(4096, 3e6, 3e6), 0, 0);
    assert_float_equal(bench_search_burst_buffer(4096, 0, 0), 0, 0);
}

UNIT_MAIN(NULL, NULL)
