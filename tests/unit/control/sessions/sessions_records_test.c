/* SPDX-License-Identifier: BSD-3-Clause */
/* When charging records of a context are due, by the test's clock; the node looks at contexts in steps. */
#include "tests/unit/control/sessions/session_rig.h"

#include "control/core/core_intent.h"
#include "control/sessions/sessions_records.h"
#include "dataplane/base/moment.h"

#include <fcntl.h>
#include <unistd.h>

#define EVERY_NS (3 * MOMENT_SECOND)
#define LATE_NS  (MOMENT_SECOND / 5) /* at most, of a look: longer than the step */

struct rig {
    struct session_rig sessions;
    struct records records;
};

/* One context, begun at 0. */
static void open_rig(struct rig *rig)
{
    *rig = (struct rig){0};
    struct session tunnel = session_rig_tunnel(1, 5);
    session_rig_open(&rig->sessions);
    assert_true(sessions_add(&rig->sessions.sessions, "262420000000001", &tunnel));
    session_rig_said(&rig->sessions);
    rig->records = (struct records){.fd = open("/dev/null", O_WRONLY), .config = {.every_ns = EVERY_NS}};
    assert_true(records_are_on(&rig->records));
    rig->sessions.sessions.records = &rig->records;
    sessions_records_begin(&rig->sessions.sessions, rig->sessions.sessions.list[0].pdp,
                           &(struct core_intent){0});
    assert_int_equal(rig->records.written, 1);
}

static void close_rig(struct rig *rig)
{
    close(rig->records.fd);
    session_rig_close(&rig->sessions);
}

/* The records that a look at this time writes. */
static uint64_t look(struct rig *rig, int64_t now)
{
    uint64_t before = rig->records.written;
    rig->sessions.core.now = now;
    rig->records.step_ns = 0;
    for (unsigned i = 0; i < RIG_CONTEXTS; i++, rig->records.step_ns = 0)
        sessions_records_step(&rig->sessions.sessions, now);
    return rig->records.written - before;
}

static void late_looks_add_up_to_nothing(void **state)
{
    struct rig rig;
    open_rig(&rig);
    for (int64_t i = 1; i <= 1000; i++) {
        assert_int_equal(look(&rig, i * EVERY_NS - 1), 0);
        assert_int_equal(look(&rig, i * EVERY_NS + i % 2 * LATE_NS), 1);
    }
    close_rig(&rig);
}

static void a_pause_gives_one_record(void **state)
{
    struct rig rig;
    open_rig(&rig);
    assert_int_equal(look(&rig, 10 * EVERY_NS + LATE_NS), 1);
    assert_int_equal(look(&rig, 11 * EVERY_NS - 1), 0);
    assert_int_equal(look(&rig, 11 * EVERY_NS), 1);
    close_rig(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_looks_add_up_to_nothing),
        cmocka_unit_test(a_pause_gives_one_record),
    };
    return cmocka_run_group_tests(tests, session_rig_start, NULL);
}
