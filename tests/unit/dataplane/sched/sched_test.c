/* SPDX-License-Identifier: BSD-3-Clause */
/* Buckets of all levels through the scheduler: when an LLC-PDU leaves, to the nanosecond. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/unit.h"

#define MS RIG_MSEC
#define S  RIG_SECOND

/* The sequences of the flow control fact sheet, each at every level that it can be at. */
#define FIVE_AND_ONE                                                                                         \
    {0, LAB_PUT, 0, 400}, {0, LAB_PUT, 0, 400}, {0, LAB_PUT, 0, 400}, {0, LAB_PUT, 0, 400},                  \
        {0, LAB_PUT, 0, 400},                                                                                \
    {                                                                                                        \
        10 * S, LAB_PUT, 0, 400                                                                              \
    }
#define SENT_A                                                                                               \
    {0, 0, 400}, {0, 0, 400}, {200 * MS, 0, 400}, {600 * MS, 0, 400}, {1 * S, 0, 400},                       \
    {                                                                                                        \
        10 * S, 0, 400                                                                                       \
    }
#define PUTS_B                                                                                               \
    {0, LAB_PUT, 0, 1500}, {0, LAB_PUT, 0, 60}, {0, LAB_PUT, 0, 60}, {1 * S, LAB_PUT, 0, 1400},              \
    {                                                                                                        \
        20 * S, LAB_PUT, 0, 1500                                                                             \
    }
#define SENT_B                                                                                               \
    {0, 0, 1500}, {120 * MS, 0, 60}, {240 * MS, 0, 60}, {3040 * MS, 0, 1400},                                \
    {                                                                                                        \
        20 * S, 0, 1500                                                                                      \
    }
#define THREE                                                                                                \
    {0, LAB_PUT, 0, 400}, {0, LAB_PUT, 0, 400},                                                              \
    {                                                                                                        \
        0, LAB_PUT, 0, 400                                                                                   \
    }

