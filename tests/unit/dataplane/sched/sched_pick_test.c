/* SPDX-License-Identifier: BSD-3-Clause */
/* Who must wait for whom: N-PDUs in service on one LLC entity, and nobody for anything else. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/dataplane/sched/load.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/ms.h"

#include <math.h>

#define MS RIG_MSEC
#define S  RIG_SECOND

static const struct lab_scenario in_service[] = {
    ROW(.name = "other mobiles go between segments, by their turns", .segment_octets = 500,
        .steps =
            {{0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1500}, {0, LAB_PUT, 0, 1500}, {0, LAB_PUT, 1, 500}},
        .sent = LIST({0, 0, 500}, {1 * S, 0, 500}, {2 * S, 0, 500}, {3 * S, 0, 500}, {4 * S, 1, 500},
                     {5 * S, 0, 500}, {6 * S, 0, 500})),
    ROW(.name = "other mobiles go between segments, by their class", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1500},
                      {900 * MS, LAB_PUT, 1, 400, .k = LAB_STREAMING}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {1800 * MS, 1, 400}, {2800 * MS, 0, 500}}),
    ROW(.name = "another class of the mobile waits for its LLC entity", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1500},
                      {500 * MS, LAB_PUT, 0, 400, .k = LAB_STREAMING}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {2 * S, 0, 500}, {2800 * MS, 0, 400}}),
    ROW(.name = "on another LLC entity it does not", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1500},
                      {500 * MS, LAB_PUT, 0, 400, .k = LAB_STREAMING, .sapi = 5}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {1800 * MS, 0, 400}, {2800 * MS, 0, 500}}),
    ROW(.name = "its cell waits for its last segment, not for what has the next turn", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 400},
                      {100 * MS, LAB_PUT, 0, 600, .k = LAB_THP1}, {200 * MS, LAB_PUT, 0, 500}),
        .sent = {{0, 0, 400}, {800 * MS, 0, 500}, {1 * S, 0, 100}, {2 * S, 0, 500}}),
    ROW(.name = "the same when the mobile's own bucket limits", .segment_octets = 500,
        .steps = LIST({0, LAB_SET, 0, 500, 4000}, {0, LAB_PUT, 0, 1500},
                      {500 * MS, LAB_PUT, 0, 400, .k = LAB_STREAMING}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {2 * S, 0, 500}, {2800 * MS, 0, 400}}),
    {.name = "the same on two LLC entities, both in service",
     .segment_octets = 500,
     .steps = LIST({0, LAB_SET, 0, 500, 4000}, {0, LAB_PUT, 0, 1000},
                   {0, LAB_PUT, 0, 900, .k = LAB_THP1, .sapi = 5}, {0, LAB_PUT, 0, 100, .k = LAB_THP1},
                   {1500 * MS, LAB_PUT, 0, 200, .sapi = 5}),
     .queued_only = true, /* the short way takes the first segment of the first one */
     .sent = LIST({0, 0, 500}, {1 * S, 0, 500}, {1800 * MS, 0, 400}, {2800 * MS, 0, 500}, {3 * S, 0, 100},
                  {3400 * MS, 0, 200})},
    ROW(.name = "a packet flow closed midway: its LLC entity waits, nobody else", .segment_octets = 500,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 500, 800, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {1 * S, LAB_PUT, 0, 300},
                      {1 * S, LAB_PUT, 0, 200, .k = LAB_THP1, .sapi = 5}, {1 * S, LAB_PUT, 1, 100}),
        .sent = {{0, 0, 500}, {1 * S, 0, 200}, {1 * S, 1, 100}, {5 * S, 0, 500}, {5 * S, 0, 300}}),
    ROW(.name = "with another packet flow waiting for it, whose bucket is open", .segment_octets = 500,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_ADD, 0, 0, .pfi = 2},
                      {0, LAB_PFC_SET, 0, 500, 800, .pfi = 1}, {0, LAB_PFC_SET, 0, 10000, 80000, .pfi = 2},
                      {0, LAB_PUT, 0, 1000, .pfi = 1}, {1 * S, LAB_PUT, 0, 300, .pfi = 2}),
        .sent = {{0, 0, 500}, {5 * S, 0, 500}, {5 * S, 0, 300}}),
    ROW(.name = "with another packet flow waiting for it, whose bucket opens earlier", .segment_octets = 500,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_ADD, 0, 0, .pfi = 2},
                      {0, LAB_PFC_SET, 0, 500, 800, .pfi = 1}, {0, LAB_PFC_SET, 0, 500, 4000, .pfi = 2},
                      {0, LAB_PUT, 0, 500, .pfi = 2}, {0, LAB_PUT, 0, 1000, .pfi = 1},
                      {500 * MS, LAB_PUT, 0, 300, .pfi = 2}),
        .sent = {{0, 0, 500}, {0, 0, 500}, {5 * S, 0, 500}, {5 * S, 0, 300}}),
    ROW(.name = "R = 0 midway, told to go on: those that waited go, too", .segment_octets = 500,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 500, 0, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {0, LAB_PUT, 0, 300},
                      {7 * S, LAB_PFC_SET, 0, 1000, 0, .pfi = 9}),
        .sent = {{0, 0, 500}, {7 * S, 0, 500}, {7 * S, 0, 300}}),
    ROW(.name = "an LLC entity is free once the last segment has left", .segment_octets = 500,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 1000, 0, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {0, LAB_PUT, 0, 700, .pfi = 9}, {0, LAB_PUT, 0, 300}),
        .queued_only = true, .sent = {{0, 0, 500}, {0, 0, 500}, {0, 0, 300}}),
};

