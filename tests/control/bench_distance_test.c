/* SPDX-License-Identifier: BSD-3-Clause */
/* Which round trips are one distance. What a look measures: tests/bench/test_ndr.py. */
#include "control/bench_distance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(struct bench_distance *d, const double *trips_ns, const unsigned *sorted, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(bench_distance_sort(d, trips_ns[i]), sorted[i]);
}

static void test_two_distances(void **state)
{
    static const double trips_ns[] = {160, 170, 730, 140, 190, 540, 790, 180, 860, 130};
    static const unsigned sorted[] = {0, 0, 1, 0, 0, 1, 1, 0, 1, 0};
    struct bench_distance d = {.lcore = 1};
    expect(&d, trips_ns, sorted, 10);
    assert_int_equal(d.count, 2);
    assert_true(d.ns[0] > 130 && d.ns[0] < 190);
    assert_true(d.ns[1] > 540 && d.ns[1] < 860);
}

/* Half as much again is another one; what a distance is moves with what is taken for it. */
static void test_where_one_ends(void **state)
{
    static const double trips_ns[] = {100, 149, 80, 170, 1000};
    static const unsigned sorted[] = {0, 0, 0, 1, 2};
    struct bench_distance d = {.lcore = 1};
    expect(&d, trips_ns, sorted, 5);
    assert_true(d.ns[0] > 100 && d.ns[0] < 110);
}

static void test_no_room_for_more(void **state)
{
    static const double trips_ns[] = {100, 200, 400, 800, 1600, 30};
    static const unsigned sorted[] = {0, 1, 2, 3, 3, 0};
    struct bench_distance d = {.lcore = 1};
    expect(&d, trips_ns, sorted, 6);
    assert_int_equal(d.count, BENCH_DISTANCES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_distances),
        cmocka_unit_test(test_where_one_ends),
        cmocka_unit_test(test_no_room_for_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
