/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: mobiles that move, freeze and are handed over, packet flows that come and go. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/unit.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"

#define MS    RIG_MSEC
#define S     RIG_SECOND
#define FAILS ((uint64_t)-1)

static const struct lab_scenario moves[] = {
    ROW(.name = "the queue goes along, in order, with an empty bucket",
        .steps = LIST({0, LAB_SET, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 500},
                      {0, LAB_PUT, 0, 501}, {0, LAB_PUT, 0, 10}, {1 * S, LAB_MOVE, 0, 1},
                      {1 * S, LAB_PARKED, 0, 0}),
        .sent = {{0, 0, 1000}, {1 * S, 0, 500}, {1010 * MS, 0, 501}, {1110 * MS, 0, 10}}, .vain = 1),
    ROW(.name = "class buffers count on the other link", .cell_of = {0}, .link_of = {0, 1, 0},
        .steps = LIST({0, LAB_CELL_USE, 0, false}, {0, LAB_CELL_USE, 1, false}, {0, LAB_PUT, 0, 100},
                      {0, LAB_PUT, 0, 101}, {0, LAB_PUT, 0, 102, .k = LAB_THP1}, {0, LAB_PUT, 1, 104},
                      {1 * S, LAB_MOVE, 0, 1}, {1 * S, LAB_CLASS, 0, 104, 1},
                      {1 * S, LAB_CLASS, 0, 0, 0, .k = LAB_THP1}, {1 * S, LAB_CLASS, 1, 201, 2},
                      {1 * S, LAB_CLASS, 1, 102, 1, .k = LAB_THP1}, {2 * S, LAB_MOVE, 0, 2},
                      {2 * S, LAB_CLASS, 0, 305, 3}),
        .sent = {{2 * S, 0, 102}, {2 * S, 0, 100}, {2 * S, 0, 101}}),
    ROW(.name = "between segments: the rest follows", .segment_octets = 500,
        .steps =
            {{0, LAB_CELL, 0, 500, 0}, {0, LAB_PUT, 0, 1300}, {0, LAB_PUT, 0, 10}, {1 * S, LAB_MOVE, 0, 1}},
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {1 * S, 0, 300}, {1 * S, 0, 10}}),
    ROW(.name = "the one with which a cell waits: the next gets its turn at once",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_CELL, 1, 1000, 8000}, {0, LAB_PUT, 0, 1000},
                      {0, LAB_PUT, 1, 999}, {0, LAB_PUT, 2, 10}, {500 * MS, LAB_MOVE, 1, 1}),
        .sent = {{0, 0, 1000}, {500 * MS, 2, 10}, {500 * MS, 1, 999}}, .vain = 1),
    ROW(.name = "the one with which a cell waits has to wait itself: the next gets its turn at once",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_SET, 1, 2000, 8}, {0, LAB_PUT, 1, 10},
                      {1 * MS, LAB_PUT, 0, 990}, {2 * MS, LAB_PUT, 1, 999}, {2 * MS, LAB_PUT, 2, 11},
                      {500 * MS, LAB_SET, 1, 1000, 8}),
        .sent = {{0, 1, 10}, {1 * MS, 0, 990}, {500 * MS, 2, 11}, {9 * S, 1, 999}}, .vain = 1),
    ROW(.name = "into a cell that waits, where it takes its turn", .cell_of = {0, 0, 1, 1},
        .steps = LIST({0, LAB_CELL, 1, 1000, 8000}, {0, LAB_CELL, 0, 0, 0}, {0, LAB_PUT, 2, 1000},
                      {0, LAB_PUT, 3, 1000}, {0, LAB_PUT, 0, 400, .k = LAB_STREAMING}, {0, LAB_PUT, 1, 401},
                      {100 * MS, LAB_MOVE, 0, 1}, {200 * MS, LAB_MOVE, 1, 1}),
        .sent = {{0, 2, 1000}, {1 * S, 3, 1000}, {1400 * MS, 0, 400}, {1801 * MS, 1, 401}}),
    ROW(.name = "into a cell that may not send, and out of one",
        .steps = LIST({0, LAB_CELL_USE, 1, false}, {0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100},
                      {1 * S, LAB_SET, 0, 1000, 0}, {1 * S, LAB_MOVE, 0, 1},
                      {2 * S, LAB_NEXT, 0, MOMENT_NEVER}, {2 * S, LAB_MOVE, 0, 0}),
        .sent = {{2 * S, 0, 100}}),
    ROW(.name = "with nothing to send",
        .steps = {{0, LAB_MOVE, 0, 1}, {0, LAB_CELL, 0, 0, 0}, {0, LAB_PUT, 0, 100}}, .sent = {{0, 0, 100}}),
    ROW(.name = "back and forth",
        .steps =
            LIST({0, LAB_SET, 0, 100, 800}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 99},
                 {500 * MS, LAB_MOVE, 0, 1}, {500 * MS, LAB_MOVE, 0, 0}, {500 * MS, LAB_MOVE, 0, 1}),
        .sent = {{0, 0, 100}, {500 * MS, 0, 100}, {1490 * MS, 0, 99}}, .vain = 1),
    ROW(.name = "packet flows' buckets are forgotten, packet flows are not",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 100, 0, .pfi = 9},
                      {0, LAB_PUT, 0, 100, .pfi = 9}, {0, LAB_PUT, 0, 101, .pfi = 9},
                      {0, LAB_PUT, 0, 102, .pfi = 9}, {1 * S, LAB_MOVE, 0, 1},
                      {2 * S, LAB_PFC_SET, 0, 1000, 8000, .pfi = 9}, {2 * S, LAB_PUT, 0, 1000, .pfi = 9},
                      {2 * S, LAB_PUT, 0, 200, .pfi = 9}),
        .sent = LIST({0, 0, 100}, {1 * S, 0, 101}, {1 * S, 0, 102}, {2 * S + 100 * MS, 0, 1000},
                     {2300 * MS, 0, 200})),
};