static const struct lab_scenario nobody_waits[] = {
    ROW(.name = "for a mobile whose bucket is closed",
        .steps = LIST({0, LAB_CELL, 0, 2000, 8000}, {0, LAB_SET, 0, 0, 0}, {0, LAB_SET, 3, 400, 80},
                      {0, LAB_PUT, 0, 600}, {0, LAB_PUT, 3, 400}, {0, LAB_PUT, 3, 400}, {0, LAB_PUT, 1, 500},
                      {0, LAB_PUT, 2, 450}, {1 * S, LAB_PARKED, 0, 1}, {1 * S, LAB_PARKED, 3, 1},
                      {1 * S, LAB_PUT, 1, 501}),
        .sent = {{0, 3, 400}, {0, 1, 500}, {0, 2, 450}, {1 * S, 1, 501}, {40 * S, 3, 400}}),
    ROW(.name = "for a mobile that closes while it waits for its cell",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {0, LAB_PUT, 2, 10}, {100 * MS, LAB_SET, 1, 0, 0}),
        .sent = {{0, 0, 1000}, {100 * MS, 2, 10}}, .vain = 1),
    ROW(.name = "for a packet flow whose bucket is closed",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 0, 0, .pfi = 9},
                      {0, LAB_PUT, 0, 100, .pfi = 9}, {0, LAB_PUT, 0, 101}, {0, LAB_PUT, 1, 102},
                      {1 * S, LAB_PARKED, 0, 0}),
        .sent = {{0, 0, 101}, {0, 1, 102}}),
    ROW(.name = "for a packet flow of a mobile that its bucket limits",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PFC_ADD, 0, 0, .pfi = 9},
                      {0, LAB_PFC_SET, 0, 500, 80, .pfi = 9}, {0, LAB_PUT, 0, 500, .pfi = 9},
                      {0, LAB_PUT, 0, 500, .pfi = 9}, {0, LAB_PUT, 0, 500}, {0, LAB_PUT, 0, 500},
                      {0, LAB_PUT, 0, 500}),
        .queued_only = true,
        .sent = {{0, 0, 500}, {0, 0, 500}, {500 * MS, 0, 500}, {1 * S, 0, 500}, {50 * S, 0, 500}}),
    ROW(.name = "for a mobile that is frozen",
        .steps = LIST({0, LAB_FREEZE, 0, SCHED_MS_SUSPENDED}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 1, 101},
                      {1 * S, LAB_PARKED, 0, 0}, {1 * S, LAB_NEXT, 0, MOMENT_NEVER}),
        .sent = {{0, 1, 101}}),
    ROW(.name = "for a mobile that is frozen while its cell waits with it",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {0, LAB_PUT, 2, 10}, {500 * MS, LAB_FREEZE, 1, SCHED_MS_LOST}),
        .sent = {{0, 0, 1000}, {500 * MS, 2, 10}}, .vain = 1),
    ROW(.name = "for a mobile that is frozen while its link waits with it",
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {0, LAB_PUT, 2, 10}, {500 * MS, LAB_FREEZE, 1, SCHED_MS_LOST}),
        .sent = {{0, 0, 1000}, {500 * MS, 2, 10}}, .vain = 1),
    ROW(.name = "for a cell with R = 0", .cell_of = {0, 1, 1},
        .steps =
            LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_CELL, 0, 0, 0}, {0, LAB_PUT, 0, 100},
                 {0, LAB_PUT, 1, 1000}, {0, LAB_PUT, 2, 500}, {600 * MS, LAB_MODE, 0, SCHED_MODE_PARKED}),
        .sent = {{0, 1, 1000}, {500 * MS, 2, 500}}),
    {.name = "for another link",
     .cell_of = {0, 1},
     .link_of = {0, 1},
     .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                   {0, LAB_PUT, 1, 1000}, {0, LAB_PUT, 1, 999}, {0, LAB_PUT, 1, 998}),
     .queued_only = true, /* else mobile 1 does not take turns with mobile 0 */
     .sent = {{0, 0, 1000}, {0, 1, 1000}, {0, 1, 999}, {0, 1, 998}, {1 * S, 0, 1000}}},
    ROW(.name = "while another link sends all that it has", .cell_of = {0, 1}, .link_of = {0, 1},
        .steps = LIST({0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101}, {0, LAB_PUT, 0, 102}, {0, LAB_PUT, 1, 103},
                      {0, LAB_PUT, 1, 104}),
        .queued_only = true, .sent = {{0, 0, 100}, {0, 1, 103}, {0, 0, 101}, {0, 1, 104}, {0, 0, 102}}),
    ROW(.name = "while another cell, open again like its own, sends all that it has", .cell_of = {0, 1},
        .steps = LIST({0, LAB_CELL, 0, 1000, 8}, {0, LAB_CELL, 1, 1000, 8}, {0, LAB_PUT, 0, 1000},
                      {0, LAB_PUT, 1, 1000}, {0, LAB_PUT, 0, 300}, {0, LAB_PUT, 0, 301}, {0, LAB_PUT, 1, 302},
                      {0, LAB_PUT, 1, 303}, {1 * S, LAB_CELL_RATIO, 0, 0}, {1 * S, LAB_CELL_RATIO, 1, 0}),
        .sent =
            {{0, 0, 1000}, {0, 1, 1000}, {1 * S, 0, 300}, {1 * S, 1, 302}, {1 * S, 0, 301}, {1 * S, 1, 303}},
        .vain = 2),
    ROW(.name = "for others because of what it had while it was alone",
        .steps = LIST({0, LAB_PUT, 0, 1500}, {0, LAB_PUT, 0, 100}, {10 * S, LAB_PUT, 0, 500},
                      {10 * S, LAB_PUT, 1, 500}),
        .queued_only = true, .sent = {{0, 0, 1500}, {0, 0, 100}, {10 * S, 0, 500}, {10 * S, 1, 500}}),
    ROW(.name = "for a longer one with which its cell waits, if it is signalling",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {500 * MS, LAB_PUT, 2, 500, .k = LAB_SIGNALLING}),
        .sent = {{0, 0, 1000}, {500 * MS, 2, 500}, {1500 * MS, 1, 1000}}, .vain = 1),
};