static const struct lab_scenario sequences[] = {
    {.name = "A at a mobile", .steps = {{0, LAB_SET, 0, 1000, 8000}, FIVE_AND_ONE}, .sent = {SENT_A}},
    {.name = "A at a cell", .steps = {{0, LAB_CELL, 0, 1000, 8000}, FIVE_AND_ONE}, .sent = {SENT_A}},
    {.name = "A at a link", .steps = {{0, LAB_LINK, 0, 1000, 8000}, FIVE_AND_ONE}, .sent = {SENT_A}},
    ROW(.name = "A at a packet flow",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 1000, 8000, .pfi = 9},
                      {0, LAB_PUT, 0, 400, .pfi = 9}, {0, LAB_PUT, 0, 400, .pfi = 9},
                      {0, LAB_PUT, 0, 400, .pfi = 9}, {0, LAB_PUT, 0, 400, .pfi = 9},
                      {0, LAB_PUT, 0, 400, .pfi = 9}, {10 * S, LAB_PUT, 0, 400, .pfi = 9}),
        .sent = {SENT_A}),
    {.name = "B at a mobile", .steps = {{0, LAB_SET, 0, 1500, 4000}, PUTS_B}, .sent = {SENT_B}},
    {.name = "B at a cell", .steps = {{0, LAB_CELL, 0, 1500, 4000}, PUTS_B}, .sent = {SENT_B}},
    {.name = "B at a link", .steps = {{0, LAB_LINK, 0, 1500, 4000}, PUTS_B}, .sent = {SENT_B}},
    ROW(.name = "C at a mobile",
        .steps =
            {{0, LAB_SET, 0, 1000, 0}, THREE, {1 * S, LAB_PARKED, 0, 1}, {1 * S, LAB_NEXT, 0, MOMENT_NEVER}},
        .sent = {{0, 0, 400}, {0, 0, 400}}),
    ROW(.name = "C at a cell",
        .steps = LIST({0, LAB_CELL, 0, 1000, 0}, THREE, {1 * S, LAB_MODE, 0, SCHED_MODE_PARKED},
                      {1 * S, LAB_NEXT, 0, MOMENT_NEVER}),
        .sent = {{0, 0, 400}, {0, 0, 400}}),
    ROW(.name = "C at a packet flow",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 1000, 0, .pfi = 9},
                      {0, LAB_PUT, 0, 400, .pfi = 9}, {0, LAB_PUT, 0, 400, .pfi = 9},
                      {0, LAB_PUT, 0, 400, .pfi = 9}, {1 * S, LAB_NEXT, 0, MOMENT_NEVER}),
        .sent = {{0, 0, 400}, {0, 0, 400}}),
    ROW(.name = "D",
        .steps = LIST({0, LAB_CELL, 0, 1000, 16000}, {0, LAB_SET, 0, 800, 8000}, {0, LAB_SET, 1, 800, 8000},
                      {0, LAB_PUT, 0, 600}, {0, LAB_PUT, 1, 600}, {0, LAB_PUT, 0, 600}, {0, LAB_PUT, 1, 600}),
        .sent = {{0, 0, 600}, {100 * MS, 1, 600}, {400 * MS, 0, 600}, {700 * MS, 1, 600}},
        .vain = 1), /* at 500 ms the second mobile opens, its cell does not */
    ROW(.name = "D at a link and two packet flows",
        .steps = LIST({0, LAB_LINK, 0, 1000, 16000}, {0, LAB_PFC_ADD, 0, 0, .pfi = 1},
                      {0, LAB_PFC_ADD, 0, 0, .pfi = 2}, {0, LAB_PFC_SET, 0, 800, 8000, .pfi = 1},
                      {0, LAB_PFC_SET, 0, 800, 8000, .pfi = 2}, {0, LAB_PUT, 0, 600, .pfi = 1},
                      {0, LAB_PUT, 0, 600, .pfi = 2, .sapi = 5}, {0, LAB_PUT, 0, 600, .pfi = 1},
                      {0, LAB_PUT, 0, 600, .pfi = 2, .sapi = 5}),
        .sent = {{0, 0, 600}, {100 * MS, 0, 600}, {400 * MS, 0, 600}, {700 * MS, 0, 600}}, .vain = 1),
};