static const struct lab_scenario freezes[] = {
    ROW(.name = "and thaws",
        .steps = LIST({0, LAB_FREEZE, 0, SCHED_MS_SUSPENDED}, {0, LAB_PUT, 0, 100},
                      {1 * S, LAB_NEXT, 0, MOMENT_NEVER}, {2 * S, LAB_THAW, 0, SCHED_MS_SUSPENDED},
                      {2 * S, LAB_PUT, 0, 101}),
        .sent = {{2 * S, 0, 100}, {2 * S, 0, 101}}),
    ROW(.name = "for two reasons: both must end",
        .steps = LIST({0, LAB_FREEZE, 0, SCHED_MS_SUSPENDED}, {0, LAB_FREEZE, 0, SCHED_MS_LOST},
                      {0, LAB_PUT, 0, 100}, {1 * S, LAB_THAW, 0, SCHED_MS_SUSPENDED},
                      {2 * S, LAB_NEXT, 0, MOMENT_NEVER}, {3 * S, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{3 * S, 0, 100}}),
    ROW(.name = "both end at once",
        .steps = LIST({0, LAB_FREEZE, 0, SCHED_MS_FROZEN}, {0, LAB_PUT, 0, 100},
                      {1 * S, LAB_THAW, 0, SCHED_MS_FROZEN}),
        .sent = {{1 * S, 0, 100}}),
    ROW(.name = "while parked: past its instant it goes at once, its bucket leaked on",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                      {0, LAB_PUT, 0, 1000}, {100 * MS, LAB_FREEZE, 0, SCHED_MS_LOST},
                      {5 * S, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{0, 0, 1000}, {5 * S, 0, 1000}, {6 * S, 0, 1000}}, .vain = 1),
    {.name = "while parked: before its instant it waits for that",
     .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                   {100 * MS, LAB_FREEZE, 0, SCHED_MS_LOST}, {200 * MS, LAB_THAW, 0, SCHED_MS_LOST}),
     .sent = {{0, 0, 1000}, {1 * S, 0, 1000}}},
    ROW(.name = "with several flows, parked",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 500, .k = LAB_THP1},
                      {0, LAB_PUT, 0, 1000}, {100 * MS, LAB_FREEZE, 0, SCHED_MS_LOST},
                      {200 * MS, LAB_THAW, 0, SCHED_MS_LOST}),
        .queued_only = true, .sent = {{0, 0, 500}, {500 * MS, 0, 1000}, {1500 * MS, 0, 1000}}),
    ROW(.name = "between segments: the rest waits", .segment_octets = 500,
        .steps =
            LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1000}, {500 * MS, LAB_FREEZE, 0, SCHED_MS_LOST},
                 {500 * MS, LAB_PUT, 1, 10}, {3 * S, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{0, 0, 500}, {500 * MS, 1, 10}, {3 * S, 0, 500}}, .vain = 1),
    ROW(.name = "in a cell that may not send",
        .steps = LIST({0, LAB_CELL_USE, 0, false}, {0, LAB_PUT, 0, 100}, {0, LAB_FREEZE, 0, SCHED_MS_LOST},
                      {1 * S, LAB_CELL_USE, 0, true}, {2 * S, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{2 * S, 0, 100}}),
    ROW(.name = "frozen, it moves and stays so",
        .steps = LIST({0, LAB_FREEZE, 0, SCHED_MS_LOST}, {0, LAB_PUT, 0, 100}, {1 * S, LAB_MOVE, 0, 1},
                      {2 * S, LAB_NEXT, 0, MOMENT_NEVER}, {2 * S, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{2 * S, 0, 100}}),
    ROW(.name = "flow control meanwhile",
        .steps = LIST({0, LAB_SET, 0, 1000, 0}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                      {1 * S, LAB_FREEZE, 0, SCHED_MS_LOST}, {2 * S, LAB_SET, 0, 1000, 8000},
                      {4 * S, LAB_NEXT, 0, MOMENT_NEVER}, {4 * S, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{0, 0, 1000}, {4 * S, 0, 1000}}),
    ROW(.name = "a packet flow opens meanwhile",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 1000, 8000, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {0, LAB_PUT, 0, 1000, .pfi = 9},
                      {500 * MS, LAB_FREEZE, 0, SCHED_MS_LOST}, {2 * S, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{0, 0, 1000}, {2 * S, 0, 1000}}, .vain = 1),
};

static const struct lab_scenario handovers[] = {
    ROW(.name = "taken out and put back",
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101}, {1 * S, LAB_TAKE, 0},
                      {1 * S, LAB_BACKLOG, 0, 0, 0}, {1 * S, LAB_CLASS, 0, 0, 0}, {1 * S, LAB_PARKED, 0, 0},
                      {2 * S, LAB_SET, 0, 1000, 0}, {2 * S, LAB_BACK, 0}),
        .sent = {{2 * S, 0, 100}, {2 * S, 0, 101}}),
    {.name = "of two flows, the one in service first",
     .segment_octets = 500,
     .steps =
         LIST({0, LAB_SET, 0, 500, 0}, {0, LAB_PUT, 0, 100, .k = LAB_THP2, .sapi = 5},
              {0, LAB_PUT, 0, 700, .k = LAB_THP1}, {0, LAB_PUT, 0, 102, .k = LAB_THP2}, {1 * S, LAB_TAKE, 0},
              {1 * S, LAB_INIT, 0}, {1 * S, LAB_SET, 0, 500, 0}, {1 * S, LAB_BACK, 0}),
     .queued_only = true, /* the short way takes the first one */
     .sent = {{0, 0, 500}, {1 * S, 0, 100}, {1 * S, 0, 200}, {1 * S, 0, 102}}},
    ROW(.name = "of a mobile with which a cell waits",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {0, LAB_PUT, 2, 10}, {500 * MS, LAB_TAKE, 1}, {600 * MS, LAB_BACK, 1}),
        .sent = {{0, 0, 1000}, {500 * MS, 2, 10}, {1009 * MS, 1, 999}}, .vain = 1),
};