/* An LLC-PDU that a bucket has delayed is the next to pass it (clause 8.2.3.2), else short ones would starve
 * long ones: neither one of its own class nor one of a class with more weight goes before it. */
static const struct lab_scenario delayed[] = {
    ROW(.name = "by a cell, a shorter one of its class comes",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {500 * MS, LAB_PUT, 2, 100}),
        .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {1100 * MS, 2, 100}}),
    {.name = "by a cell, a shorter one of a class with more weight comes",
     .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                   {500 * MS, LAB_PUT, 2, 100, .k = LAB_STREAMING}),
     .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {1100 * MS, 2, 100}}},
    ROW(.name = "by a cell, short ones come all the time",
        .steps = LIST(
            {0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
            {100 * MS, LAB_PUT, 2, 100, .k = LAB_STREAMING}, {300 * MS, LAB_PUT, 3, 100, .k = LAB_STREAMING},
            {500 * MS, LAB_PUT, 4, 100, .k = LAB_STREAMING}, {700 * MS, LAB_PUT, 5, 100, .k = LAB_STREAMING}),
        .sent = LIST({0, 0, 1000}, {1 * S, 1, 1000}, {1100 * MS, 2, 100}, {1200 * MS, 3, 100},
                     {1300 * MS, 4, 100}, {1400 * MS, 5, 100})),
    ROW(.name = "by a cell, a fresh one of its class comes",
        .steps = LIST({0, LAB_CELL, 0, 1600, 8000}, {0, LAB_PUT, 0, 800}, {0, LAB_PUT, 0, 800},
                      {0, LAB_PUT, 0, 800}, {500 * MS, LAB_PUT, 1, 100}),
        .sent = {{0, 0, 800}, {0, 0, 800}, {800 * MS, 0, 800}, {900 * MS, 1, 100}}),
    ROW(.name = "by a cell, a fresh one of its class comes, and signalling goes before both",
        .steps = LIST({0, LAB_CELL, 0, 1600, 8000}, {0, LAB_PUT, 0, 800}, {0, LAB_PUT, 0, 800},
                      {0, LAB_PUT, 0, 800}, {500 * MS, LAB_PUT, 1, 500},
                      {500 * MS, LAB_PUT, 2, 100, .k = LAB_SIGNALLING}),
        .sent = {{0, 0, 800}, {0, 0, 800}, {500 * MS, 2, 100}, {900 * MS, 0, 800}, {1400 * MS, 1, 500}},
        .vain = 1),
    ROW(.name = "by a cell, whose parameters change",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {100 * MS, LAB_PUT, 2, 100, .k = LAB_STREAMING}, {500 * MS, LAB_CELL, 0, 1000, 16000}),
        .sent = {{0, 0, 1000}, {750 * MS, 1, 1000}, {800 * MS, 2, 100}}, .vain = 1),
    ROW(.name = "by a cell that was limited before, a shorter one of another class comes",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {0, LAB_PUT, 2, 1000}, {1500 * MS, LAB_PUT, 3, 100, .k = LAB_STREAMING}),
        .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {2 * S, 2, 1000}, {2100 * MS, 3, 100}}),
    ROW(.name = "by a link, a shorter one of another cell comes", .cell_of = {0, 0, 1},
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {500 * MS, LAB_PUT, 2, 100, .k = LAB_THP1}),
        .sent = {{0, 0, 1000}, {1 * S, 2, 100}, {1100 * MS, 1, 1000}}), /* it goes first once there is room */
    {.name = "by a mobile, a shorter one of a class with more weight comes",
     .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                   {500 * MS, LAB_PUT, 0, 100, .k = LAB_STREAMING}),
     .sent = {{0, 0, 1000}, {1 * S, 0, 1000}, {1100 * MS, 0, 100}}},
};

