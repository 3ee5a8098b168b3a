/* SPDX-License-Identifier: BSD-3-Clause */
/* The search against devices whose capacity is known. */
#include "control/bench_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
        assert_true(device.trials < 80);
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
    assert_int_equal(device.trials, 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_capacities), cmocka_unit_test(test_one_odd_trial_decides_nothing),
        cmocka_unit_test(test_goals_differ),     cmocka_unit_test(test_nothing_is_above),
        cmocka_unit_test(test_nothing_is_below), cmocka_unit_test(test_ends_when_trials_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