static const struct lab_scenario levels[] = {
    /* Each level is the last to open once; the wakes in vain are those of the levels below it. */
    ROW(.name = "packet flow, mobile, cell and link, one after the other",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 500, 4000, .pfi = 9},
                      {0, LAB_SET, 0, 700, 1600}, {0, LAB_CELL, 0, 900, 800}, {0, LAB_LINK, 0, 1500, 400},
                      {0, LAB_PUT, 0, 400, .pfi = 9}, {0, LAB_PUT, 0, 400, .pfi = 9},
                      {0, LAB_PUT, 0, 400, .pfi = 9}, {0, LAB_PUT, 0, 400, .pfi = 9},
                      {0, LAB_PUT, 0, 400, .pfi = 9}, {0, LAB_PUT, 0, 400, .pfi = 9}),
        .sent = LIST({0, 0, 400}, {600 * MS, 0, 400}, {3 * S, 0, 400}, {7 * S, 0, 400}, {11 * S, 0, 400},
                     {18 * S, 0, 400}),
        .vain = 7),
    ROW(.name = "to the nanosecond at a mobile, rounded against sending",
        .steps =
            {{0, LAB_SET, 0, 1000, 7000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999}, {0, LAB_PUT, 0, 500}},
        .sent = {{0, 0, 1000}, {1141714286, 0, 999}, {1713142858, 0, 500}}),
    ROW(.name = "to the nanosecond at a cell",
        .steps =
            {{0, LAB_CELL, 0, 1000, 7000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999}, {0, LAB_PUT, 2, 500}},
        .sent = {{0, 0, 1000}, {1141714286, 1, 999}, {1713142858, 2, 500}}),
    ROW(.name = "to the nanosecond at a link",
        .steps =
            {{0, LAB_LINK, 0, 1000, 7000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999}, {0, LAB_PUT, 2, 500}},
        .sent = {{0, 0, 1000}, {1141714286, 1, 999}, {1713142858, 2, 500}}),
    ROW(.name = "an oversized LLC-PDU goes when the bucket has drained, and a nanosecond: cell",
        .steps =
            {{0, LAB_CELL, 0, 500, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1001}, {0, LAB_PUT, 0, 499}},
        .sent = {{1, 0, 1000}, {1 * S + 2, 0, 1001}, {2 * S + 2, 0, 499}}),
    ROW(.name = "the same: mobile",
        .steps =
            {{0, LAB_SET, 0, 500, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1001}, {0, LAB_PUT, 0, 499}},
        .sent = {{1, 0, 1000}, {1 * S + 2, 0, 1001}, {2 * S + 2, 0, 499}}),
    ROW(.name = "the same: link",
        .steps =
            {{0, LAB_LINK, 0, 500, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1001}, {0, LAB_PUT, 0, 499}},
        .sent = {{1, 0, 1000}, {1 * S + 2, 0, 1001}, {2 * S + 2, 0, 499}}),
    ROW(.name = "the same: packet flow",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 500, 8000, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {0, LAB_PUT, 0, 1001, .pfi = 9},
                      {0, LAB_PUT, 0, 499, .pfi = 9}),
        .sent = {{1, 0, 1000}, {1 * S + 2, 0, 1001}, {2 * S + 2, 0, 499}}),
    {.name = "Bmax = 0, R > 0: one each time it has drained",
     .steps = {{0, LAB_SET, 0, 0, 8000}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 200}, {0, LAB_PUT, 0, 300}},
     .sent = {{1, 0, 100}, {100 * MS + 2, 0, 200}, {300 * MS + 3, 0, 300}}},
    ROW(.name = "segments count one by one", .segment_octets = 400,
        .steps = {{0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1500}},
        .sent = {{0, 0, 400}, {0, 0, 400}, {200 * MS, 0, 400}, {500 * MS, 0, 300}}),
    {.name = "what is refused at one level is charged at none",
     .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_SET, 0, 600, 800}, {0, LAB_PUT, 1, 1000},
                   {0, LAB_PUT, 0, 600}, /* the mobile would take it, the cell does not until 600 ms */
                   {0, LAB_PUT, 0, 60}),
     .sent = {{0, 1, 1000}, {600 * MS, 0, 600}, {1200 * MS, 0, 60}}},
    ROW(.name = "a link counts the headers, the others do not", .link_octets = 100,
        .steps = LIST({0, LAB_LINK, 0, 1100, 8800}, {0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000},
                      {0, LAB_PUT, 0, 500}),
        .sent = {{0, 0, 1000}, {545454546, 0, 500}}, .vain = 1),
};

/* --- parameters change while somebody waits --- */