static const struct lab_scenario packet_flows[] = {
    ROW(.name = "made twice, not made, unmade",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_ADD, 0, FAILS, .pfi = 1},
                      {0, LAB_PFC_ADD, 0, FAILS, .pfi = N_PDU_NO_PFI}, {0, LAB_PFC_DEL, 0, .pfi = 2},
                      {0, LAB_PFC_DEL, 0, .pfi = N_PDU_NO_PFI}, {0, LAB_PUT, 0, 100, .pfi = 2},
                      {0, LAB_PUT, 0, 101, .pfi = 1}),
        .sent = {{0, 0, 100}, {0, 0, 101}}),
    ROW(.name = "without a bucket as yet",
        .steps = {{0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PUT, 0, 100, .pfi = 1}}, .sent = {{0, 0, 100}}),
    ROW(.name = "its bucket limits it and nobody else, from the message on",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PUT, 0, 500, .pfi = 1},
                      {1 * S, LAB_PFC_SET, 0, 500, 800, .pfi = 1}, {1 * S, LAB_PUT, 0, 500, .pfi = 1},
                      {1 * S, LAB_PUT, 0, 501, .pfi = 1}, {1 * S, LAB_PUT, 0, 502},
                      {1 * S, LAB_PUT, 0, 503, .pfi = 2}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {1 * S, 0, 502}, {1 * S, 0, 503}, {6000000001, 0, 501}}),
    ROW(.name = "all levels are charged",
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_SET, 0, 800, 1600},
                      {0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_SET, 0, 500, 8000, .pfi = 1},
                      {0, LAB_PUT, 0, 500, .pfi = 1}, {0, LAB_PUT, 0, 400}, {0, LAB_PUT, 1, 500}),
        .queued_only = true, .sent = {{0, 0, 500}, {0, 1, 500}, {4 * S, 0, 400}}, .vain = 1),
    ROW(.name = "new parameters while it waits",
        .steps =
            LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_SET, 0, 500, 4000, .pfi = 1},
                 {0, LAB_PUT, 0, 500, .pfi = 1}, {0, LAB_PUT, 0, 500, .pfi = 1},
                 {500 * MS, LAB_PFC_SET, 0, 500, 1000, .pfi = 1},
                 {600 * MS, LAB_PFC_SET, 0, 500, 0, .pfi = 1}, {9 * S, LAB_PFC_SET, 0, 500, 8000, .pfi = 1}),
        .sent = {{0, 0, 500}, {9237500 * (MS / 1000), 0, 500}}, .vain = 2),
    ROW(.name = "deleted while it waits: at once",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_SET, 0, 500, 0, .pfi = 1},
                      {0, LAB_PUT, 0, 500, .pfi = 1}, {0, LAB_PUT, 0, 500, .pfi = 1},
                      {1 * S, LAB_PFC_DEL, 0, .pfi = 1}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}}),
    ROW(.name = "deleted while its mobile waits",
        .steps =
            LIST({0, LAB_SET, 0, 500, 4000}, {0, LAB_PFC_ADD, 0, 0, .pfi = 1},
                 {0, LAB_PFC_SET, 0, 500, 80, .pfi = 1}, {0, LAB_PUT, 0, 500, .pfi = 1},
                 {0, LAB_PUT, 0, 500, .pfi = 1}, {0, LAB_PUT, 0, 500}, {500 * MS, LAB_PFC_DEL, 0, .pfi = 1}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {2 * S, 0, 500}}, .vain = 1),
    ROW(.name = "deleted in service: the rest follows, then what comes later", .segment_octets = 500,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_SET, 0, 500, 0, .pfi = 1},
                      {0, LAB_PUT, 0, 1000, .pfi = 1}, {1 * S, LAB_PFC_DEL, 0, .pfi = 1},
                      {1 * S, LAB_PUT, 0, 499, .pfi = 1}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {1 * S, 0, 499}}),
    ROW(.name = "deleted: what waited keeps its place among the others of its class",
        .steps =
            LIST({0, LAB_CELL, 0, 0, 0}, {0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PUT, 0, 100, .pfi = 1},
                 {1 * MS, LAB_PUT, 0, 101}, {2 * MS, LAB_PUT, 0, 102, .pfi = 1},
                 {3 * MS, LAB_PUT, 0, 103, .k = LAB_THP1}, {4 * MS, LAB_PUT, 0, 104},
                 {1 * S, LAB_PFC_DEL, 0, .pfi = 1}, {1 * S, LAB_PUT, 0, 105, .pfi = 1},
                 {1 * S, LAB_BACKLOG, 0, 615, 6}, {2 * S, LAB_CELL, 0, 10000, 0}),
        .sent = LIST({2 * S, 0, 103}, {2 * S, 0, 100}, {2 * S, 0, 101}, {2 * S, 0, 102}, {2 * S, 0, 104},
                     {2 * S, 0, 105})),
    ROW(.name = "deleted and made again",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_SET, 0, 500, 0, .pfi = 1},
                      {0, LAB_PUT, 0, 500, .pfi = 1}, {0, LAB_PFC_DEL, 0, .pfi = 1},
                      {1 * S, LAB_PFC_ADD, 0, 0, .pfi = 1}, {1 * S, LAB_PUT, 0, 600, .pfi = 1},
                      {1 * S, LAB_PFC_SET, 0, 700, 0, .pfi = 1}),
        .sent = {{0, 0, 500}, {1 * S, 0, 600}}),
    ROW(.name = "made and deleted any number of times: no extra flow is lost",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PUT, 0, 100, .pfi = 1},
                      {0, LAB_PFC_DEL, 0, .pfi = 1}, {1 * S, LAB_PFC_ADD, 0, 0, .pfi = 2},
                      {1 * S, LAB_PUT, 0, 101, .pfi = 2}, {1 * S, LAB_PFC_DEL, 0, .pfi = 2},
                      {2 * S, LAB_PFC_ADD, 0, 0, .pfi = 3}, {2 * S, LAB_PUT, 0, 102, .pfi = 3, .k = LAB_THP1},
                      {2 * S, LAB_PFC_DEL, 0, .pfi = 3}, {3 * S, LAB_PFC_ADD, 0, 0, .pfi = 4},
                      {3 * S, LAB_PUT, 0, 103, .pfi = 4, .k = LAB_THP2}, {3 * S, LAB_PFC_DEL, 0, .pfi = 4},
                      {4 * S, LAB_PFC_ADD, 0, 0, .pfi = 5}, {4 * S, LAB_PFC_DEL, 0, .pfi = 5},
                      {4 * S, LAB_PFC_ADD, 0, 0, .pfi = 6}, {4 * S, LAB_PFC_ADD, 1, 0, .pfi = 6},
                      {4 * S, LAB_PFC_ADD, 1, 0, .pfi = 7}),
        .sent = {{0, 0, 100}, {1 * S, 0, 101}, {2 * S, 0, 102}, {3 * S, 0, 103}}),
    ROW(.name = "no extra flow left: N-PDUs join the mobile's first, in order",
        .steps = LIST({0, LAB_PFC_ADD, 1, 0, .pfi = 1}, {0, LAB_PFC_ADD, 1, 0, .pfi = 2},
                      {0, LAB_PFC_ADD, 1, 0, .pfi = 3}, {0, LAB_PFC_ADD, 1, 0, .pfi = 4},
                      {0, LAB_PFC_ADD, 1, FAILS, .pfi = 5}, {0, LAB_SET, 0, 300, 0}, {0, LAB_PUT, 0, 300},
                      {0, LAB_PUT, 0, 101, .k = LAB_THP1},
                      {0, LAB_PUT, 0, 102, .k = LAB_STREAMING, .sapi = 5}, {0, LAB_MISSING, 0, 2},
                      {0, LAB_BACKLOG, 0, 503, 3}, {0, LAB_CLASS, 0, 503, 3}, {1 * S, LAB_SET, 0, 600, 0}),
        .queued_only = true, .sent = {{0, 0, 300}, {1 * S, 0, 101}, {1 * S, 0, 102}}),
};