TEST_EACH(delayed_ones_are_not_overtaken, lab_play, delayed)
TEST_EACH(n_pdus_in_service, lab_play, in_service)
TEST_EACH(nobody_waits_for_others, lab_play, nobody_waits)

/* --- several in service from another worker --- */

#define FIRST 4
#define LATER 3
#define LLC   6

static void note_frame(struct rig *rig, uint32_t ms, const struct sched_grant *grant)
{
    uint32_t *frames = rig->arg;
    uint32_t header = grant->segment == 0 ? FIRST : LATER;
    (void)ms;
    assert_int_equal(grant->next.llc_octets, grant->next.payload_octets + header + LLC);
    (*frames)++;
}

/* A mobile with an N-PDU in service in each of two packet flows, whose buckets had room for one LLC-PDU. */
static void begin_two(struct rig *rig)
{
    static const uint8_t pfis[] = {8, 9};
    for (unsigned i = 0; i < COUNT(pfis); i++) {
        assert_int_equal(sched_pfc_add(&rig->sched, &rig->ms[0], pfis[i], rig->now), 0);
        struct sched_extra *pfc = sched_pfc_get(&rig->sched, &rig->ms[0], pfis[i]);
        bucket_init(&pfc->bucket, 510, 0, rig->now);
        sched_pfc_changed(&rig->sched, pfc, rig->now);
        struct n_pdu like = {
            .octets = 1200, .qclass = QCLASS_THP1, .pfi = pfis[i], .sapi = (uint8_t)(3 + 2 * i)};
        assert_int_equal(rig_put(rig, 0, &like), DROP_NONE);
    }
    rig_settle(rig);
}

