/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdint.h>

static const struct {
    int64_t a, b, sum;
} sums[] = {
    {0, 0, 0},
    {1, 2, 3},
    {-5, 3, -2},
    {INT64_MIN, 0, INT64_MIN},
    {INT64_MIN, INT64_MAX, -1},
    {MOMENT_NEVER - 1, 0, MOMENT_NEVER - 1},
    {MOMENT_NEVER - 2, 1, MOMENT_NEVER - 1},
    {MOMENT_NEVER - 1, 1, MOMENT_NEVER},
    {MOMENT_NEVER - 1, 2, MOMENT_NEVER},
    {MOMENT_NEVER, 0, MOMENT_NEVER},
    {MOMENT_NEVER, 1, MOMENT_NEVER},
    {0, MOMENT_NEVER, MOMENT_NEVER},
    {1, MOMENT_NEVER, MOMENT_NEVER},
    {MOMENT_NEVER, MOMENT_NEVER, MOMENT_NEVER},
    {INT64_MAX / 2 + 1, INT64_MAX / 2, MOMENT_NEVER},
    {INT64_MAX / 2 + 1, INT64_MAX / 2 + 1, MOMENT_NEVER},
};

TEST(addition_stops_at_never)
{
    for (size_t i = 0; i < COUNT(sums); i++)
        if (moment_add(sums[i].a, sums[i].b) != sums[i].sum)
            fail_msg("row %zu: %lld", i, (long long)moment_add(sums[i].a, sums[i].b));
}

static const struct {
    int64_t a, b, min, max;
} pairs[] = {
    {1, 2, 1, 2},
    {2, 1, 1, 2},
    {3, 3, 3, 3},
    {-1, 0, -1, 0},
    {INT64_MIN, MOMENT_NEVER, INT64_MIN, MOMENT_NEVER},
    {MOMENT_NEVER, 0, 0, MOMENT_NEVER},
};

TEST(the_earlier_and_the_later)
{
    for (size_t i = 0; i < COUNT(pairs); i++) {
        assert_true(moment_min(pairs[i].a, pairs[i].b) == pairs[i].min);
        assert_true(moment_max(pairs[i].a, pairs[i].b) == pairs[i].max);
    }
}

UNIT_MAIN(NULL, NULL)