static const struct lab_scenario changes[] = {
    ROW(.name = "R = 0 at a cell, then new parameters",
        .steps = LIST({0, LAB_CELL, 0, 1000, 0}, {0, LAB_PUT, 0, 600}, {0, LAB_PUT, 1, 600},
                      {5 * S, LAB_NEXT, 0, MOMENT_NEVER}, {5 * S, LAB_CELL, 0, 1000, 8000}),
        .sent = {{0, 0, 600}, {5200 * MS, 1, 600}}),
    ROW(.name = "R = 0 at a mobile, then new parameters",
        .steps = LIST({0, LAB_SET, 0, 1000, 0}, {0, LAB_PUT, 0, 600}, {0, LAB_PUT, 0, 600},
                      {5 * S, LAB_NEXT, 0, MOMENT_NEVER}, {5 * S, LAB_SET, 0, 1000, 8000}),
        .sent = {{0, 0, 600}, {5200 * MS, 0, 600}}),
    ROW(.name = "R = 0 at a packet flow, then new parameters",
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 1000, 0, .pfi = 9},
                      {0, LAB_PUT, 0, 600, .pfi = 9}, {0, LAB_PUT, 0, 600, .pfi = 9},
                      {5 * S, LAB_NEXT, 0, MOMENT_NEVER}, {5 * S, LAB_PFC_SET, 0, 1000, 8000, .pfi = 9}),
        .sent = {{0, 0, 600}, {5200 * MS, 0, 600}}),
    ROW(.name = "R = 0, then a larger Bmax: at once",
        .steps = LIST({0, LAB_SET, 0, 1000, 0}, {0, LAB_PUT, 0, 600}, {0, LAB_PUT, 0, 600},
                      {5 * S, LAB_SET, 0, 1200, 0}, {6 * S, LAB_PARKED, 0, 0}),
        .sent = {{0, 0, 600}, {5 * S, 0, 600}}),
    ROW(.name = "a mobile slows down while it waits",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                      {500 * MS, LAB_SET, 0, 1000, 4000}),
        .sent = {{0, 0, 1000}, {1500 * MS, 0, 1000}}, .vain = 1),
    ROW(.name = "a mobile speeds up while it waits",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                      {500 * MS, LAB_SET, 0, 1000, 16000}),
        .sent = {{0, 0, 1000}, {750 * MS, 0, 1000}}, .vain = 1),
    ROW(.name = "a cell slows down, stops and goes on while it waits",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {200 * MS, LAB_CELL, 0, 1000, 4000}, {400 * MS, LAB_CELL, 0, 1000, 0},
                      {2 * S, LAB_NEXT, 0, MOMENT_NEVER}, {9 * S, LAB_CELL, 0, 1000, 8000}),
        .sent = {{0, 0, 1000}, {9700 * MS, 1, 1000}}, .vain = 2),
    ROW(.name = "a link slows down, and has no rate any more",
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {0, LAB_PUT, 2, 1001}, {200 * MS, LAB_LINK, 0, 1000, 4000},
                      {1900 * MS, LAB_LINK, 0, 0, 0}, {1900 * MS, LAB_NEXT, 0, INT64_MIN}),
        .sent = {{0, 0, 1000}, {1800 * MS, 1, 1000}, {1900 * MS, 2, 1001}}, .vain = 2),
    ROW(.name = "the peer says that a mobile's bucket is emptier, fuller, overfull",
        .steps =
            LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                 {100 * MS, LAB_RATIO, 0, 50}, {200 * MS, LAB_RATIO, 0, 100}, {300 * MS, LAB_RATIO, 0, 200}),
        .sent = {{0, 0, 1000}, {2300 * MS, 0, 1000}}, .vain = 3),
    ROW(.name = "the peer says that a cell's bucket is overfull",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 100}, {100 * MS, LAB_CELL_RATIO, 0, 200},
                      {100 * MS, LAB_PUT, 0, 1000}),
        .sent = {{0, 0, 100}, {2100 * MS, 0, 1000}}),
    ROW(.name = "octets that the BSS discarded make room",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000},
                      {0, LAB_PUT, 0, 1000}, {100 * MS, LAB_DISCARD, 0, 800}, {150 * MS, LAB_PARKED, 0, 1},
                      {250 * MS, LAB_PARKED, 0, 0}, {300 * MS, LAB_CELL_DISCARD, 0, 600}),
        .sent = {{0, 0, 1000}, {400 * MS, 0, 1000}},
        .vain = 2), /* at 200 ms the mobile opens, at 1 s it would have */
    ROW(.name = "flow control for who has nothing to send wakes nobody",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000},
                      {100 * MS, LAB_SET, 0, 500, 0}, {100 * MS, LAB_CELL, 0, 500, 0},
                      {100 * MS, LAB_NEXT, 0, MOMENT_NEVER}),
        .sent = {{0, 0, 1000}}),
};

/* --- cells are allowed to send and forbidden --- */

