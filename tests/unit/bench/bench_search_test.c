/* SPDX-License-Identifier: BSD-3-Clause */
/* The search against simulated DUTs of a known forwarding rate. */
#include "tests/unit/unit.h"

#include "bench/statistics/search.h"
#include "bench/throughput/comparison.h"
#include "bench/throughput/slices.h"

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

/* --- Sorting round trips into distances. Real samples: tests/system/bench/test_ndr.py --- */

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

/* --- Rates of slices, and verdicts, from values whose answer is known --- */

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
        assert_int_equal(bench_verdict_rank(rows[i].n), rows[i].rank);
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
        struct bench_verdict v = bench_verdict_of(&s, 0);
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
        struct bench_verdict v = bench_verdict_of(&s, rows[i].margin);
        assert_int_equal(v.word, rows[i].word);
        assert_true(rows[i].n == 0 || verdict_is_near(v.ratio, rows[i].center));
        assert_true(v.low <= v.ratio && v.ratio <= v.high);
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