TEST_EACH(mobiles_move, lab_play, moves)
TEST_EACH(mobiles_freeze, lab_play, freezes)
TEST_EACH(mobiles_are_moved, lab_play, handovers)
TEST_EACH(packet_flows_come_and_go, lab_play, packet_flows)

/* --- Mobiles and PDP contexts that go, in every state of the mobile --- */

#define GONE DROP_CONTEXT_DELETED

static const struct lab_scenario mobiles[] = {
    ROW(.name = "idle",
        .steps =
            {{0, LAB_FLUSH, 0, GONE}, {0, LAB_NEXT, 0, MOMENT_NEVER}, {0, LAB_INIT, 0}, {0, LAB_PUT, 0, 100}},
        .sent = {{0, 0, 100}}),
    ROW(.name = "with something to send, alone", .queued_only = true,
        .steps =
            {{0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101}, {0, LAB_FLUSH, 0, GONE}, {1 * S, LAB_PUT, 1, 102}},
        .sent = {{1 * S, 1, 102}}, .dropped = {{0, 100, GONE}, {0, 101, GONE}}),
    ROW(.name = "first of three", .queued_only = true,
        .steps = {{0, LAB_PUT, 0, 100}, {0, LAB_PUT, 1, 101}, {0, LAB_PUT, 2, 102}, {0, LAB_FLUSH, 0, GONE}},
        .sent = {{0, 1, 101}, {0, 2, 102}}, .dropped = {{0, 100, GONE}}),
    ROW(.name = "in the middle", .queued_only = true,
        .steps = {{0, LAB_PUT, 0, 100}, {0, LAB_PUT, 1, 101}, {0, LAB_PUT, 2, 102}, {0, LAB_FLUSH, 1, GONE}},
        .sent = {{0, 0, 100}, {0, 2, 102}}, .dropped = {{0, 101, GONE}}),
    ROW(.name = "last; a newcomer joins", .queued_only = true,
        .steps = LIST({0, LAB_PUT, 0, 100}, {0, LAB_PUT, 1, 101}, {0, LAB_PUT, 2, 102},
                      {0, LAB_FLUSH, 2, GONE}, {0, LAB_PUT, 3, 103}),
        .sent = {{0, 0, 100}, {0, 1, 101}, {0, 3, 103}}, .dropped = {{0, 102, GONE}}),
    ROW(.name = "the one with which a cell waits: the next gets its turn at once",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {0, LAB_PUT, 2, 10}, {500 * MS, LAB_FLUSH, 1, GONE}),
        .sent = {{0, 0, 1000}, {500 * MS, 2, 10}}, .dropped = {{500 * MS, 999, GONE}}, .vain = 1),
    ROW(.name = "the one with which a link waits: the next gets its turn at once",
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {0, LAB_PUT, 2, 10}, {500 * MS, LAB_FLUSH, 1, GONE}),
        .sent = {{0, 0, 1000}, {500 * MS, 2, 10}}, .dropped = {{500 * MS, 999, GONE}}, .vain = 1),
    ROW(.name = "the one with which a cell with R = 0 waits",
        .steps = LIST({0, LAB_CELL, 0, 1000, 0}, {0, LAB_PUT, 0, 900}, {0, LAB_PUT, 1, 101},
                      {0, LAB_PUT, 2, 100}, {500 * MS, LAB_FLUSH, 1, GONE}),
        .sent = {{0, 0, 900}, {500 * MS, 2, 100}}, .dropped = {{500 * MS, 101, GONE}}),
    ROW(.name = "the only one with which a cell waits",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {500 * MS, LAB_FLUSH, 1, GONE}, {500 * MS, LAB_MODE, 0, SCHED_MODE_LINK},
                      {600 * MS, LAB_PUT, 0, 600}),
        .sent = {{0, 0, 1000}, {600 * MS, 0, 600}}, .dropped = {{500 * MS, 999, GONE}}, .vain = 1),
    ROW(.name = "another than the one with which a cell waits",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {0, LAB_PUT, 2, 10}, {500 * MS, LAB_FLUSH, 2, GONE}, {600 * MS, LAB_PUT, 3, 20}),
        .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {1020 * MS, 3, 20}}, .dropped = {{500 * MS, 10, GONE}}),
    {.name = "parked, with an age",
     .max_age_ns = 3 * S,
     .queued_only = true, /* the short way sets no timer for an age */
     .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999},
                   {0, LAB_PUT, 0, 998}, {500 * MS, LAB_PARKED, 0, 1}, {500 * MS, LAB_FLUSH, 0, GONE},
                   {500 * MS, LAB_PARKED, 0, 0}, {600 * MS, LAB_INIT, 0}, {600 * MS, LAB_PUT, 0, 500}),
     .sent = {{0, 0, 1000}, {600 * MS, 0, 500}},
     .dropped = {{500 * MS, 999, GONE}, {500 * MS, 998, GONE}},
     .vain = 3},
    ROW(.name = "parked with no instant known",
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {500 * MS, LAB_PARKED, 0, 1},
                      {500 * MS, LAB_FLUSH, 0, GONE}, {600 * MS, LAB_INIT, 0}, {600 * MS, LAB_PUT, 0, 101}),
        .sent = {{600 * MS, 0, 101}}, .dropped = {{500 * MS, 100, GONE}}),
    ROW(.name = "parked, there again and parked for the same instant, and for an earlier one",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                      {0, LAB_FLUSH, 0, GONE}, {0, LAB_INIT, 0}, {0, LAB_SET, 0, 1000, 8000},
                      {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000}, {1500 * MS, LAB_PUT, 0, 800},
                      {1500 * MS, LAB_FLUSH, 0, GONE}, {1500 * MS, LAB_PUT, 0, 600}),
        .queued_only = true, .sent = {{0, 0, 1000}, {1 * S, 0, 1000}, {1600 * MS, 0, 600}},
        .dropped = {{0, 1000, GONE}, {0, 1000, GONE}, {1500 * MS, 800, GONE}}, .vain = 1),
    ROW(.name = "with all its extra flows, which others then have",
        .steps = LIST({0, LAB_FREEZE, 0, SCHED_MS_LOST}, {0, LAB_PUT, 0, 100},
                      {0, LAB_PUT, 0, 101, .k = LAB_THP1}, {0, LAB_PUT, 0, 102, .k = LAB_THP2},
                      {0, LAB_PUT, 0, 103, .k = LAB_THP3}, {0, LAB_PFC_ADD, 0, 0, .pfi = 1},
                      {0, LAB_PFC_ADD, 1, (uint64_t)-1, .pfi = 1}, {1 * S, LAB_FLUSH, 0, GONE},
                      {1 * S, LAB_PFC_ADD, 1, 0, .pfi = 1}, {1 * S, LAB_PFC_ADD, 1, 0, .pfi = 2},
                      {1 * S, LAB_PFC_ADD, 1, 0, .pfi = 3}, {1 * S, LAB_PFC_ADD, 1, 0, .pfi = 4},
                      {1 * S, LAB_THAW, 0, SCHED_MS_LOST}, {1 * S, LAB_PUT, 0, 104, .k = LAB_THP3}),
        .sent = {{1 * S, 0, 104}},
        .dropped = {{1 * S, 100, GONE}, {1 * S, 103, GONE}, {1 * S, 102, GONE}, {1 * S, 101, GONE}}),
    ROW(.name = "with a packet flow parked, whose instant then is nobody's",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_SET, 0, 1000, 8000, .pfi = 1},
                      {0, LAB_PUT, 0, 1000, .pfi = 1}, {0, LAB_PUT, 0, 999, .pfi = 1},
                      {500 * MS, LAB_FLUSH, 0, GONE}, {500 * MS, LAB_PFC_ADD, 1, 0, .pfi = 1},
                      {500 * MS, LAB_PFC_SET, 1, 1000, 4000, .pfi = 1},
                      {500 * MS, LAB_PUT, 1, 1000, .pfi = 1}, {500 * MS, LAB_PUT, 1, 998, .pfi = 1}),
        .sent = {{0, 0, 1000}, {500 * MS, 1, 1000}, {2496 * MS, 1, 998}}, .dropped = {{500 * MS, 999, GONE}},
        .vain = 1),
    ROW(.name = "in service: partial, the one behind has the reason given", .segment_octets = 500,
        .steps = LIST({0, LAB_SET, 0, 500, 4000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999},
                      {500 * MS, LAB_FLUSH, 0, GONE}),
        .sent = {{0, 0, 500}}, .dropped = {{500 * MS, 1000, DROP_PARTIAL}, {500 * MS, 999, GONE}}, .vain = 1),
    ROW(.name = "in service and the one with which its cell waits", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1000}, {500 * MS, LAB_PUT, 1, 10},
                      {600 * MS, LAB_FLUSH, 0, GONE}),
        .sent = {{0, 0, 500}, {600 * MS, 1, 10}}, .dropped = {{600 * MS, 1000, DROP_PARTIAL}}, .vain = 1),
    ROW(.name = "emptied, it goes on where it is", .max_age_ns = 1 * S,
        .steps =
            LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999},
                 {500 * MS, LAB_FLUSH, 0, GONE}, {500 * MS, LAB_PUT, 0, 998}, {500 * MS, LAB_PUT, 0, 997}),
        .sent = {{0, 0, 1000}, {998 * MS, 0, 998}},
        .dropped = {{500 * MS, 999, GONE}, {1500 * MS + 1, 997, DROP_LIFETIME}}, .vain = 3),
    ROW(.name = "twice", .queued_only = true,
        .steps = {{0, LAB_PUT, 0, 100}, {0, LAB_FLUSH, 0, GONE}, {0, LAB_FLUSH, 0, GONE}},
        .dropped = {{0, 100, GONE}}),
    ROW(.name = "in a cell that may not send",
        .steps = LIST({0, LAB_CELL_USE, 0, false}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 1, 101},
                      {1 * S, LAB_FLUSH, 0, GONE}, {2 * S, LAB_CELL_USE, 0, true}),
        .sent = {{2 * S, 1, 101}}, .dropped = {{1 * S, 100, GONE}}),
    ROW(.name = "the last one in a cell that may not send",
        .steps = LIST({0, LAB_CELL_USE, 0, false}, {0, LAB_PUT, 0, 100}, {1 * S, LAB_FLUSH, 0, GONE},
                      {2 * S, LAB_CELL_USE, 0, true}, {3 * S, LAB_PUT, 1, 101}),
        .sent = {{3 * S, 1, 101}}, .dropped = {{1 * S, 100, GONE}}),
};

