/* SPDX-License-Identifier: BSD-3-Clause */
/* Emissions are found by identification, as long as the window allows. */
#include "sim/flight.h"
#include "tests/unit/unit.h"

#include <stdio.h>

enum { IDS = 3 * 65536 };

/* Every identification, three times round, with a full window under way: packets arrive in order. */
TEST(a_window_is_kept)
{
    struct flight flight = {0};
    for (int64_t i = 0; i < IDS; i++) {
        flight_begin(&flight, (uint16_t)i, i);
        int64_t oldest = i - (FLIGHT_WINDOW - 1);
        if (oldest >= 0)
            assert_int_equal(flight_end(&flight, (uint16_t)oldest), oldest);
        if (oldest > 0)
            assert_int_equal(flight_end(&flight, (uint16_t)(oldest - 1)), -1);
    }
    assert_int_equal(flight.cap, FLIGHT_WINDOW);
    flight_fini(&flight);
}

/* Of 100 packets, `lost` never arrive; the others do after `way` more were sent, pairs of them swapped. */
TEST(memory_is_for_packets_under_way_and_lost)
{
    static const struct {
        int lost, way;
        uint32_t most; /* places of the ring */
    } rows[] = {{0, 2, 16}, {0, 10, 16}, {1, 10, 256}, {1, 100, 512}, {30, 10, 8192}, {0, 5000, 8192}};
    for (size_t row = 0; row < COUNT(rows); row++) {
        struct flight flight = {0};
        for (int64_t i = 0; i < IDS; i++) {
            flight_begin(&flight, (uint16_t)i, i);
            int64_t arrives = (i - rows[row].way) ^ 1;
            if (i < rows[row].way || arrives > i || arrives % 100 < rows[row].lost)
                continue;
            if (flight_end(&flight, (uint16_t)arrives) != arrives)
                fail_msg("row %zu: packet %lld", row, (long long)arrives);
        }
        if (flight.cap > rows[row].most)
            fail_msg("row %zu: %u places", row, flight.cap);
        flight_fini(&flight);
    }
}

/* What is too old is not taken for a new packet of the same identification. */
TEST(beyond_the_window)
{
    struct flight flight = {0};
    for (int64_t i = 0; i <= FLIGHT_WINDOW; i++)
        flight_begin(&flight, (uint16_t)i, i);
    assert_int_equal(flight_end(&flight, 0), -1);
    assert_int_equal(flight_end(&flight, 1), 1);
    assert_int_equal(flight_end(&flight, 1), -1);
    assert_int_equal(flight_end(&flight, FLIGHT_WINDOW + 1), -1);
    flight_fini(&flight);
    assert_int_equal(flight_end(&flight, 0), -1);
}

/* A packet sent again under its identification counts from then. */
TEST(the_latest_counts)
{
    struct flight flight = {0};
    flight_begin(&flight, 77, 1000);
    flight_begin(&flight, 77, 2000);
    assert_int_equal(flight_end(&flight, 77), 2000);
    assert_int_equal(flight_end(&flight, 77), -1);
    flight_fini(&flight);
}

UNIT_MAIN(NULL, NULL)
