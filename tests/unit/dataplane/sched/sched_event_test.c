/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: mobiles that move, freeze and are handed over, packet flows that come and go. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/unit.h"

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

TEST(mobiles_move)
{
    lab_play_all(moves, COUNT(moves));
}

TEST(mobiles_freeze)
{
    lab_play_all(freezes, COUNT(freezes));
}

TEST(mobiles_are_moved)
{
    lab_play_all(handovers, COUNT(handovers));
}

TEST(packet_flows_come_and_go)
{
    lab_play_all(packet_flows, COUNT(packet_flows));
}

UNIT_MAIN(NULL, NULL)