static const struct lab_scenario contexts[] = {
    ROW(.name = "no N-PDU of it waits",
        .steps =
            LIST({0, LAB_REMOVE, 0, 7}, {0, LAB_CELL, 0, 100, 800}, {0, LAB_PUT, 0, 100, 1},
                 {0, LAB_PUT, 0, 99, 1}, {500 * MS, LAB_REMOVE, 0, 7}, {500 * MS, LAB_NEXT, 0, 990 * MS}),
        .sent = {{0, 0, 100}, {990 * MS, 0, 99}}),
    ROW(.name = "all that a mobile has", .queued_only = true,
        .steps = LIST({0, LAB_PUT, 0, 100, 7}, {0, LAB_PUT, 0, 101, 7}, {0, LAB_PUT, 1, 102, 7},
                      {0, LAB_REMOVE, 0, 7}, {0, LAB_BACKLOG, 0, 0, 0}, {1 * S, LAB_PUT, 0, 103, 7}),
        .sent = {{0, 1, 102}, {1 * S, 0, 103}}, .dropped = {{0, 100, GONE}, {0, 101, GONE}}),
    ROW(.name = "between those of another context, in all flows", .queued_only = true,
        .steps = LIST({0, LAB_PUT, 0, 100, 1}, {0, LAB_PUT, 0, 101, 7}, {0, LAB_PUT, 0, 102, 1},
                      {0, LAB_PUT, 0, 103, 7}, {0, LAB_PUT, 0, 104, 7, .k = LAB_THP1}, {0, LAB_REMOVE, 0, 7},
                      {0, LAB_CLASS, 0, 0, 0, .k = LAB_THP1}, {0, LAB_CLASS, 0, 202, 2}),
        .sent = {{0, 0, 100}, {0, 0, 102}}, .dropped = {{0, 101, GONE}, {0, 103, GONE}, {0, 104, GONE}}),
    ROW(.name = "head of the one with which a cell waits: the next of it is looked at",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999, 7},
                      {0, LAB_PUT, 1, 10, 1}, {0, LAB_PUT, 2, 20}, {500 * MS, LAB_REMOVE, 1, 7}),
        .sent = {{0, 0, 1000}, {500 * MS, 1, 10}, {500 * MS, 2, 20}}, .dropped = {{500 * MS, 999, GONE}},
        .vain = 1),
    ROW(.name = "the same at a link",
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999, 7},
                      {0, LAB_PUT, 1, 10, 1}, {0, LAB_PUT, 2, 20}, {500 * MS, LAB_REMOVE, 1, 7}),
        .sent = {{0, 0, 1000}, {500 * MS, 1, 10}, {500 * MS, 2, 20}}, .dropped = {{500 * MS, 999, GONE}},
        .vain = 1),
    ROW(.name = "all of the one with which a cell waits",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999, 7},
                      {0, LAB_PUT, 2, 20}, {500 * MS, LAB_REMOVE, 1, 7}),
        .sent = {{0, 0, 1000}, {500 * MS, 2, 20}}, .dropped = {{500 * MS, 999, GONE}}, .vain = 1),
    ROW(.name = "head of a parked mobile",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999, 7},
                      {0, LAB_PUT, 0, 600, 1}, {500 * MS, LAB_PARKED, 0, 1}, {500 * MS, LAB_REMOVE, 0, 7}),
        .sent = {{0, 0, 1000}, {600 * MS, 0, 600}}, .dropped = {{500 * MS, 999, GONE}}, .vain = 1),
    ROW(.name = "behind the head of a parked mobile: its instant stays",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999, 1},
                      {0, LAB_PUT, 0, 600, 7}, {500 * MS, LAB_REMOVE, 0, 7}),
        .sent = {{0, 0, 1000}, {999 * MS, 0, 999}}, .dropped = {{500 * MS, 600, GONE}}),
    ROW(.name = "all of a parked mobile",
        .steps =
            LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999, 7},
                 {500 * MS, LAB_REMOVE, 0, 7}, {500 * MS, LAB_PARKED, 0, 0}, {500 * MS, LAB_PUT, 0, 501}),
        .sent = {{0, 0, 1000}, {501 * MS, 0, 501}}, .dropped = {{500 * MS, 999, GONE}}, .vain = 1),
    ROW(.name = "head of a parked packet flow",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_SET, 0, 1000, 8000, .pfi = 1},
                      {0, LAB_PUT, 0, 1000, 7, .pfi = 1}, {0, LAB_PUT, 0, 999, 7, .pfi = 1},
                      {0, LAB_PUT, 0, 600, 1, .pfi = 1}, {500 * MS, LAB_REMOVE, 0, 7}),
        .sent = {{0, 0, 1000}, {600 * MS, 0, 600}}, .dropped = {{500 * MS, 999, GONE}}, .vain = 1),
    ROW(.name = "in service: partial", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1000, 7}, {0, LAB_PUT, 0, 501, 7},
                      {0, LAB_PUT, 0, 10, 1}, {500 * MS, LAB_REMOVE, 0, 7}),
        .sent = {{0, 0, 500}, {500 * MS, 0, 10}},
        .dropped = {{500 * MS, 1000, DROP_PARTIAL}, {500 * MS, 501, GONE}}, .vain = 1),
    ROW(.name = "in service in a parked packet flow: who waited for it goes", .segment_octets = 500,
        .steps =
            LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PFC_SET, 0, 500, 0, .pfi = 1},
                 {0, LAB_PUT, 0, 1000, 7, .pfi = 1}, {0, LAB_PUT, 0, 300, 1}, {500 * MS, LAB_REMOVE, 0, 7}),
        .sent = {{0, 0, 500}, {500 * MS, 0, 300}}, .dropped = {{500 * MS, 1000, DROP_PARTIAL}}),
    ROW(.name = "another than the one in service: that goes on", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1000, 1}, {0, LAB_PUT, 0, 501, 7},
                      {500 * MS, LAB_REMOVE, 0, 7}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}}, .dropped = {{500 * MS, 501, GONE}}),
    ROW(.name = "the younger head has its own age", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100, 7}, {500 * MS, LAB_PUT, 0, 101, 1},
                      {700 * MS, LAB_REMOVE, 0, 7}),
        .dropped = {{700 * MS, 100, GONE}, {1500 * MS + 1, 101, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "in a cell that may not send",
        .steps = LIST({0, LAB_CELL_USE, 0, false}, {0, LAB_PUT, 0, 100, 7}, {0, LAB_PUT, 0, 101, 1},
                      {0, LAB_PUT, 1, 102, 7}, {0, LAB_REMOVE, 0, 7}, {0, LAB_REMOVE, 1, 7},
                      {1 * S, LAB_CELL_USE, 0, true}),
        .sent = {{1 * S, 0, 101}}, .dropped = {{0, 100, GONE}, {0, 102, GONE}}),
    ROW(.name = "of a frozen mobile",
        .steps =
            LIST({0, LAB_FREEZE, 0, SCHED_MS_SUSPENDED}, {0, LAB_PUT, 0, 100, 7}, {0, LAB_PUT, 0, 101, 1},
                 {1 * S, LAB_REMOVE, 0, 7}, {2 * S, LAB_THAW, 0, SCHED_MS_SUSPENDED}),
        .sent = {{2 * S, 0, 101}}, .dropped = {{1 * S, 100, GONE}}),
};

