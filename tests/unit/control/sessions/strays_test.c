/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/strays.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#define TLLI 0xc0000001u

/* A TLLI is answered once in a while, whatever its NSE. */
TEST(a_tlli)
{
    struct strays s = {0};
    int64_t now = MOMENT_SECOND;
    assert_true(strays_may_answer(&s, 0, TLLI, now));
    assert_false(strays_may_answer(&s, 0, TLLI, now + STRAYS_PAUSE_NS - 1));
    assert_false(strays_may_answer(&s, 1, TLLI, now + STRAYS_PAUSE_NS - 1));
    assert_true(strays_may_answer(&s, 1, TLLI, now + STRAYS_PAUSE_NS));
    assert_int_equal(s.refused, 2);
}

/* Answers of an hour to a flood of new TLLIs from one NSE, and what is left for another NSE. */
TEST(a_flood)
{
    struct strays s = {0};
    unsigned answered = 0, of_other = 0;
    for (unsigned i = 0; i < 3600 * 100; i++) {
        int64_t now = (int64_t)i * MOMENT_SECOND / 100;
        answered += strays_may_answer(&s, 0, i * 7919u, now);
        of_other += i % 100 == 99 && strays_may_answer(&s, 1, TLLI + i, now);
    }
    assert_in_range(answered, 3599 * STRAYS_PER_SECOND * 9 / 10, 3601 * STRAYS_PER_SECOND);
    assert_in_range(of_other, 3600 * 8 / 10, 3600); /* the others share a hash with a TLLI of the flood */
}

UNIT_MAIN(NULL, NULL)
