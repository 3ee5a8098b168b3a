/* SPDX-License-Identifier: BSD-3-Clause */
/* When failures of Lua restart control: rows of failures at their times. */
#include "control/core/core_restart.h"

#include "control/core/core.h"
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

static struct core core;

/* Twenty errors at once; whether they restart control. */
static bool fail_at(int64_t second)
{
    core.now = second * MOMENT_SECOND;
    for (int i = 0; i < CORE_RESTART_ERRORS_MOST; i++)
        core_restart_note(&core.restart.failures[CORE_RESTART_ERRORS], core.now);
    if (core_restart_due(&core) != CORE_RESTART_ERRORS)
        return false;
    core_restart_done(&core, CORE_RESTART_ERRORS, core.now, core.now);
    core.restart.failures[CORE_RESTART_ERRORS] = (struct core_restart_window){0};
    return true;
}

/* Errors of one peer's messages do not end the restarts for those of another one later. */
TEST(restarts_are_five_in_ten_minutes)
{
    static const struct {
        int64_t second;
        bool is_restart;
    } rows[] = {{1, true},    {2, true},    {3, true},    {4, true},    {500, true},
                {501, false}, {600, false}, {602, true},  {603, true},  {604, true},
                {605, true},  {606, false}, {1101, true}, {1102, false}};
    core = (struct core){0};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(fail_at(rows[i].second), rows[i].is_restart);
}

TEST(an_order_changes_no_count_of_failures)
{
    core = (struct core){0};
    for (int64_t second = 1; second <= 5; second++)
        assert_true(fail_at(second));
    assert_false(fail_at(6));
    core_restart_done(&core, CORE_RESTART_ORDER, core.now, core.now);
    assert_int_equal(core.restart.tries.count, 0);
    assert_true(fail_at(7));
}

UNIT_MAIN(NULL, NULL)