/* Where their packet flows are not known they would share a queue, in which only the first may be in service.
 */
TEST(several_come_in_service)
{
    struct rig rig;
    struct sched_params params;
    struct n_pdu_list list = {0};
    uint32_t frames = 0;

    sched_params_default(&params);
    params.segmenting = (struct segmenting){FIRST, LATER, LLC};
    rig_new(&rig, &(struct rig_counts){.mobiles = 1, .extras = 4, .cells = 1, .links = 1, .n_pdus = 4},
            &params);
    rig.on_sent = note_frame;
    rig.arg = &frames;
    rig.ms[0].n201_u = 500;
    begin_two(&rig);
    assert_int_equal(frames, 2);
    rig_take_all(&rig, 0, &list);
    for (struct n_pdu *n_pdu = list.head; n_pdu; n_pdu = n_pdu->next)
        n_pdu->pfi = N_PDU_NO_PFI;
    rig_put_back(&rig, 0, &list);
    rig_settle(&rig);
    assert_int_equal(frames, 6);
    assert_int_equal(rig.out, 2);
    rig_free(&rig);
}

/* An N-PDU waits for its packet flow's bucket; cut into shorter pieces it need not wait so long. */
TEST(shorter_pieces_go_sooner)
{
    struct rig rig;
    struct sched_params params;
    struct n_pdu like = {.octets = 900, .qclass = QCLASS_THP1, .pfi = 8};

    sched_params_default(&params);
    rig_new(&rig, &(struct rig_counts){.mobiles = 1, .extras = 2, .cells = 1, .links = 1, .n_pdus = 4},
            &params);
    assert_int_equal(sched_pfc_add(&rig.sched, &rig.ms[0], 8, rig.now), 0);
    struct sched_extra *pfc = sched_pfc_get(&rig.sched, &rig.ms[0], 8);
    bucket_init(&pfc->bucket, 1000, 8000, rig.now);
    sched_pfc_changed(&rig.sched, pfc, rig.now);
    assert_int_equal(rig_put(&rig, 0, &like), DROP_NONE);
    assert_int_equal(rig_put(&rig, 0, &like), DROP_NONE);
    rig_run(&rig, 100 * MS);
    assert_int_equal(rig.llc_pdus, 1);
    rig.ms[0].n201_u = 150;
    sched_ms_changed(&rig.sched, &rig.ms[0], rig.now);
    rig_settle(&rig);
    assert_int_equal(rig.llc_pdus, 2);
    rig_free(&rig);
}

/*
 * Who goes first: signalling and short messages, as long as they do not flood. And shares when the past
 * weighs in: after long idle phases, and when the numbers behind them are set back.
 */

enum {
    SIGNALLING = QCLASS_SIGNALLING,
    SMS = QCLASS_SMS,
    STREAM = QCLASS_STREAMING,
    THP1 = QCLASS_THP1,
    THP3 = QCLASS_THP3,
    BG = QCLASS_BACKGROUND,
};

struct row {
    const char *name;
    struct load_plan plan;
};

/* --- first --- */

/* The first source's N-PDUs leave before whatever else waits: the longest LLC-PDU takes 151 ms, and so does
 * what the bucket of a cell or link waits for. */
#define RARE(class, octets)                                                                                  \
    {                                                                                                        \
        0, class, 1, octets, .offered_bps = 300                                                              \
    }
#define BULK                                                                                                 \
    {0, STREAM, 3, 1500}, {0, THP1, 3, 40, 1500},                                                            \
    {                                                                                                        \
        0, BG, 3, 1500                                                                                       \
    }

static const struct row firsts[] = {
    {"signalling in a cell", {.cells = {{80000, 3000}}, .sources = {RARE(SIGNALLING, 100), BULK}}},
    {"short messages in a cell", {.cells = {{80000, 3000}}, .sources = {RARE(SMS, 250), BULK}}},
    {"signalling on a link",
     {.link_bps = 80000, .link_octets = 3000, .sources = {RARE(SIGNALLING, 100), BULK}}},
    {"signalling on a link, from a cell of its own",
     ROW(.link_bps = 80000, .link_octets = 3000,
         .sources = {RARE(SIGNALLING, 100), {1, STREAM, 3, 1500}, {2, BG, 3, 1500}, {3, THP1, 3, 700}})},
    {"signalling in a cell that waits for its bucket and its link",
     ROW(.link_bps = 80000, .link_octets = 3000, .cells = {{40000, 3000}},
         .sources = {RARE(SIGNALLING, 100), {1, STREAM, 3, 1500}, {2, BG, 3, 1500}})},
    {"signalling beside a flood of short messages",
     {.cells = {{80000, 3000}}, .sources = {RARE(SIGNALLING, 100), {0, SMS, 2, 1500}, {0, BG, 2, 1500}}}},
};

