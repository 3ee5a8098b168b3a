/* SPDX-License-Identifier: BSD-3-Clause */
/* Timestamps on a time that does not go back. */
#include "capture/reader.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define DAY_S INT64_C(86400)

/* (at, in, expect) in seconds; the steps so far. */
struct timeline_row {
    int64_t in_s, expect_s;
    unsigned steps;
};

static void walk(struct capture_timeline *t, const struct timeline_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t at_ns = capture_timeline_put(t, rows[i].in_s * MOMENT_SECOND);
        if (at_ns != rows[i].expect_s * MOMENT_SECOND || t->steps != rows[i].steps)
            fail_msg("row %zu: %lld ns, %llu steps", i, (long long)at_ns, (unsigned long long)t->steps);
        assert_int_equal(t->last_ns, at_ns);
        assert_int_equal(t->first_ns, rows[0].expect_s * MOMENT_SECOND);
    }
}

/* A second is out of order, more is a clock that was set; forwards a day passes. */
TEST(a_second_back)
{
    static const struct timeline_row rows[] = {
        {1000, 1000, 0},
        {1001, 1001, 0},
        {1000, 1001, 1}, /* out of order */
        {1001, 1001, 1},
        {999, 1001, 2}, /* set back */
        {1002, 1004, 2},
        {1002 + DAY_S, 1004 + DAY_S, 2}, /* the longest silence */
        {1003 + 2 * DAY_S, 1004 + 2 * DAY_S, 3},
        {1005 + 2 * DAY_S, 1006 + 2 * DAY_S, 3},
        {0, 1006 + 2 * DAY_S, 4},
        {7, 1013 + 2 * DAY_S, 4},
    };
    struct capture_timeline t = {
        .back_ns = MOMENT_SECOND, .silence_ns = DAY_S * MOMENT_SECOND, .set_ns = DAY_S * MOMENT_SECOND};
    walk(&t, rows, COUNT(rows));
}

/* Up to a day is out of order; no time passes when the clock is set. */
TEST(a_day_back)
{
    static const struct timeline_row rows[] = {
        {100000, 100000, 0},
        {90000, 100000, 1},
        {100001, 100001, 1},
        {100001 - DAY_S, 100001, 2},
        {100001, 100001, 2},
        {100000 - DAY_S, 100001, 3}, /* set back */
        {100002 - DAY_S, 100003, 3},
        {100002, 100003 + DAY_S, 3},         /* the longest silence */
        {100003 + DAY_S, 100003 + DAY_S, 4}, /* set forwards */
        {100005 + DAY_S, 100005 + DAY_S, 4},
    };
    struct capture_timeline t = {.back_ns = DAY_S * MOMENT_SECOND, .silence_ns = DAY_S * MOMENT_SECOND};
    walk(&t, rows, COUNT(rows));
}

/* Between the ends of time, and as often as would overflow 64 bits: time neither goes back nor past its end.
 */
TEST(ends_of_time)
{
    static const int64_t sets[] = {0, DAY_S * MOMENT_SECOND, INT64_MAX};
    static const int64_t ins[] = {0, INT64_MAX, 1, INT64_MAX - 1, INT64_C(8000000000) * MOMENT_SECOND};
    for (size_t k = 0; k < COUNT(sets); k++) {
        struct capture_timeline t = {.silence_ns = DAY_S * MOMENT_SECOND, .set_ns = sets[k]};
        int64_t last_ns = 0;
        for (size_t i = 0; i < 400000; i++) {
            int64_t at_ns = capture_timeline_put(&t, ins[i % COUNT(ins)]);
            assert_true(at_ns >= last_ns && at_ns <= CAPTURE_TIMELINE_LAST_NS);
            last_ns = at_ns;
        }
        assert_int_equal(last_ns, sets[k] == 0 ? 0 : CAPTURE_TIMELINE_LAST_NS);
    }
}

/* Silences that last until the end of time stay before it. */
TEST(long_silences)
{
    struct capture_timeline t = {.silence_ns = INT64_MAX};
    assert_int_equal(capture_timeline_put(&t, 5), 5);
    assert_int_equal(capture_timeline_put(&t, INT64_MAX), CAPTURE_TIMELINE_LAST_NS);
    assert_int_equal(capture_timeline_put(&t, INT64_MAX), CAPTURE_TIMELINE_LAST_NS);
    assert_int_equal(t.steps, 0);
}

UNIT_MAIN(NULL, NULL)
