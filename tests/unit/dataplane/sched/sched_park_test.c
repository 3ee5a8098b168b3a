/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell that has sent parks for a mobile that can go, unless its link has a rate. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/dataplane/sched/load.h"
#include "tests/unit/unit.h"

#include "dataplane/sched/ms.h"

#define MS RIG_MSEC
#define S  RIG_SECOND

struct parks {
    struct rig rig;
    int64_t at_ns[4];
};

static void note_instant(struct rig *rig, uint32_t ms, const struct sched_grant *unused_grant)
{
    ((struct parks *)rig->arg)->at_ns[ms] = rig->now;
}

/* Mobiles 0 to 2 have 1000 octets in acknowledged mode, mobile 3 has 500 in the other. */
static void begin_parks(struct parks *parks)
{
    struct sched_params params;
    sched_params_default(&params);
    *parks = (struct parks){0};
    rig_new(&parks->rig, &(struct rig_counts){.mobiles = 4, .extras = 1, .cells = 1, .links = 1, .n_pdus = 8},
            &params);
    parks->rig.arg = parks;
    parks->rig.on_sent = note_instant;
    bucket_set(&parks->rig.cells[0].bucket, 1000, 8000, 0);
    bucket_set(&parks->rig.ms[2].bucket, 1000, 800, 0);
    for (uint32_t ms = 0; ms < 4; ms++) {
        const struct n_pdu like = {.octets = ms == 3 ? 500 : 1000,
                                   .qclass = QCLASS_BACKGROUND,
                                   .pfi = N_PDU_NO_PFI,
                                   .is_acknowledged = ms != 3};
        assert_int_equal(rig_put(&parks->rig, ms, &like), DROP_NONE);
    }
    rig_run(&parks->rig, 500 * MS);
}

static void check_parks(struct parks *parks, int64_t second_ns, int64_t third_ns)
{
    rig_run(&parks->rig, 5 * S);
    assert_int_equal(parks->at_ns[0], 0);
    assert_int_equal(parks->at_ns[1], second_ns);
    assert_int_equal(parks->at_ns[3], third_ns);
    assert_int_equal(parks->at_ns[2], 0); /* it waits */
    rig_free(&parks->rig);
}

/* Signalling closed the bucket of the next mobile: another goes as soon as it may. */
TEST(it_does_not_park_for_a_closed_bucket)
{
    struct parks parks;
    begin_parks(&parks);
    sched_ms_signal(&parks.rig.ms[2], 1000, parks.rig.now);
    check_parks(&parks, 2 * S, 2500 * MS);
}

TEST(it_does_not_park_for_a_closed_window)
{
    struct parks parks;
    begin_parks(&parks);
    sched_ms_close(&parks.rig.ms[2]);
    check_parks(&parks, 1 * S, 1500 * MS);
}

/* Two cells have rates below a fourth of the link: they get these, and the two others share the rest. A cell
 * that has sent takes its turn again while the link is closed, else the two others take most of it. */
TEST(it_does_not_park_at_a_narrow_link)
{
    static const struct load_plan plan = {
        .link_bps = 1000000,
        .link_octets = 4000,
        .cells = {{600000, 1000}, {200000, 2000}, {600000, 1000}, {100000, 10000}},
        .sources = {{0, QCLASS_BACKGROUND, 1, 500},
                    {1, QCLASS_BACKGROUND, 1, 500},
                    {2, QCLASS_BACKGROUND, 1, 500},
                    {3, QCLASS_BACKGROUND, 1, 500}},
    };
    static const uint64_t due_bps[] = {350000, 200000, 350000, 100000};
    struct load load;
    load_new(&load, &plan, false);
    load_run(&load, 5 * S);
    load_clear(&load);
    load_run(&load, 25 * S);
    for (unsigned cell = 0; cell < COUNT(due_bps); cell++)
        assert_in_range(load.octets[cell][QCLASS_BACKGROUND] * 8 / 20, due_bps[cell] / 100 * 99,
                        due_bps[cell] / 100 * 101);
    load_free(&load);
}

/* The mobile whose LLC-PDU is next waits for the bucket, the others for their turn. */
static const struct lab_scenario waits[] = {
    ROW(.name = "a cell parks for one that finds it closed, then for the next when that has left",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {0, LAB_PUT, 2, 1000}, {500 * MS, LAB_WAITS, 1, SCHED_WAIT_BVC},
                      {500 * MS, LAB_WAITS, 2, SCHED_WAIT_TURN}, {1500 * MS, LAB_WAITS, 1, SCHED_WAIT_NONE},
                      {1500 * MS, LAB_WAITS, 2, SCHED_WAIT_BVC}),
        .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {2 * S, 2, 1000}}),
    ROW(.name = "a link parks",
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {0, LAB_PUT, 2, 1000}, {500 * MS, LAB_WAITS, 1, SCHED_WAIT_LINK},
                      {500 * MS, LAB_WAITS, 2, SCHED_WAIT_TURN}),
        .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {2 * S, 2, 1000}}),
};

TEST_EACH(one_waits_for_the_bucket, lab_play, waits)

/* Of mobiles that never wait for it, but short enough for words of 64 bits. */
#define NARROW 100000, 80000

