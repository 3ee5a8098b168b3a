/* SPDX-License-Identifier: BSD-3-Clause */
/* What DL-UNITDATA says of a mobile, and what signalling to it takes of its buckets. */
#include "tests/unit/dataplane/context/rig.h"

static void add_ms(struct rig *rig, uint8_t link_octets)
{
    struct ms_params params = rig_ms(0, 1);
    params.link_octets = link_octets;
    assert_int_equal(context_ms_add(&rig->c, 0, &params, rig->now), 0);
}

/* --- what is counted for TLLI(old) and elements --- */

static struct bssgp_elements elements_of(uint8_t front, uint8_t back)
{
    return (struct bssgp_elements){.front_octets = front, .back_octets = back};
}

TEST(counted_on_the_link)
{
    struct rig rig;
    rig_open_with(&rig, true);
    add_ms(&rig, 30);
    struct ms *ms = &rig.c.mobiles[0];
    const struct {
        uint32_t tlli;
        bool keep, is_heard;
        uint8_t front, back, want;
    } rows[] = {
        {1, true, false, 0, 0, 30},  {2, true, false, 0, 0, 36},    {2, true, false, 0, 0, 36},
        {3, true, false, 50, 3, 89}, {3, true, true, 50, 3, 83},    {3, true, false, 7, 0, 37},
        {4, false, false, 7, 0, 37}, {5, true, false, 190, 0, 226}, {5, false, false, 190, 0, 220},
        {6, true, true, 0, 0, 30},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bssgp_elements elements = elements_of(rows[i].front, rows[i].back);
        assert_int_equal(context_ms_tlli(&rig.c, 0, rows[i].tlli, rows[i].keep), 0);
        if (rows[i].is_heard)
            context_ms_tlli_heard(ms);
        assert_int_equal(context_ms_elements(&rig.c, 0, &elements), 0);
        assert_int_equal(ms->has_elements, rows[i].front + rows[i].back > 0);
        assert_int_equal(ms->sched.link_octets, rows[i].want);
    }
    rig_close(&rig);
}

/* No such mobile, more than there is room for, no table. */
TEST(elements_refused)
{
    struct bssgp_elements good = elements_of(3, 4), none = elements_of(0, 0), bad = elements_of(180, 11);
    for (unsigned has_table = 0; has_table < 2; has_table++) {
        struct rig rig;
        rig_open_with(&rig, has_table);
        add_ms(&rig, 0);
        assert_int_equal(context_ms_elements(&rig.c, 0, &good), has_table ? 0 : -1);
        assert_int_equal(context_ms_elements(&rig.c, 0, &none), 0);
        assert_int_equal(context_ms_elements(&rig.c, 0, &bad), -1);
        assert_int_equal(context_ms_elements(&rig.c, 1, &good), -1);
        assert_int_equal(context_ms_elements(&rig.c, UINT32_MAX, &good), -1);
        assert_null(context_elements_of(&rig.c, &rig.c.mobiles[0]));
        rig_close(&rig);
    }
}

/* --- signalling --- */

enum { DEBT = SCHED_SIGNAL_DEBT_OCTETS };

static void flow(struct rig *rig, uint64_t octets, uint64_t ms_octets)
{
    struct gb_flow announced = rig_flow(octets, 8000, ms_octets, 8000);
    assert_int_equal(context_bvc_flow(&rig->c, 0, &announced, rig->now), 0);
}

static uint64_t level(const struct bucket *bucket, int64_t now)
{
    return bucket_level_octets(bucket, now);
}

/* Both buckets may be overdrawn up to the same debt, whichever comes to it first; leakage pays it off. */
TEST(debt)
{
    static const struct {
        uint64_t bvc, ms; /* Bmax */
        uint32_t octets;  /* that go first */
        int64_t later_ms; /* at 1 octet per ms */
        uint32_t then;
        bool can;
    } rows[] = {
        {0, 0, 0, 0, DEBT, true},
        {0, 0, 0, 0, DEBT + 1, false},
        {5000, 1000, DEBT, 0, 1000, true},
        {5000, 1000, DEBT, 0, 1001, false},
        {1000, 5000, DEBT, 0, 1000, true},
        {1000, 5000, DEBT, 0, 1001, false},
        {500, 500, DEBT, 700, 1200, true},
        {500, 500, DEBT, 700, 1201, false},
        {500, 500, 100, 5000, DEBT + 500, true},
        {500, 500, 100, 5000, DEBT + 501, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        rig_open(&rig);
        add_ms(&rig, 0);
        struct ms *ms = &rig.c.mobiles[0];
        flow(&rig, rows[i].bvc, rows[i].ms);
        assert_true(context_ms_can_signal(&rig.c, ms, rows[i].octets, rig.now));
        context_ms_signal(ms, rows[i].octets, rig.now);
        assert_int_equal(level(&ms->sched.bucket, rig.now), rows[i].octets);
        assert_int_equal(level(&rig.c.bvcs[0].sched.bucket, rig.now), rows[i].octets);
        rig.now += rows[i].later_ms * 1000000;
        assert_int_equal(context_ms_can_signal(&rig.c, ms, rows[i].then, rig.now), rows[i].can);
        rig_close(&rig);
    }
}

/* Defaults announced since the mobile was last looked at hold for it. */
TEST(debt_under_new_defaults)
{
    struct rig rig;
    rig_open(&rig);
    add_ms(&rig, 0);
    flow(&rig, 100000, 1000);
    struct ms *ms = &rig.c.mobiles[0];
    assert_true(context_ms_can_signal(&rig.c, ms, DEBT + 1000, rig.now));
    flow(&rig, 100000, 3000);
    assert_true(context_ms_can_signal(&rig.c, ms, DEBT + 3000, rig.now));
    assert_false(context_ms_can_signal(&rig.c, ms, DEBT + 3001, rig.now));
    rig_close(&rig);
}

/* What waits waits longer, to the nanosecond, for the mobile's bucket or the cell's, and does not sleep on.
 */
TEST(who_waits_pays)
{
    for (unsigned is_cells = 0; is_cells < 2; is_cells++) {
        struct rig rig;
        struct pdp_params pdp = rig_pdp(0, 5);
        rig_open(&rig);
        add_ms(&rig, 0);
        assert_int_equal(context_pdp_add(&rig.c, 0, &pdp), 0);
        flow(&rig, is_cells ? 500 : 100000, is_cells ? 100000 : 500);
        rig_put(&rig, 0, 0, 400);
        rig_put(&rig, 0, 0, 390);
        assert_int_equal(rig_send(&rig), 1);
        int64_t start_ns = rig.now, due_ns = start_ns + (410 + 400 - 500) * INT64_C(1000000);
        assert_int_equal(sched_next_ns(&rig.c.sched), due_ns);
        context_ms_signal(&rig.c.mobiles[0], 200, rig.now);
        rig.now = due_ns;
        assert_int_equal(rig_send(&rig), 0);
        assert_int_equal(sched_next_ns(&rig.c.sched), due_ns + 200 * INT64_C(1000000));
        rig.now = due_ns + 200 * INT64_C(1000000);
        assert_int_equal(rig_send(&rig), 1);
        rig_close(&rig);
    }
}

UNIT_MAIN(NULL, NULL)
