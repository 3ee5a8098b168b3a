/* SPDX-License-Identifier: BSD-3-Clause */
/* What announcements do to the buckets of a cell and of its mobiles. */
#include "tests/unit/dataplane/context/rig.h"

/* Two mobiles in cell 0, one in cell 1; cell 0 announces 5000 octets and 8 kbit/s, 1000 and 800 for mobiles.
 */
static void open(struct rig *rig)
{
    struct gb_flow flow = rig_flow(5000, 8000, 1000, 800);
    rig_open(rig);
    for (uint32_t i = 0; i < 3; i++) {
        struct ms_params ms = rig_ms(i / 2, 10 + i);
        assert_int_equal(context_ms_add(&rig->c, i, &ms, rig->now), 0);
    }
    assert_int_equal(context_bvc_flow(&rig->c, 0, &flow, rig->now), 0);
}

static const struct bucket *ms_bucket(struct rig *rig, uint32_t i)
{
    return context_ms_bucket(&rig->c, &rig->c.mobiles[i]);
}

static void assert_bucket(const struct rig *rig, const struct bucket *b, uint64_t max, uint64_t rate_bps,
                          uint64_t level)
{
    assert_int_equal(b->max_octets, max);
    assert_int_equal(b->rate_bps, rate_bps);
    assert_int_equal(bucket_level_octets(b, rig->now), level);
}

