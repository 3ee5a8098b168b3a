/* SPDX-License-Identifier: BSD-3-Clause */
/* Emissions are found again by identification, as long as the window allows. */
#include "sim/flight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static struct flight flight;

/* Every identification, three times round, with a full window under way. */
static void a_window_is_kept(void **state)
{
    for (int64_t i = 0; i < 3 * 65536; i++) {
        flight_begin(&flight, (uint16_t)i, i);
        int64_t oldest = i - (FLIGHT_WINDOW - 1);
        if (oldest >= 0)
            assert_int_equal(flight_emitted_ns(&flight, (uint16_t)oldest), oldest);
        assert_int_equal(flight_emitted_ns(&flight, (uint16_t)i), i);
        if (oldest > 0)
            assert_int_equal(flight_emitted_ns(&flight, (uint16_t)(oldest - 1)), -1);
    }
}

/* A packet sent again under its identification counts from then. */
static void the_latest_counts(void **state)
{
    flight_begin(&flight, 77, 1000);
    flight_begin(&flight, 77, 2000);
    assert_int_equal(flight_emitted_ns(&flight, 77), 2000);
    assert_int_equal(flight_emitted_ns(&flight, 77), 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_window_is_kept),
                                       cmocka_unit_test(the_latest_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