TEST_EACH(a_mobile_goes, lab_play, mobiles)
TEST_EACH(a_context_goes, lab_play, contexts)

/*
 * Whoever waits is on the wheel once, whatever happens meanwhile: entries that nobody waits for any longer
 * are dropped when the wheel is full, no other is, and all wake to the nanosecond.
 */

#define TIMES   1000
#define MOBILES 3

static const struct n_pdu n_pdu_of_1000 = {.octets = 1000, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
static const struct n_pdu n_pdu_of_pfc = {.octets = 1000, .qclass = QCLASS_BACKGROUND, .pfi = 1};

static void set_ms(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    bucket_set(&rig->ms[0].bucket, octets, rate_bps, rig->now);
    sched_ms_changed(&rig->sched, &rig->ms[0], rig->now);
}

static void set_cell(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    bucket_set(&rig->cells[0].bucket, octets, rate_bps, rig->now);
    sched_bvc_changed(&rig->sched, &rig->cells[0]);
}

static void set_link(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    struct sched_link_rate rate = {.rate_bps = rate_bps, .max_octets = octets};
    sched_link_set(&rig->sched, &rig->links[0], &rate, rig->now);
}

static void set_pfc(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    struct sched_extra *pfc = sched_pfc_get(&rig->sched, &rig->ms[0], 1);
    bucket_set(&pfc->bucket, octets, rate_bps, rig->now);
    sched_pfc_changed(&rig->sched, pfc, rig->now);
}

/* The same mobile over again, as full as it was. */
static void delete_ms(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    sched_ms_flush(&rig->sched, &rig->ms[0], DROP_CONTEXT_DELETED);
    rig_take_dropped(rig);
    rig_init_ms(rig, 0, 0);
    bucket_set(&rig->ms[0].bucket, octets, rate_bps, rig->now);
    bucket_set_ratio(&rig->ms[0].bucket, 100, rig->now);
    rig_put(rig, 0, &n_pdu_of_1000);
}

static void delete_pfc(struct rig *rig, uint64_t octets, uint64_t rate_bps)
{
    sched_ms_flush(&rig->sched, &rig->ms[0], DROP_CONTEXT_DELETED);
    rig_take_dropped(rig);
    assert_int_equal(sched_pfc_add(&rig->sched, &rig->ms[0], 1, rig->now), 0);
    set_pfc(rig, octets, rate_bps);
    bucket_set_ratio(&sched_pfc_get(&rig->sched, &rig->ms[0], 1)->bucket, 100, rig->now);
    rig_put(rig, 0, &n_pdu_of_pfc);
}

/* A bucket that is full keeps 1000 octets waiting. So often it is changed, between two ways that it can be,
 * each time so much later; then it is set to leak 8000 bit/s, which takes a second. */
static const struct {
    const char *name;
    void (*change)(struct rig *rig, uint64_t octets, uint64_t rate_bps);
    bool is_pfc;
    int64_t step_ns;
    uint64_t octets[2], rate_bps[2];
} rows[] = {
    {"a mobile's rate", set_ms, false, 1000, {1000, 1000}, {8, 80}},
    {"a mobile's rate, at one instant", set_ms, false, 0, {1000, 1000}, {8, 80}},
    {"a mobile stops and goes, at one instant", set_ms, false, 0, {1000, 1000}, {0, 80}},
    {"a cell's rate", set_cell, false, 1000, {1000, 1000}, {8, 80}},
    {"a cell stops and goes, at one instant", set_cell, false, 0, {1000, 1000}, {0, 80}},
    {"a link's rate", set_link, false, 1000, {1000, 1000}, {8, 80}},
    {"a link's rate, at one instant", set_link, false, 0, {1000, 1000}, {8, 80}},
    {"a packet flow's rate", set_pfc, true, 1000, {1000, 1000}, {8, 80}},
    {"a packet flow stops and goes, at one instant", set_pfc, true, 0, {1000, 1000}, {0, 80}},
    {"a mobile goes and comes", delete_ms, false, 1000, {1000, 1000}, {8, 80}},
    {"a mobile goes and comes, at one instant", delete_ms, false, 0, {1000, 1000}, {80, 80}},
    {"a packet flow goes and comes", delete_pfc, true, 1000, {1000, 1000}, {8, 80}},
    {"a packet flow goes and comes, at one instant", delete_pfc, true, 0, {1000, 1000}, {80, 80}},
};

static void audit(struct rig *rig, size_t row)
{
    const char *complaint = audit_books(rig);
    if (!complaint)
        complaint = audit_wheel(rig);
    if (!complaint)
        complaint = audit_idle(rig);
    if (complaint)
        fail_msg("%s: %s", rows[row].name, complaint);
}

static void begin(struct rig *rig, size_t row)
{
    struct rig_counts counts = {.mobiles = MOBILES, .extras = 1, .cells = 1, .links = 1, .n_pdus = 16};
    struct sched_params params;
    sched_params_default(&params);
    params.max_age_ns = 3600 * RIG_SECOND; /* the timers of ages take their room, too */
    rig_new(rig, &counts, &params);
    for (uint32_t i = 1; i < MOBILES; i++) { /* others wait for long, with all that they have */
        bucket_set(&rig->ms[i].bucket, 1000, 8, 0);
        bucket_set_ratio(&rig->ms[i].bucket, 200, 0);
        rig_put(rig, i, &n_pdu_of_1000);
    }
    if (rows[row].is_pfc)
        assert_int_equal(sched_pfc_add(&rig->sched, &rig->ms[0], 1, 0), 0);
    rows[row].change(rig, 1000, 8000);
    rig_put(rig, 0, rows[row].is_pfc ? &n_pdu_of_pfc : &n_pdu_of_1000);
    rig_settle(rig);
    rig_put(rig, 0, rows[row].is_pfc ? &n_pdu_of_pfc : &n_pdu_of_1000);
    rig_settle(rig);
}

static void change_often(size_t row)
{
    struct rig rig;
    begin(&rig, row);
    for (int i = 0; i < TIMES; i++) {
        rig_run(&rig, rig.now + rows[row].step_ns);
        rows[row].change(&rig, rows[row].octets[i % 2], rows[row].rate_bps[i % 2]);
        rig_settle(&rig);
        if (i % 10 == 0)
            audit(&rig, row);
    }
    uint64_t before = rig.llc_pdus;
    int64_t now = rig.now;
    rows[row].change(&rig, 1000, 8000);
    rig_run(&rig, now + 900 * RIG_MSEC);
    assert_int_equal(rig.llc_pdus, before);
    rig_run(&rig, now + 1 * RIG_SECOND);
    if (rig.llc_pdus != before + 1)
        fail_msg("%s: nobody woke", rows[row].name);
    rig_run(&rig, MOMENT_NEVER);
    assert_int_equal(rig.sched.pkts, 0);
    rig_free(&rig);
}

TEST(changed_any_number_of_times)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        change_often(i);
}

UNIT_MAIN(NULL, NULL)