static const struct lab_scenario usable[] = {
    ROW(.name = "a cell that may not send keeps its queues",
        .steps = LIST({0, LAB_CELL_USE, 0, false}, {0, LAB_PUT, 0, 100},
                      {1 * S, LAB_MODE, 0, SCHED_MODE_STOPPED}, {1 * S, LAB_NEXT, 0, MOMENT_NEVER},
                      {2 * S, LAB_PUT, 0, 200}, {3 * S, LAB_CELL_USE, 0, true}),
        .sent = {{3 * S, 0, 100}, {3 * S, 0, 200}}),
    ROW(.name = "forbidden with something to send", .queued_only = true,
        .steps = {{0, LAB_PUT, 0, 100}, {0, LAB_CELL_USE, 0, false}, {1 * S, LAB_CELL_USE, 0, true}},
        .sent = {{1 * S, 0, 100}}),
    ROW(.name = "forbidden and allowed while parked",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                      {200 * MS, LAB_CELL_USE, 0, false}, {300 * MS, LAB_CELL_USE, 0, true}),
        .sent = {{0, 0, 1000}, {1 * S, 0, 1000}}),
    ROW(.name = "forbidden past its instant; the bucket leaks on",
        .steps =
            LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                 {0, LAB_PUT, 1, 999}, {200 * MS, LAB_CELL_USE, 0, false}, {3 * S, LAB_CELL_USE, 0, true}),
        .sent = {{0, 0, 1000}, {3 * S, 0, 1000}, {3999 * MS, 1, 999}}, .vain = 1),
    ROW(.name = "forbidden between the turns of a cell that its bucket limits",
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {1 * S, LAB_PUT, 2, 500, .k = LAB_THP1}, {1 * S, LAB_CELL_USE, 0, false},
                      {1 * S, LAB_CELL_USE, 0, true}),
        .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {1500 * MS, 2, 500}}),
    ROW(.name = "a mobile wakes in a cell that may not send",
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},
                      {100 * MS, LAB_CELL_USE, 0, false}, {1100 * MS, LAB_PARKED, 0, 0},
                      {2 * S, LAB_CELL_USE, 0, true}),
        .sent = {{0, 0, 1000}, {2 * S, 0, 1000}}, .vain = 1),
    ROW(.name = "parameters of a cell that may not send",
        .steps = LIST({0, LAB_CELL, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {1 * S, LAB_CELL_USE, 0, false},
                      {2 * S, LAB_CELL, 0, 1000, 8000}, {3 * S, LAB_CELL_USE, 0, true}),
        .sent = {{3 * S, 0, 100}}),
    ROW(.name = "twice allowed, twice forbidden",
        .steps =
            LIST({0, LAB_CELL_USE, 0, true}, {0, LAB_PUT, 0, 100}, {0, LAB_CELL_USE, 0, true},
                 {1 * S, LAB_CELL_USE, 0, false}, {1 * S, LAB_CELL_USE, 0, false}, {1 * S, LAB_PUT, 0, 200},
                 {2 * S, LAB_CELL_USE, 0, true}, {2 * S, LAB_CELL_USE, 0, true}),
        .sent = {{0, 0, 100}, {2 * S, 0, 200}}),
    ROW(.name = "one cell of three is forbidden, and waits for the link when it comes back",
        .cell_of = {0, 1, 2},
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 200},
                      {0, LAB_PUT, 2, 300}, {0, LAB_CELL_USE, 1, false}, {1 * S, LAB_CELL_USE, 1, true}),
        .sent = {{0, 0, 1000}, {300 * MS, 2, 300}, {1 * S, 1, 200}}),
    ROW(.name = "all cells of a link are forbidden while it waits", .cell_of = {0, 1},
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {100 * MS, LAB_CELL_USE, 0, false}, {100 * MS, LAB_CELL_USE, 1, false},
                      {2 * S, LAB_NEXT, 0, MOMENT_NEVER}, {3 * S, LAB_CELL_USE, 1, true}),
        .sent = {{0, 0, 1000}, {3 * S, 1, 1000}}, .vain = 1),
};

