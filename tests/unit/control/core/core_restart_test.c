/* SPDX-License-Identifier: BSD-3-Clause */
/* When failures of Lua restart control: rows of failures at their times. */
#include "control/core/core_restart.h"

#include "control/core/core.h"
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* stderr goes to a file in memory, which is returned; *saved: where it went. */
static int begin_to_listen(int *saved)
{
    int seen = memfd_create("stderr", 0);
    assert_true(seen >= 0);
    fflush(stderr);
    *saved = dup(STDERR_FILENO);
    dup2(seen, STDERR_FILENO);
    return seen;
}

/* How often it has the words since then. */
static unsigned end_to_listen(int seen, int saved, const char *words)
{
    char text[4096] = "";
    unsigned count = 0;
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_true(pread(seen, text, sizeof(text) - 1, 0) >= 0);
    close(seen);
    for (const char *at = text; (at = strstr(at, words)); at++)
        count++;
    return count;
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

/* Each time that restarts end, and not before a failure wants one. */
TEST(one_line_says_that_there_is_no_further_restart)
{
    static const struct {
        int64_t second;
        bool has_failed;
        unsigned lines;
    } rows[] = {{1, true, 0},    {2, true, 0},    {3, true, 0},   {4, true, 0},
                {500, true, 0},  {501, false, 0}, {502, true, 1}, {503, true, 0},
                {570, false, 0}, {590, true, 0},  {602, true, 0}, {603, true, 0},
                {604, true, 0},  {605, true, 0},  {606, true, 1}, {607, true, 0}};
    core = (struct core){0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        int saved, seen = begin_to_listen(&saved);
        core.now = rows[i].second * MOMENT_SECOND;
        if (rows[i].has_failed)
            fail_at(rows[i].second);
        core_restart_due(&core);
        assert_int_equal(end_to_listen(seen, saved, "there is no further restart"), rows[i].lines);
    }
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
