/* SPDX-License-Identifier: BSD-3-Clause */
/* Who must wait for whom: N-PDUs in service on one LLC entity, and nobody for anything else. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/unit.h"

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
    ROW(.name = "by a cell, whose parameters change",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {100 * MS, LAB_PUT, 2, 100, .k = LAB_STREAMING}, {500 * MS, LAB_CELL, 0, 1000, 16000}),
        .sent = {{0, 0, 1000}, {750 * MS, 1, 1000}, {800 * MS, 2, 100}}, .vain = 1),
    ROW(.name = "by a link, a shorter one of another cell comes", .cell_of = {0, 0, 1},
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {500 * MS, LAB_PUT, 2, 100, .k = LAB_THP1}),
        .sent = {{0, 0, 1000}, {1 * S, 2, 100}, {1100 * MS, 1, 1000}}), /* it goes first once there is room */
    {.name = "by a mobile, a shorter one of a class with more weight comes",
     .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                   {500 * MS, LAB_PUT, 0, 100, .k = LAB_STREAMING}),
     .sent = {{0, 0, 1000}, {1 * S, 0, 1000}, {1100 * MS, 0, 100}}},
};

TEST(delayed_ones_are_not_overtaken)
{
    lab_play_all(delayed, COUNT(delayed));
}

TEST(n_pdus_in_service)
{
    lab_play_all(in_service, COUNT(in_service));
}

TEST(nobody_waits_for_others)
{
    lab_play_all(nobody_waits, COUNT(nobody_waits));
}

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

UNIT_MAIN(NULL, NULL)