TEST_EACH(the_fact_sheets_sequences, lab_play, sequences)
TEST_EACH(all_levels_to_the_nanosecond, lab_play, levels)
TEST_EACH(changes_take_effect, lab_play, changes)
TEST_EACH(cells_are_allowed_and_forbidden, lab_play, usable)

/* --- N-PDUs that grow too old in every state of their mobile, and when: to the nanosecond --- */

static const struct lab_scenario ages[] = {
    ROW(.name = "at its greatest age it may leave", .max_age_ns = 1 * S,
        .steps = {{0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000}},
        .sent = {{0, 0, 1000}, {1 * S, 0, 1000}},
        .vain = 1), /* the timer of an age stays when what it was for has left */
    ROW(.name = "a nanosecond older it may not", .max_age_ns = 1 * S - 1,
        .steps = {{0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000}},
        .sent = {{0, 0, 1000}}, .dropped = {{1 * S, 1000, DROP_LIFETIME}}),
    ROW(.name = "the same at a cell", .max_age_ns = 1 * S - 1,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {1, LAB_PUT, 2, 1000}),
        .sent = {{0, 0, 1000}, {1 * S, 2, 1000}}, .dropped = {{1 * S, 1000, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "the same at a link", .max_age_ns = 1 * S - 1,
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 1000},
                      {1, LAB_PUT, 2, 1000}),
        .sent = {{0, 0, 1000}, {1 * S, 2, 1000}}, .dropped = {{1 * S, 1000, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "the same at a packet flow", .max_age_ns = 1 * S - 1,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 1000, 8000, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {0, LAB_PUT, 0, 1000, .pfi = 9},
                      {1, LAB_PUT, 0, 1000, .pfi = 9}),
        .sent = {{0, 0, 1000}, {1 * S, 0, 1000}}, .dropped = {{1 * S, 1000, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "the one with which a cell waits: the next gets its turn at once", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {500 * MS, LAB_PUT, 2, 10}),
        .sent = {{0, 0, 1000}, {1 * S + 1, 2, 10}}, .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "the one with which a link waits: the next gets its turn at once", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_LINK, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {500 * MS, LAB_PUT, 2, 10}),
        .sent = {{0, 0, 1000}, {1 * S + 1, 2, 10}}, .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "a shorter one behind it: that is looked at", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {500 * MS, LAB_PUT, 1, 20}, {500 * MS, LAB_PUT, 2, 10}),
        .sent = {{0, 0, 1000}, {1 * S + 1, 1, 20}, {1 * S + 1, 2, 10}},
        .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "the only one with which a cell waits: it rests", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {2 * S, LAB_MODE, 0, SCHED_MODE_LINK}, {2 * S, LAB_PUT, 1, 200}),
        .queued_only = true, .sent = {{0, 0, 1000}, {2 * S, 1, 200}},
        .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "others with which nobody waits", .max_age_ns = 10 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 2, 10},
                      {1 * S, LAB_PUT, 1, 999}, {1 * S, LAB_PUT, 3, 998}),
        .sent = {{0, 0, 1000}, {100 * MS, 2, 10}, {10090 * MS, 1, 999}},
        .dropped = {{11 * S + 1, 998, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "parked: nobody waits any longer for the one that was there", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999},
                      {600 * MS, LAB_PUT, 0, 10}, {600 * MS, LAB_PARKED, 0, 1}),
        .sent = {{0, 0, 1000}, {1 * S + 1, 0, 10}}, .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "parked with no instant known", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {500 * MS, LAB_NEXT, 0, 1 * S + 1},
                      {500 * MS, LAB_PUT, 0, 101}, {1200 * MS, LAB_PARKED, 0, 1}, {2 * S, LAB_PARKED, 0, 0}),
        .dropped = {{1 * S + 1, 100, DROP_LIFETIME}, {1500 * MS + 1, 101, DROP_LIFETIME}}),
    ROW(.name = "each flow of a mobile has its own age", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {200 * MS, LAB_PUT, 0, 101, .k = LAB_THP1},
                      {400 * MS, LAB_PUT, 0, 102}, {600 * MS, LAB_PUT, 0, 103, .k = LAB_THP1}),
        .dropped = LIST({1 * S + 1, 100, DROP_LIFETIME}, {1200 * MS + 1, 101, DROP_LIFETIME},
                        {1400 * MS + 1, 102, DROP_LIFETIME}, {1600 * MS + 1, 103, DROP_LIFETIME})),
    ROW(.name = "in service and parked: partial", .max_age_ns = 1 * S, .segment_octets = 500,
        .steps = {{0, LAB_SET, 0, 500, 800}, {0, LAB_PUT, 0, 1000}, {500 * MS, LAB_PUT, 0, 10}},
        .sent = {{0, 0, 500}, {1 * S + 1, 0, 10}}, .dropped = {{1 * S + 1, 1000, DROP_PARTIAL}}, .vain = 2),
    ROW(.name = "in service and the one with which its cell waits: partial, the next is whole",
        .max_age_ns = 1 * S, .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 999},
                      {500 * MS, LAB_PUT, 1, 10}),
        .sent = {{0, 0, 500}, {1 * S + 1, 1, 10}},
        .dropped = {{1 * S + 1, 1000, DROP_PARTIAL}, {1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "in service in a closed packet flow: who waited for it goes", .max_age_ns = 1 * S,
        .segment_octets = 500,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 500, 0, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {500 * MS, LAB_PUT, 0, 300}),
        .sent = {{0, 0, 500}, {1 * S + 1, 0, 300}}, .dropped = {{1 * S + 1, 1000, DROP_PARTIAL}}, .vain = 1),
    ROW(.name = "a cell that may not send: they are dropped there, too", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL_USE, 0, false}, {0, LAB_PUT, 0, 100}, {100 * MS, LAB_PUT, 1, 200},
                      {600 * MS, LAB_PUT, 0, 101}, {2 * S, LAB_PUT, 2, 300}, {3 * S, LAB_CELL_USE, 0, true}),
        .sent = {{3 * S, 2, 300}},
        .dropped = LIST({1 * S + 1, 100, DROP_LIFETIME}, {1100 * MS + 1, 200, DROP_LIFETIME},
                        {1600 * MS + 1, 101, DROP_LIFETIME}),
        .vain = 1),
    ROW(.name = "a frozen mobile: they are dropped there, too", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_FREEZE, 0, SCHED_MS_LOST}, {0, LAB_PUT, 0, 100}, {500 * MS, LAB_PUT, 0, 101},
                      {1200 * MS, LAB_THAW, 0, SCHED_MS_LOST}),
        .sent = {{1200 * MS, 0, 101}}, .dropped = {{1 * S + 1, 100, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "forbidden while a cell waits", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_CELL, 0, 1000, 800}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 1, 999},
                      {1 * S, LAB_PUT, 2, 10}, {500 * MS, LAB_CELL_USE, 0, false},
                      {1500 * MS, LAB_CELL_USE, 0, true}),
        .sent = {{0, 0, 1000}, {1500 * MS, 2, 10}}, .dropped = {{1 * S + 1, 999, DROP_LIFETIME}}, .vain = 2),
    ROW(.name = "the timer of one that left does not end another early or late", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_PUT, 0, 100}, {700 * MS, LAB_CELL, 0, 0, 0}, {700 * MS, LAB_PUT, 0, 101},
                      {900 * MS, LAB_PUT, 0, 102}, {1600 * MS, LAB_NEXT, 0, 1700 * MS + 1}),
        .queued_only = true, .sent = {{0, 0, 100}},
        .dropped = {{1700 * MS + 1, 101, DROP_LIFETIME}, {1900 * MS + 1, 102, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "several at one instant", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101}, {0, LAB_PUT, 0, 102},
                      {1, LAB_PUT, 0, 103}),
        .dropped = LIST({1 * S + 1, 100, DROP_LIFETIME}, {1 * S + 1, 101, DROP_LIFETIME},
                        {1 * S + 1, 102, DROP_LIFETIME}, {1 * S + 2, 103, DROP_LIFETIME})),
    ROW(.name = "it makes room in the queue", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_LIMIT, 0, 1000}, {0, LAB_PUT, 0, 600},
                      {500 * MS, LAB_PUT, 0, 500}, {1100 * MS, LAB_PUT, 0, 999}),
        .dropped = LIST({500 * MS, 500, DROP_QUEUE_FULL}, {1 * S + 1, 600, DROP_LIFETIME},
                        {2100 * MS + 1, 999, DROP_LIFETIME})),
    ROW(.name = "it goes on after a move", .max_age_ns = 1 * S,
        .steps =
            {{0, LAB_SET, 0, 0, 0}, {0, LAB_CELL, 1, 0, 0}, {0, LAB_PUT, 0, 600}, {500 * MS, LAB_MOVE, 0, 1}},
        .dropped = {{1 * S + 1, 600, DROP_LIFETIME}}),
    ROW(.name = "taken out and put back it has its age, however late", .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {500 * MS, LAB_PUT, 0, 101},
                      {800 * MS, LAB_TAKE, 0}, {1200 * MS, LAB_BACK, 0}),
        .dropped = {{1200 * MS, 100, DROP_LIFETIME}, {1500 * MS + 1, 101, DROP_LIFETIME}}, .vain = 1),
    ROW(.name = "joining another flow, it ends behind a younger one in service", .max_age_ns = 1 * S,
        .segment_octets = 500,
        .steps = LIST({0, LAB_SET, 0, 500, 4000}, {0, LAB_PFC_ADD, 0, 0, .pfi = 9},
                      {0, LAB_PFC_SET, 0, 0, 0, .pfi = 9}, {0, LAB_PUT, 0, 100, .pfi = 9},
                      {200 * MS, LAB_PUT, 0, 1000}, {300 * MS, LAB_PFC_DEL, 0, .pfi = 9}),
        .sent = {{200 * MS, 0, 500}, {1200 * MS, 0, 500}}, .dropped = {{1200 * MS, 100, DROP_LIFETIME}},
        .vain = 2),
    ROW(.name = "none may leave at all", .max_age_ns = -1,
        .steps = {{0, LAB_PUT, 0, 100}, {1 * S, LAB_PUT, 0, 101}},
        .dropped = {{0, 100, DROP_LIFETIME}, {1 * S, 101, DROP_LIFETIME}}),
};

TEST_EACH(lifetime_ends_it_in_every_state, lab_play, ages)

/* However many N-PDUs pass, and whatever they do to a mobile's head, its timers do not pile up. */
TEST(timers_do_not_pile_up)
{
    struct rig rig;
    struct rig_counts counts = {.mobiles = 2, .extras = 1, .cells = 1, .links = 1, .n_pdus = 1000};
    struct sched_params params;
    sched_params_default(&params);
    params.max_age_ns = 60 * S;
    rig_new(&rig, &counts, &params);
    bucket_init(&rig.ms[0].bucket, 1000, 80000, 0);
    for (int64_t i = 0; i < 100000; i++) {
        struct n_pdu like = {.octets = 90, .qclass = (uint8_t)(QCLASS_THP1 + i % 2), .pfi = N_PDU_NO_PFI};
        rig_run(&rig, i * 10 * MS);
        assert_int_equal(rig_put(&rig, 0, &like), DROP_NONE);
        assert_in_range(rig.sched.wheel.count, 0, 6);
    }
    rig_run(&rig, MOMENT_NEVER);
    assert_int_equal(rig.out, 100000);
    rig_free(&rig);
}

UNIT_MAIN(NULL, NULL)