static void play_first(const struct row *row, bool is_short)
{
    struct load load;
    load_new(&load, &row->plan, is_short);
    load_run(&load, 600 * RIG_SECOND);
    if (load.streams[0].n_pdus < 70 || load.streams[0].most_wait_ns > 151 * RIG_MSEC)
        fail_msg("%s: it waits %.3f s", row->name, (double)load.streams[0].most_wait_ns / 1e9);
    load_free(&load);
}

TEST(it_waits_for_one_llc_pdu_at_most)
{
    for (size_t i = 0; i < COUNT(firsts); i++) {
        if (!short_form_is_wanted() || i % 2 == 0)
            play_first(&firsts[i], false);
        if (!short_form_is_wanted() || i % 2 == 1)
            play_first(&firsts[i], true);
    }
}

/* It floods for a while: others still get their shares, and after it all is as before. */
TEST(a_flood_is_bounded_from_its_first_moment)
{
    struct load_plan plan = {
        .cells = {{80000, 3000}},
        .sources = {{0, SIGNALLING, 4, 100, .from_ms = 100000}, {0, STREAM, 2, 500}, {0, BG, 2, 500}}};
    struct load load;
    load_new(&load, &plan, false);
    load_run(&load, 100 * RIG_SECOND);
    load_clear(&load);
    load_run(&load, 110 * RIG_SECOND);
    /* 1000 of 1905, and a burst of eight of the longest. */
    uint64_t most = 100000 * 1000 / 1905 + 8 * SCHED_LARGEST_PDU + SCHED_LARGEST_PDU;
    assert_in_range(load_octets_of(&load, 0), 100000 * 1000 / 1905, most);
    assert_in_range(load_octets_of(&load, 1), 30000, 48000);
    load_free(&load);
}

/* --- the past --- */

static double off(const struct load *load, unsigned k)
{
    double weights = 0, sum = 0, own = 0;
    for (unsigned left = load_backlogged(load, 7); left; left &= left - 1)
        weights += load->rig.sched.params.weights[__builtin_ctz(left)];
    for (unsigned cell = 0; cell < 3; cell++)
        for (unsigned other = 0; other < QCLASS_COUNT; other++) {
            sum += (double)load->octets[cell][other];
            own += other == k ? (double)load->octets[cell][other] : 0;
        }
    return fabs(own / sum * weights / load->rig.sched.params.weights[k] - 1);
}

static void check_off(const struct load *load, const char *name)
{
    for (unsigned left = load_backlogged(load, 7); left; left &= left - 1)
        if (off(load, (unsigned)__builtin_ctz(left)) > 0.01)
            fail_msg("%s: %s is %.2f %% off", name, n_pdu_qclass_name(__builtin_ctz(left)),
                     off(load, (unsigned)__builtin_ctz(left)) * 100);
}

static void check_shares(struct load *load, const char *name)
{
    load_run_window(load, 7, 200);
    check_off(load, name);
}

static const struct row shared[] = {
    {"a cell",
     {.cells = {{80000, 3000}}, .sources = {{0, STREAM, 2, 500}, {0, THP3, 1, 900}, {0, BG, 3, 1000}}}},
    {"a link", ROW(.link_bps = 2000000, .link_octets = 4000,
                   .sources = {{0, STREAM, 2, 500}, {1, THP3, 1, 900}, {0, BG, 1, 500}, {2, BG, 2, 700}})},
};

/* All mobiles of a class fall silent for a long time, then go on: they have no more of what was, and no less.
 */
