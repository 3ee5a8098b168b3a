/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a mobile's own values: at the nanosecond, in order, and not after they ended otherwise. */
#include "dataplane/context/th.h"
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/ms.h"
#include "tests/unit/dataplane/context/rig.h"

#define TH_NS (5 * MOMENT_SECOND)

static void open(struct rig *rig)
{
    struct gb_flow cell = rig_flow(100000, 0, 1000, 0);
    rig_open(rig);
    assert_int_equal(context_bvc_flow(&rig->c, 0, &cell, rig->now), 0);
    for (uint32_t i = 0; i < RIG_MOBILES; i++) {
        struct ms_params ms = rig_ms(0, 100 + i);
        assert_int_equal(context_ms_add(&rig->c, i, &ms, rig->now), 0);
    }
}

#define OPEN_TEST(name) TEST_IN(name, struct rig, rig, open(rig), rig_close(rig))

/* FLOW-CONTROL-MS: 3000 octets that leak 8000 bit/s. */
static void announce(struct rig *rig, uint32_t ms, int64_t th_ns)
{
    struct gb_flow own = rig_flow(3000, 8000, 0, 0);
    own.th_ns = th_ns;
    assert_int_equal(context_ms_flow(&rig->c, ms, &own, rig->now), 0);
}

static bool has_own(const struct rig *rig, uint32_t ms)
{
    return rig->c.mobiles[ms].own_flow;
}

/* However late it is looked at, the old R leaks up to the end of Th, and the new one from there on. */
OPEN_TEST(at_the_nanosecond)
{
    const struct bucket *bucket = &rig->c.mobiles[0].sched.bucket;
    int64_t end_ns = rig->now + TH_NS;
    announce(rig, 0, TH_NS);
    context_ms_signal(&rig->c.mobiles[0], 6000, rig->now);
    assert_int_equal(rig->c.ths.first_ns, end_ns);
    assert_int_equal(context_ms_expire(&rig->c, end_ns - 1), 0);
    assert_true(has_own(rig, 0));
    assert_int_equal(context_ms_expire(&rig->c, end_ns + MOMENT_SECOND), 1);
    assert_false(has_own(rig, 0));
    assert_int_equal(bucket->max_octets, 1000);
    assert_int_equal(bucket_level_octets(bucket, end_ns + MOMENT_SECOND), 1000);
    assert_int_equal(rig->c.ths.first_ns, MOMENT_NEVER);
}

/* A further announcement starts Th again; other lengths of Th keep the order of the ends. */
OPEN_TEST(in_order)
{
    static const struct {
        uint32_t ms;
        int64_t th_s;
    } rows[] = {{0, 5}, {1, 5}, {2, 9}, {3, 2}, {0, 7}};
    static const int64_t ends_s[RIG_MOBILES] = {7, 5, 9, 2};
    int64_t begin_ns = rig->now;
    for (unsigned i = 0; i < COUNT(rows); i++)
        announce(rig, rows[i].ms, rows[i].th_s * MOMENT_SECOND);
    for (int64_t s = 1; s < 10; s++) {
        context_ms_expire(&rig->c, begin_ns + s * MOMENT_SECOND);
        for (uint32_t i = 0; i < RIG_MOBILES; i++)
            assert_int_equal(has_own(rig, i), s < ends_s[i]);
    }
}

/* Values that end otherwise are off the list: a cell change, BVC-RESET, the end of the mobile. */
OPEN_TEST(ended_otherwise)
{
    struct ms_params again = rig_ms(0, 100);
    for (uint32_t i = 0; i < 3; i++)
        announce(rig, i, TH_NS);
    assert_int_equal(context_ms_del(&rig->c, 0), 0);
    assert_int_equal(context_ms_move(&rig->c, 1, 1, rig->now), 0);
    assert_int_equal(rig->c.ths.first, 2);
    assert_int_equal(context_bvc_reset(&rig->c, 0, rig->now), 0);
    assert_int_equal(rig->c.ths.first_ns, MOMENT_NEVER);
    assert_int_equal(context_ms_add(&rig->c, 0, &again, rig->now), 0);
    announce(rig, 0, 0);
    assert_int_equal(context_ms_expire(&rig->c, rig->now + 2 * TH_NS), 0);
    assert_true(has_own(rig, 0));
}

/* One that was off the list while its neighbours there went comes as a new one. */
OPEN_TEST(again)
{
    for (uint32_t i = 0; i < 3; i++)
        announce(rig, i, TH_NS);
    assert_int_equal(context_ms_defaults(&rig->c, 1, rig->now), 0);
    assert_int_equal(context_ms_defaults(&rig->c, 0, rig->now), 0);
    announce(rig, 1, TH_NS);
    assert_int_equal(context_ms_defaults(&rig->c, 2, rig->now), 0);
    assert_int_equal(rig->c.ths.first, 1);
    assert_int_equal(rig->c.ths.last, 1);
    assert_int_equal(context_ms_expire(&rig->c, rig->now + TH_NS), 1);
}

UNIT_MAIN(NULL, NULL)
