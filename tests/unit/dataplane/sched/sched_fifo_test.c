/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes in order of arrival: across mobiles and cells, beside closed buckets, after drops. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"

#define MS  RIG_MSEC
#define S   RIG_SECOND
#define BG  (1 << QCLASS_BACKGROUND)
#define THP (1 << QCLASS_THP1)

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
    ROW(.name = "the same N-PDUs in order of arrival", .fifo = BG, .steps = {CROWD},
        .sent = LIST({0, 3, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {3 * S, 0, 1000}, {4 * S, 1, 1000},
                     {5 * S, 2, 1000})),
    {.name = "the order of another class is its own", .fifo = THP, .steps = {CROWD}, .sent = TURNS},
    ROW(.name = "one that has sent nothing for long goes last", .fifo = BG,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {1500 * MS, LAB_PUT, 1, 100}),
        .sent = {{0, 0, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {2100 * MS, 1, 100}}),
    ROW(.name = "segments of an N-PDU stay together", .fifo = BG, .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 4000}, {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 1, 1000},
                      {2 * MS, LAB_PUT, 0, 500}),
        .sent = {{0, 0, 500}, {1 * S, 0, 500}, {2 * S, 1, 500}, {3 * S, 1, 500}, {4 * S, 0, 500}}),
};

static const struct lab_scenario buckets[] = {
    ROW(.name = "those behind a mobile with a closed bucket go first, and it goes as soon as it may",
        .fifo = BG,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_SET, 0, 1000, 3200}, {0, LAB_PUT, 0, 1000},
                      {1 * MS, LAB_PUT, 0, 1000}, {2 * MS, LAB_PUT, 1, 1000}, {3 * MS, LAB_PUT, 1, 1000},
                      {4 * MS, LAB_PUT, 1, 1000}, {5 * MS, LAB_PUT, 1, 1000}),
        .sent = LIST({0, 0, 1000}, {1 * S, 1, 1000}, {2 * S, 1, 1000}, {3 * S, 1, 1000}, {4 * S, 0, 1000},
                     {5 * S, 1, 1000}),
        .queued_only = true, .vain = 1), /* where its bucket opens, while the cell's is closed for another */
    ROW(.name = "a cell with a closed bucket does not hold another", .fifo = BG, .cell_of = {0, 1},
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 1, 1000}),
        .sent = {{0, 0, 1000}, {2 * MS, 1, 1000}, {1 * S, 0, 1000}}),
    ROW(.name = "cells that share a link go by arrival", .fifo = BG, .cell_of = {0, 1, 2},
        .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 2, 1000}, {4 * MS, LAB_PUT, 1, 1000},
                      {5 * MS, LAB_PUT, 2, 1000}, {6 * MS, LAB_PUT, 0, 1000}),
        .sent = LIST({0, 0, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {3 * S, 2, 1000}, {4 * S, 1, 1000},
                     {5 * S, 2, 1000}, {6 * S, 0, 1000})),
};

/* Mobile 0 loses the head with which it would go next. */
static const struct lab_scenario drops[] = {
    ROW(.name = "a context that is removed", .fifo = BG,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 2, 1000}, {1 * MS, LAB_PUT, 0, 1000, 1},
                      {2 * MS, LAB_PUT, 1, 1000}, {3 * MS, LAB_PUT, 0, 900}, {500 * MS, LAB_REMOVE, 0, 1}),
        .sent = {{0, 2, 1000}, {1 * S, 1, 1000}, {1900 * MS, 0, 900}},
        .dropped = {{500 * MS, 1000, DROP_CONTEXT_DELETED}}),
    ROW(.name = "a lifetime that ends", .fifo = BG, .max_age_ns = 1500 * MS,
        .steps = LIST({0, LAB_CELL, 0, 1000, 4000}, {0, LAB_PUT, 2, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {1 * S, LAB_PUT, 1, 1000}, {1200 * MS, LAB_PUT, 0, 900}),
        .sent = {{0, 2, 1000}, {2 * S, 1, 1000}},
        .dropped = {{1501 * MS + 1, 1000, DROP_LIFETIME}, {2700 * MS + 1, 900, DROP_LIFETIME}},
        .queued_only = true, .vain = 3), /* ages of what has left, and the cell's bucket */
    {.name = "a mobile that moves keeps the age of its N-PDUs",
     .fifo = BG,
     .cell_of = {0, 1},
     .steps =
         LIST({0, LAB_CELL, 1, 1000, 8000}, {0, LAB_CELL, 0, 1000, 0}, {0, LAB_PUT, 1, 1000},
              {0, LAB_PUT, 0, 1000}, {1 * MS, LAB_PUT, 0, 1000}, {2 * MS, LAB_PUT, 1, 1000},
              {3 * MS, LAB_PUT, 1, 1000}, {500 * MS, LAB_MOVE, 0, 1}, {500 * MS, LAB_SET, 0, 10000, 80000}),
     .sent = LIST({0, 1, 1000}, {0, 0, 1000}, {1 * S, 1, 1000}, {2 * S, 0, 1000},
                  {3 * S, 1, 1000}), /* the cell is parked for mobile 1 */
     .queued_only = true},
};

TEST(in_order_of_arrival)
{
    lab_play_all(order, COUNT(order));
}

TEST(past_closed_buckets)
{
    lab_play_all(buckets, COUNT(buckets));
}

TEST(after_drops_and_moves)
{
    lab_play_all(drops, COUNT(drops));
}

UNIT_MAIN(NULL, NULL)
