/* SPDX-License-Identifier: BSD-3-Clause */
/* The search against devices whose capacity is known. */
#include "control/bench_search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Loses what is above its capacity, and of every odd-th trial a tenth more. */
struct device {
    double capacity, leak; /* leak: a share that is always lost above half the capacity */
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

static void test_finds_capacities(void **state)
{
    static const double capacities[] = {3e4,   5.1e4, 8.7e4, 1.5e5, 2.5e5, 4.3e5,
                                        7.2e5, 1.2e6, 2.1e6, 3.6e6, 6e6};
    for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++) {
        const double capacity = capacities[i];
        struct device device = {.capacity = capacity, .most = 1000};
        struct bench_search s = search_of(1e7);
        assert_true(bench_search_run(&s, try_device, &device));
        check_near(s.goals[0].lower, capacity);
        check_near(s.goals[1].lower, capacity / 0.995);
        assert_true(device.trials < 100);
    }
}

static void test_one_odd_trial_decides_nothing(void **state)
{
    struct device device = {.capacity = 2.5e6, .odd = 3, .most = 1000};
    struct bench_search s = search_of(1e7);
    assert_true(bench_search_run(&s, try_device, &device));
    check_near(s.goals[0].lower, 2.5e6);
}

static void test_goals_differ(void **state)
{
    struct device device = {.capacity = 4e6, .leak = 0.003, .most = 1000};
    struct bench_search s = search_of(1e7);
    assert_true(bench_search_run(&s, try_device, &device));
    check_near(s.goals[0].lower, 2e6);
    check_near(s.goals[1].lower, 4e6 / 0.995);
}

static void test_nothing_is_above(void **state)
{
    struct device device = {.capacity = 1e8, .most = 1000};
    struct bench_search s = search_of(1e7);
    assert_true(bench_search_run(&s, try_device, &device));
    assert_true(s.goals[0].lower == 1e7 && s.goals[0].upper == 0);
    assert_int_equal(device.trials, 5);
}

static void test_nothing_is_below(void **state)
{
    struct device device = {.capacity = 1, .most = 1000};
    struct bench_search s = search_of(1e7);
    assert_false(bench_search_run(&s, try_device, &device));
    assert_true(s.goals[0].lower == 0);
    assert_true(device.trials < 100);
}

static void test_ends_when_trials_do(void **state)
{
    struct device device = {.capacity = 3e6, .most = 7};
    struct bench_search s = search_of(1e7);
    assert_false(bench_search_run(&s, try_device, &device));
    assert_true(s.goals[0].lower <= 3e6 && s.goals[0].upper > 3e6);
    assert_int_equal(device.trials, 7);
}

/* Trials that are void are made again, at the same rate; searches that take turns do not disturb each other.
 */
static void test_searches_in_turn(void **state)
{
    struct device devices[] = {{.capacity = 1.7e6, .most = 1000}, {.capacity = 6e6, .most = 1000}};
    struct bench_search searches[] = {search_of(1e7), search_of(1.1e7)};
    for (unsigned turn = 0, open = 2; open > 0; turn++) {
        open = 0;
        for (unsigned i = 0; i < 2; i++) {
            double loss, rate = bench_search_next(&searches[i]);
            open += rate > 0;
            if (turn % 3 == 0)
                assert_true(bench_search_next(&searches[i]) == rate);
            else if (rate > 0 && try_device(&devices[i], rate, &loss))
                bench_search_tell(&searches[i], loss);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_true(bench_search_end(&searches[i]));
        check_near(searches[i].goals[0].lower, devices[i].capacity);
        assert_true(devices[i].trials < 100);
    }
}

/*
 * A machine on which other things go on: capacity differs by 0.5 % from trial to trial, one trial of twelve
 * loses something at any rate, and now and then the device is 15 % slower for six trials.
 */
struct busy_device {
    double capacity;
    unsigned slow_trials, trials;
};

static double normal(void)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++)
        sum += drand48();
    return sum;
}

static bool try_busy(void *arg, double rate, double *loss)
{
    struct busy_device *d = arg;
    double capacity = d->capacity * (1 + 0.005 * normal());
    d->trials++;
    if (d->slow_trials > 0)
        d->slow_trials--;
    else if (drand48() < 1.0 / 60)
        d->slow_trials = 6;
    if (d->slow_trials > 0)
        capacity *= 0.85;
    *loss = rate > capacity ? 1 - capacity / rate : 0;
    if (drand48() < 1.0 / 12)
        *loss += 0.01;
    return true;
}

/* In 19 of 20 cases two searches of such a device agree within 3 %. */
static void test_repeats_agree(void **state)
{
    enum { CASES = 400 };
    unsigned near = 0, trials = 0;
    srand48(3);
    for (unsigned i = 0; i < CASES; i++) {
        double found[2];
        for (unsigned k = 0; k < 2; k++) {
            struct busy_device device = {.capacity = 2.5e6 * (1 + drand48() / 100)};
            struct bench_search s = search_of(1e7 * (1 + drand48() / 10));
            s.width = 0.005;
            bench_search_run(&s, try_busy, &device);
            found[k] = s.goals[0].lower / device.capacity;
            trials += device.trials;
        }
        near += fabs(found[0] - found[1]) < 0.03 * found[0];
    }
    print_message("%u of %u pairs agree, %u trials a search\n", near, CASES, trials / CASES / 2);
    assert_true(near >= CASES * 19 / 20);
    assert_true(trials < 100 * 2 * CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_capacities), cmocka_unit_test(test_one_odd_trial_decides_nothing),
        cmocka_unit_test(test_goals_differ),     cmocka_unit_test(test_nothing_is_above),
        cmocka_unit_test(test_nothing_is_below), cmocka_unit_test(test_ends_when_trials_do),
        cmocka_unit_test(test_searches_in_turn), cmocka_unit_test(test_repeats_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
