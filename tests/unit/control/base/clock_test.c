/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's time zone. */
#include "tests/unit/unit.h"

#include "control/base/clock.h"

#include <stdlib.h>
#include <time.h>

/* TZ of POSIX, whose signs are west of Greenwich; always summer time: from day 0 to the last. */
TEST(zones)
{
    static const struct {
        const char *tz;
        int8_t quarters;
        bool is_daylight;
    } rows[] = {
        {"UTC0", 0, false},
        {"CET-1", 4, false},
        {"IST-5:30", 22, false},
        {"NST+3:30", -14, false},
        {"AAA-1BBB-2,J1/0,J365/25", 8, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(setenv("TZ", rows[i].tz, 1), 0);
        tzset();
        struct clock_zone zone = clock_zone_now();
        assert_int_equal(zone.quarters, rows[i].quarters);
        assert_int_equal(zone.is_daylight, rows[i].is_daylight);
    }
}

UNIT_MAIN(NULL, NULL)