static void silence(const struct row *row, unsigned k, int64_t silent_ns)
{
    struct load load;
    load_new(&load, &row->plan, false);
    check_shares(&load, row->name);
    for (uint32_t i = 0; i < load.count; i++)
        if (load.streams[i].source->k == k)
            sched_ms_freeze(&load.rig.sched, &load.rig.ms[load.streams[i].ms], SCHED_MS_LOST);
    load_run(&load, load.rig.now + silent_ns);
    for (uint32_t i = 0; i < load.count; i++)
        if (load.streams[i].source->k == k)
            sched_ms_thaw(&load.rig.sched, &load.rig.ms[load.streams[i].ms], SCHED_MS_LOST, load.rig.now);
    check_shares(&load, row->name);
    load_free(&load);
}

TEST(silence_is_neither_saved_nor_owed)
{
    static const int64_t lasts_ns[] = {1, 10 * RIG_SECOND, 3600 * RIG_SECOND};
    static const unsigned silent[] = {STREAM, THP3, BG};
    for (size_t i = 0; i < COUNT(shared); i++)
        for (size_t k = 0; k < COUNT(silent); k++)
            for (size_t n = 0; n < COUNT(lasts_ns); n++)
                if (!short_form_is_wanted() || (i + k) % COUNT(lasts_ns) == n)
                    silence(&shared[i], silent[k], lasts_ns[n]);
}

static void run_on(uint64_t *tag, uint64_t *now_tag, size_t stride, uint64_t to)
{
    uint64_t by = to - *now_tag;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        *(uint64_t *)(void *)((char *)tag + k * stride) += by;
    *now_tag += by;
}

/* Tags that have grown as far as they may go on from 0, here time and again, and nobody feels it. */
TEST(tags_are_set_back)
{
    uint64_t limit = UINT64_C(1) << 62;
    for (size_t i = 0; i < COUNT(shared); i++) {
        struct load load;
        load_new(&load, &shared[i].plan, false);
        struct sched_bvc *bvc = &load.rig.cells[0];
        struct sched_link *link = &load.rig.links[0];
        load_run(&load, 5 * RIG_SECOND);
        load_clear(&load);
        while (load_least_pdus(&load, 7) < 200) {
            run_on(&bvc->classes[0].tag, &bvc->now_tag, sizeof(bvc->classes[0]), limit - 1000);
            run_on(&link->classes[0].tag, &link->now_tag, sizeof(link->classes[0]), limit - 1000);
            load_run(&load, load.rig.now + (i == 0 ? 30 : 1) * RIG_SECOND);
            assert_true((i == 0 ? bvc->now_tag : link->now_tag) < limit / 2);
        }
        check_off(&load, shared[i].name);
        load_free(&load);
    }
}

/* --- Classes in order of arrival: across mobiles and cells, beside closed buckets, after drops --- */

#define BG_BIT (1 << QCLASS_BACKGROUND)
#define THP    (1 << QCLASS_THP1)

/* A cell of 1000 octets a second, closed by what leaves at 0. Mobile 0 has three N-PDUs, then 1 and 2 one
 * each; a quantum is enough for two. */
#define CROWD                                                                                                \
    {0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 3, 1000}, {1 * MS, LAB_PUT, 0, 1000},                         \
        {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 0, 1000}, {4 * MS, LAB_PUT, 1, 1000},                  \
    {                                                                                                        \
        5 * MS, LAB_PUT, 2, 1000                                                                             \
    }

#define TURNS                                                                                                \
    {                                                                                                        \
        {0, 3, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {3 * S, 1, 1000}, {4 * S, 2, 1000},                \
            {5 * S, 0, 1000},                                                                                \
    }

static const struct lab_scenario order[] = {
    {.name = "mobiles that take turns", .steps = {CROWD}, .sent = TURNS},
    ROW(.name = "the same N-PDUs in order of arrival", .fifo = BG_BIT, .steps = {CROWD},
        .sent = LIST({0, 3, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {3 * S, 0, 1000}, {4 * S, 1, 1000},
                     {5 * S, 2, 1000})),
    {.name = "the order of another class is its own", .fifo = THP, .steps = {CROWD}, .sent = TURNS},
    ROW(.name = "one that has sent nothing for long goes last", .fifo = BG_BIT,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {1500 * MS, LAB_PUT, 1, 100}),
        .sent = {{0, 0, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {2100 * MS, 1, 100}}),
    ROW(.name = "segments of an N-PDU stay together", .fifo = BG_BIT, .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 1, 1000},
                      {2 * MS, LAB_PUT, 0, 500}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {2 * S, 1, 500}, {3 * S, 1, 500}, {4 * S, 0, 500}}),
};