TEST(announced)
{
    struct rig rig;
    open(&rig);
    assert_bucket(&rig, &rig.c.bvcs[0].sched.bucket, 5000, 8000, 0);
    assert_bucket(&rig, &rig.c.bvcs[1].sched.bucket, 0, 0, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_bucket(&rig, ms_bucket(&rig, i), i < 2 ? 1000 : 0, i < 2 ? 800 : 0, 0);
    struct ms_params late = rig_ms(0, 99);
    assert_int_equal(context_ms_add(&rig.c, 3, &late, rig.now), 0);
    assert_bucket(&rig, ms_bucket(&rig, 3), 1000, 800, 0);
    rig_close(&rig);
}

/* New defaults reach only mobiles without values of their own, and no level moves. */
TEST(defaults_change)
{
    struct rig rig;
    struct gb_flow own = rig_flow(3000, 2400, 0, 0), cell = rig_flow(6000, 16000, 700, 400);
    open(&rig);
    assert_int_equal(context_ms_flow(&rig.c, 0, &own, rig.now), 0);
    rig_put(&rig, 0, 0, 190);
    rig_put(&rig, 1, 1, 90);
    assert_int_equal(rig_send(&rig), 2);
    rig.now += 500 * 1000000;
    assert_bucket(&rig, ms_bucket(&rig, 0), 3000, 2400, 50);
    assert_bucket(&rig, ms_bucket(&rig, 1), 1000, 800, 50);
    assert_int_equal(context_bvc_flow(&rig.c, 0, &cell, rig.now), 0);
    assert_bucket(&rig, ms_bucket(&rig, 0), 3000, 2400, 50);
    assert_bucket(&rig, ms_bucket(&rig, 1), 700, 400, 50);
    assert_bucket(&rig, &rig.c.bvcs[0].sched.bucket, 6000, 16000, 0);
    rig.now += 500 * 1000000;
    assert_bucket(&rig, ms_bucket(&rig, 1), 700, 400, 25);
    rig_close(&rig);
}

/* Th expired: the defaults of now, not those of the announcement before; the level stays. */
TEST(own_values_expire)
{
    struct rig rig;
    struct gb_flow own = rig_flow(3000, 0, 0, 0), cell = rig_flow(6000, 16000, 700, 400);
    open(&rig);
    assert_int_equal(context_ms_flow(&rig.c, 0, &own, rig.now), 0);
    rig_put(&rig, 0, 0, 190);
    assert_int_equal(rig_send(&rig), 1);
    assert_int_equal(context_bvc_flow(&rig.c, 0, &cell, rig.now), 0);
    assert_int_equal(context_ms_defaults(&rig.c, 0, rig.now), 0);
    assert_bucket(&rig, ms_bucket(&rig, 0), 700, 400, 200);
    assert_false(rig.c.mobiles[0].own_flow);
    cell.ms_rate_bps = 800;
    assert_int_equal(context_bvc_flow(&rig.c, 0, &cell, rig.now), 0);
    assert_bucket(&rig, ms_bucket(&rig, 0), 700, 800, 200);
    rig_close(&rig);
}

/* A mobile that waits for its bucket goes on as soon as an announcement lets it. */
TEST(waiting_mobile)
{
    const struct gb_flow wider = rig_flow(6000, 16000, 2000, 800), own = rig_flow(2000, 800, 0, 0);
    for (unsigned row = 0; row < 3; row++) {
        struct rig rig;
        open(&rig);
        rig_put(&rig, 0, 0, 900);
        rig_put(&rig, 0, 0, 400);
        assert_int_equal(rig_send(&rig), 2);
        assert_int_equal(rig_send(&rig), 0);
        if (row == 0)
            assert_int_equal(context_bvc_flow(&rig.c, 0, &wider, rig.now), 0);
        else if (row == 1)
            assert_int_equal(context_ms_flow(&rig.c, 0, &own, rig.now), 0);
        else
            assert_int_equal(rig_discard(&rig, 0, 500), 0);
        assert_int_equal(rig_send(&rig), 1);
        rig_close(&rig);
    }
}

TEST(ratios)
{
    static const struct {
        int32_t percent;
        uint64_t level;
    } rows[] = {{-1, 200}, {0, 0}, {50, 500}, {100, 1000}, {150, 1500}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        struct gb_flow flow = rig_flow(1000, 800, 1000, 800);
        flow.ratio_percent = rows[i].percent;
        open(&rig);
        rig_put(&rig, 0, 0, 190);
        assert_int_equal(rig_send(&rig), 1);
        assert_int_equal(context_ms_flow(&rig.c, 0, &flow, rig.now), 0);
        assert_bucket(&rig, ms_bucket(&rig, 0), 1000, 800, rows[i].level);
        assert_int_equal(context_bvc_flow(&rig.c, 0, &flow, rig.now), 0);
        assert_bucket(&rig, &rig.c.bvcs[0].sched.bucket, 1000, 800, rows[i].level);
        assert_bucket(&rig, ms_bucket(&rig, 1), 1000, 800, 0);
        rig_close(&rig);
    }
}

/* LLC-DISCARDED empties both buckets, neither below nothing. */
TEST(discarded)
{
    static const struct {
        uint64_t octets, ms_level, bvc_level;
    } rows[] = {{0, 200, 300}, {50, 150, 250}, {200, 0, 100}, {250, 0, 50}, {1000000, 0, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        open(&rig);
        rig_put(&rig, 0, 0, 190);
        rig_put(&rig, 1, 0, 90);
        assert_int_equal(rig_send(&rig), 2);
        assert_int_equal(rig_discard(&rig, 0, rows[i].octets), 0);
        assert_bucket(&rig, ms_bucket(&rig, 0), 1000, 800, rows[i].ms_level);
        assert_bucket(&rig, ms_bucket(&rig, 1), 1000, 800, 100);
        assert_bucket(&rig, &rig.c.bvcs[0].sched.bucket, 5000, 8000, rows[i].bvc_level);
        rig_close(&rig);
    }
}

/* BVC-RESET: buckets empty and unknown, own values forgotten, queues dropped; the other cell notices nothing.
 */
TEST(reset)
{
    struct rig rig;
    struct gb_flow own = rig_flow(300, 0, 0, 0), cell = rig_flow(5000, 8000, 1000, 800);
    open(&rig);
    assert_int_equal(context_bvc_flow(&rig.c, 1, &cell, rig.now), 0);
    assert_int_equal(context_ms_flow(&rig.c, 0, &own, rig.now), 0);
    rig_put(&rig, 0, 0, 190);
    assert_int_equal(rig_send(&rig), 1);
    rig_put(&rig, 0, 0, 190);
    rig_put(&rig, 1, 1, 100);
    rig_put(&rig, 2, 2, 100);
    assert_int_equal(context_queued_pkts(&rig.c), 3);
    assert_int_equal(context_bvc_reset(&rig.c, 0, rig.now), 0);
    assert_int_equal(rig_dropped(&rig, DROP_BVC_RESET), 2);
    assert_int_equal(context_queued_pkts(&rig.c), 1);
    assert_bucket(&rig, ms_bucket(&rig, 0), 0, 0, 0);
    assert_bucket(&rig, &rig.c.bvcs[0].sched.bucket, 0, 0, 0);
    assert_int_equal(rig_send(&rig), 1);

    rig_put(&rig, 0, 0, 190);
    assert_int_equal(context_bvc_unblock(&rig.c, 0, true), 0);
    assert_int_equal(rig_send(&rig), 0);
    assert_int_equal(context_bvc_flow(&rig.c, 0, &cell, rig.now), 0);
    assert_bucket(&rig, ms_bucket(&rig, 0), 1000, 800, 0);
    assert_int_equal(rig_send(&rig), 1);
    rig_close(&rig);
}

TEST(nobody)
{
    struct rig rig;
    struct gb_flow flow = rig_flow(1, 1, 1, 1);
    open(&rig);
    const uint32_t indices[] = {2, RIG_BVCS, 3, RIG_MOBILES};
    for (size_t i = 0; i < COUNT(indices); i++) {
        uint32_t n = indices[i];
        const int got[] = {
            context_bvc_reset(&rig.c, (uint16_t)n, rig.now),
            context_bvc_unblock(&rig.c, (uint16_t)n, true),
            context_bvc_flow(&rig.c, (uint16_t)n, &flow, rig.now),
            context_ms_flow(&rig.c, n, &flow, rig.now),
            context_ms_defaults(&rig.c, n, rig.now),
            rig_discard(&rig, n, 1),
        };
        for (size_t k = 0; k < COUNT(got); k++)
            assert_int_equal(got[k], k >= 3 && n < 3 ? 0 : -1);
    }
    rig_close(&rig);
}

UNIT_MAIN(NULL, NULL)
