/* SPDX-License-Identifier: BSD-3-Clause */
/* Acts of operators: parts, places, time, pages, restarts of control. */
#include "control/core/core_acts.h"
#include "tests/unit/unit.h"

#include "control/core/core.h"

#include <string.h>

static struct core core;

static const struct asker asker = {.uid = 1000, .pid = 7, .is_known = true};

static struct core_act *begin(unsigned parts)
{
    struct core_act *act = core_acts_new(&core, "detach imsi=1", &asker);
    assert_non_null(act);
    act->left = parts;
    core_acts_log(&core, act);
    return act;
}

static void empty(void)
{
    memset(&core, 0, sizeof(core));
    core.now = MOMENT_SECOND;
}

/* The intent acted of Lua. */
static void tell(uint64_t id, bool is_done, const char *text)
{
    struct core_intent intent = {.id = id, .is_done = is_done, .text = text};
    core_acts_acted(&core, &intent);
}

TEST(an_act_is_done_when_all_its_parts_are)
{
    empty();
    struct core_act *act = begin(2);
    tell(act->id, true, "one");
    assert_int_equal(act->state, CORE_ACT_PENDING);
    core.now += MOMENT_SECOND;
    tell(act->id, true, "two");
    assert_int_equal(act->state, CORE_ACT_DONE);
    assert_string_equal(act->result, "one; two");
    assert_int_equal(act->ends_ns - act->began_ns, MOMENT_SECOND);
    tell(act->id, false, "late");
    tell(99, false, "of none");
    assert_string_equal(act->result, "one; two");
}

TEST(an_act_has_failed_when_a_part_has)
{
    empty();
    struct core_act *act = begin(2);
    tell(act->id, false, "one");
    tell(act->id, true, "two");
    assert_int_equal(act->state, CORE_ACT_FAILED);
}

TEST(an_act_takes_the_place_of_the_oldest_that_has_ended)
{
    empty();
    struct core_act *first = begin(1), *second = begin(1);
    for (int i = 2; i < CORE_ACTS; i++)
        begin(1);
    assert_null(core_acts_new(&core, "one too many", &asker));
    tell(second->id, true, "done");
    assert_ptr_equal(core_acts_new(&core, "the next", &asker), second);
    assert_int_equal(first->state, CORE_ACT_PENDING);
    assert_int_equal(second->id, CORE_ACTS + 1);
}

TEST(an_act_ends_by_its_time)
{
    empty();
    struct core_act *act = begin(3);
    assert_int_equal(core_acts_step(&core), MOMENT_NEVER);
    act->ends_ns = core.now + MOMENT_SECOND;
    assert_int_equal(core_acts_step(&core), act->ends_ns);
    core.now = act->ends_ns;
    assert_int_equal(core_acts_step(&core), MOMENT_NEVER);
    assert_int_equal(act->state, CORE_ACT_FAILED);
    assert_string_equal(act->result, "no outcome in its time; look with `gbflow show`");
}

TEST(a_dry_run_is_no_act)
{
    empty();
    struct core_act *act = begin(1);
    core_acts_tell(&core, act, "a message");
    tell(act->id, true, "done");
    assert_int_equal(act->state, CORE_ACT_DRY);
    assert_string_equal(act->result, "a message");
}

TEST(a_page_ends_when_its_mobile_is_reached)
{
    empty();
    struct core_act *paged = begin(1), *ready = begin(1), *gone = begin(1);
    paged->is_page = ready->is_page = gone->is_page = true;
    gone->slot = 6;
    paged->slot = 3;
    ready->slot = 4;
    core_acts_paged(&core, 3);
    core_acts_reached(&core, 5);
    assert_int_equal(paged->state, CORE_ACT_PENDING);
    core_acts_reached(&core, 3);
    core_acts_reached(&core, 4);
    assert_string_equal(paged->result, "the mobile has answered");
    assert_string_equal(ready->result, "the mobile is in READY, so no page was needed");
    core_acts_gone(&core, 6);
    core_acts_reached(&core, 6); /* the next mobile in its slot */
    assert_string_equal(gone->result, "the mobile is gone");
}

TEST(a_restart_of_control_ends_acts_that_lua_has_lost)
{
    empty();
    struct core_act *kept = begin(1), *lost = begin(1), *page = begin(1);
    struct core_intent intent = {.id = kept->id};
    page->is_page = true;
    kept->ends_ns = core.now + MOMENT_SECOND;
    core.now += MOMENT_SECOND / 2;
    core_acts_lose(&core);
    core_acts_kept(&core, &intent);
    core_acts_find(&core);
    assert_int_equal(kept->state, CORE_ACT_PENDING);
    assert_int_equal(kept->ends_ns, core.now + MOMENT_SECOND);
    assert_int_equal(lost->state, CORE_ACT_FAILED);
    assert_int_equal(page->state, CORE_ACT_PENDING);
}

UNIT_MAIN(NULL, NULL)