static const struct lab_scenario buckets[] = {
    ROW(.name = "those behind a mobile with a closed bucket go first, and it goes as soon as it may",
        .fifo = BG_BIT,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_SET, 0, 1000, 3200}, {0, LAB_PUT, 0, 1000},
                      {1 * MS, LAB_PUT, 0, 1000}, {2 * MS, LAB_PUT, 1, 1000}, {3 * MS, LAB_PUT, 1, 1000},
                      {4 * MS, LAB_PUT, 1, 1000}, {5 * MS, LAB_PUT, 1, 1000}),
        .sent = LIST({0, 0, 1000}, {1 * S, 1, 1000}, {2 * S, 1, 1000}, {3 * S, 1, 1000}, {4 * S, 0, 1000},
                     {5 * S, 1, 1000}),
        .queued_only = true, .vain = 1), /* where its bucket opens, while the cell's is closed for another */
    ROW(.name = "a cell with a closed bucket does not hold another", .fifo = BG_BIT, .cell_of = {0, 1},
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 1, 1000}),
        .sent = {{0, 0, 1000}, {2 * MS, 1, 1000}, {1 * S, 0, 1000}}),
    ROW(.name = "cells that share a link go by arrival", .fifo = BG_BIT, .cell_of = {0, 1, 2},
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 2, 1000}, {4 * MS, LAB_PUT, 1, 1000},
                      {5 * MS, LAB_PUT, 2, 1000}, {6 * MS, LAB_PUT, 0, 1000}),
        .sent = LIST({0, 0, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {3 * S, 2, 1000}, {4 * S, 1, 1000},
                     {5 * S, 2, 1000}, {6 * S, 0, 1000})),
};

/* Mobile 0 loses the head with which it would go next. */
static const struct lab_scenario drops[] = {
    ROW(.name = "a context that is removed", .fifo = BG_BIT,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 2, 1000}, {1 * MS, LAB_PUT, 0, 1000, 1},
                      {2 * MS, LAB_PUT, 1, 1000}, {3 * MS, LAB_PUT, 0, 900}, {500 * MS, LAB_REMOVE, 0, 1}),
        .sent = {{0, 2, 1000}, {1 * S, 1, 1000}, {1900 * MS, 0, 900}},
        .dropped = {{500 * MS, 1000, DROP_CONTEXT_DELETED}}),
    ROW(.name = "a lifetime that ends", .fifo = BG_BIT, .max_age_ns = 1500 * MS,
        .steps = LIST({0, LAB_CELL, 0, 1000, 4000}, {0, LAB_PUT, 2, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {1 * S, LAB_PUT, 1, 1000}, {1200 * MS, LAB_PUT, 0, 900}),
        .sent = {{0, 2, 1000}, {2 * S, 1, 1000}},
        .dropped = {{1501 * MS + 1, 1000, DROP_LIFETIME}, {2700 * MS + 1, 900, DROP_LIFETIME}},
        .queued_only = true, .vain = 3), /* ages of what has left, and the cell's bucket */
    {.name = "a mobile that moves keeps the age of its N-PDUs",
     .fifo = BG_BIT,
     .cell_of = {0, 1},
     .steps =
         LIST({0, LAB_CELL, 1, 1000, 8000}, {0, LAB_CELL, 0, 1000, 0}, {0, LAB_PUT, 1, 1000},
              {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 0, 1000}, {2 * MS, LAB_PUT, 1, 1000},
              {3 * MS, LAB_PUT, 1, 1000}, {500 * MS, LAB_MOVE, 0, 1}, {500 * MS, LAB_SET, 0, 10000, 80000}),
     .sent = LIST({0, 1, 1000}, {0, 0, 1000}, {1 * S, 1, 1000}, {2 * S, 0, 1000},
                  {3 * S, 1, 1000}), /* the cell is parked for mobile 1 */
     .queued_only = true},
};

TEST_EACH(in_order_of_arrival, lab_play, order)
TEST_EACH(past_closed_buckets, lab_play, buckets)
TEST_EACH(after_drops_and_moves, lab_play, drops)

UNIT_MAIN(NULL, NULL)