/* Two seconds of a cell for 1000 octets each, of mobiles 0, 1, 2; from the start it is parked for mobile 1's.
 */
#define PARKED_FOR_1                                                                                         \
    {0, LAB_SET, 0, NARROW}, {0, LAB_SET, 1, NARROW}, {0, LAB_SET, 2, NARROW}, {0, LAB_CELL, 0, 1000, 4000}, \
        {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},                                                        \
    {                                                                                                        \
        0, LAB_PUT, 2, 1000                                                                                  \
    }

/* What happens to the mobile that a cell is parked for, while it is. */
static const struct lab_scenario parked[] = {
    ROW(.name = "nothing", .steps = LIST(PARKED_FOR_1),
        .sent = {{0, 0, 1000}, {2 * S, 1, 1000}, {4 * S, 2, 1000}}),
    ROW(.name = "its queue is flushed: the next one goes in its place",
        .steps = LIST(PARKED_FOR_1, {1 * S, LAB_FLUSH, 1, DROP_CONTEXT_DELETED}),
        .sent = {{0, 0, 1000}, {2 * S, 2, 1000}}, .dropped = {{1 * S, 1000, DROP_CONTEXT_DELETED}}),
    ROW(.name = "its bucket closes: the next one goes, it goes when that opens",
        .steps = LIST(PARKED_FOR_1, {1 * S, LAB_SET, 1, 1000, 1000}, {1 * S, LAB_RATIO, 1, 100}),
        .sent = {{0, 0, 1000}, {2 * S, 2, 1000}, {9 * S, 1, 1000}}),
    ROW(.name = "it may not send: the next one goes",
        .steps = LIST(PARKED_FOR_1, {1 * S, LAB_FREEZE, 1, SCHED_MS_SUSPENDED},
                      {10 * S, LAB_THAW, 1, SCHED_MS_SUSPENDED}),
        .sent = {{0, 0, 1000}, {2 * S, 2, 1000}, {10 * S, 1, 1000}}),
    ROW(.name = "a strict class of another mobile goes first", .vain = 1,
        .steps = LIST(PARKED_FOR_1, {1 * S, LAB_PUT, 3, 500, .k = LAB_SIGNALLING}),
        .sent = {{0, 0, 1000}, {1 * S, 3, 500}, {3 * S, 1, 1000}, {5 * S, 2, 1000}}),
    ROW(.name = "its N-PDU grows too old", .vain = 1, .max_age_ns = 1500 * MS, .steps = LIST(PARKED_FOR_1),
        .sent = {{0, 0, 1000}},
        .dropped = {{1500 * MS + 1, 1000, DROP_LIFETIME}, {1500 * MS + 1, 1000, DROP_LIFETIME}}),
    ROW(.name = "it moves to another cell", .steps = LIST(PARKED_FOR_1, {1 * S, LAB_MOVE, 1, 1}),
        .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {2 * S, 2, 1000}}),
    ROW(.name = "it gets a second flow",
        .steps = LIST(PARKED_FOR_1, {1 * S, LAB_PFC_ADD, 1, 0, .pfi = 9},
                      {1 * S, LAB_PFC_SET, 1, 10000, 80000, .pfi = 9}, {1 * S, LAB_PUT, 1, 300, .pfi = 9}),
        .sent = {{0, 0, 1000}, {2 * S, 1, 1000}, {4 * S, 2, 1000}, {4600 * MS, 1, 300}}),
};

TEST_EACH(a_cell_parked_for_a_mobile, lab_play, parked)

struct order {
    uint32_t ms[4];
    unsigned count;
};

static void note_order(struct rig *rig, uint32_t ms, const struct sched_grant *grant)
{
    struct order *order = rig->arg;
    assert_in_range(order->count, 0, COUNT(order->ms) - 1);
    order->ms[order->count++] = ms;
}

/* Of what is there in the instant in which a parked cell opens, a strict class goes first. */
TEST(a_strict_class_comes_as_the_cell_opens)
{
    static const struct n_pdu user = {.octets = 1000, .qclass = QCLASS_BACKGROUND},
                              signalling = {.octets = 500, .qclass = QCLASS_SIGNALLING};
    struct rig rig;
    struct sched_params params;
    struct order order = {0};
    sched_params_default(&params);
    params.segmenting = (struct segmenting){0};
    rig_new(&rig, &(struct rig_counts){.mobiles = 3, .cells = 1, .links = 1, .n_pdus = 3}, &params);
    rig.on_sent = note_order;
    rig.arg = &order;
    bucket_set(&rig.cells[0].bucket, 1000, 4000, rig.now);
    for (unsigned i = 0; i < 3; i++)
        bucket_set(&rig.ms[i].bucket, NARROW, rig.now);
    rig_put(&rig, 0, &user);
    rig_put(&rig, 1, &user);
    rig_settle(&rig);
    assert_int_equal(order.count, 1);
    rig.now = 2 * S;
    rig_put(&rig, 2, &signalling);
    rig_settle(&rig);
    assert_int_equal(order.count, 2);
    assert_int_equal(order.ms[1], 2);
    rig_run(&rig, 3 * S);
    assert_int_equal(order.count, 3);
    rig_free(&rig);
}

UNIT_MAIN(NULL, NULL)
