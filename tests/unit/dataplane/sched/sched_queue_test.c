/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow queues: who of a mobile goes first, when, and what becomes of what waits. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/unit.h"

#define MS RIG_MSEC
#define S  RIG_SECOND

#define THREE_OF_1000                                                                                        \
    {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1000},                                                            \
    {                                                                                                        \
        0, LAB_PUT, 0, 1000                                                                                  \
    }
#define PING 500 * MS, LAB_PUT, 0, 100
/* At 500 ms 500 octets are there for it. */
#define PING_FIRST                                                                                           \
    {                                                                                                        \
        {0, 0, 1000}, {500 * MS, 0, 100}, {1100 * MS, 0, 1000},                                              \
        {                                                                                                    \
            2100 * MS, 0, 1000                                                                               \
        }                                                                                                    \
    }

static const struct lab_scenario order[] = {
    {.name = "without flow queues a ping goes last",
     .steps = {{0, LAB_SET, 0, 1000, 8000}, THREE_OF_1000, {PING, .flow = 1}},
     .sent = {{0, 0, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {2100 * MS, 0, 100}}},
    ROW(.name = "with them it goes first, as soon as there is room for it", .flow_queues = 16,
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, THREE_OF_1000, {0, LAB_SETS, 0, 0}, {PING, .flow = 1},
                      {500 * MS, LAB_SETS, 0, 1}, {600 * MS, LAB_SETS, 0, 1}, {3 * S, LAB_SETS, 0, 0}),
        .sent = PING_FIRST, .vain = 1), /* where the download's would have gone */
    ROW(.name = "the same at a cell", .flow_queues = 16,
        .steps = {{0, LAB_CELL, 0, 1000, 8000}, THREE_OF_1000, {PING, .flow = 1}}, .sent = PING_FIRST,
        .vain = 1),
    ROW(.name = "the same at a link", .flow_queues = 16,
        .steps = {{0, LAB_LINK, 0, 1000, 8000}, THREE_OF_1000, {PING, .flow = 1}}, .sent = PING_FIRST,
        .vain = 1),
    ROW(.name = "the same in a packet flow", .flow_queues = 16,
        .steps = LIST({0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PFC_SET, 0, 1000, 8000, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {0, LAB_PUT, 0, 1000, .pfi = 9},
                      {0, LAB_PUT, 0, 1000, .pfi = 9}, {PING, .pfi = 9, .flow = 1}),
        .sent = PING_FIRST, .vain = 1),
    ROW(.name = "of the same 5-tuple it goes last", .flow_queues = 16,
        .steps = {{0, LAB_SET, 0, 1000, 8000}, THREE_OF_1000, {PING}, {500 * MS, LAB_SETS, 0, 0}},
        .sent = {{0, 0, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {2100 * MS, 0, 100}}),
    ROW(.name = "what is in service goes on", .flow_queues = 16, .segment_octets = 500,
        .steps = LIST({0, LAB_SET, 0, 500, 4000}, {0, LAB_PUT, 0, 1500}, {0, LAB_PUT, 0, 1000},
                      {500 * MS, LAB_PUT, 0, 400, .flow = 1}),
        .sent = LIST({0, 0, 500}, {1 * S, 0, 500}, {2 * S, 0, 500}, {2800 * MS, 0, 400}, {3800 * MS, 0, 500},
                     {4800 * MS, 0, 500})),
    ROW(.name = "one that is new goes before a smaller one, if that has had its turn", .flow_queues = 16,
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 100},
                      {0, LAB_PUT, 0, 1500}, {10 * MS, LAB_PUT, 0, 900, .flow = 3}),
        .sent = {{0, 0, 1000}, {900 * MS, 0, 900}, {1 * S, 0, 100}, {2000 * MS + 1, 0, 1500}}, .vain = 1),
    ROW(.name = "new ones go in the order in which they came", .flow_queues = 16,
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, THREE_OF_1000, {100 * MS, LAB_PUT, 0, 600, .flow = 1},
                      {200 * MS, LAB_PUT, 0, 300, .flow = 2}, {200 * MS, LAB_PUT, 0, 200, .flow = 1}),
        .sent = LIST({0, 0, 1000}, {600 * MS, 0, 600}, {800 * MS, 0, 200}, {1100 * MS, 0, 300},
                     {2100 * MS, 0, 1000}, {3100 * MS, 0, 1000}),
        .vain = 1),
    ROW(.name = "a first one that is short is new, too", .flow_queues = 16,
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 900},
                      {100 * MS, LAB_PUT, 0, 800, .flow = 1}),
        .sent = {{0, 0, 1000}, {900 * MS, 0, 900}, {1700 * MS, 0, 800}}),
    ROW(.name = "a quantum, and it is not new any more", .flow_queues = 16, .quantum_octets = 256,
        .steps = LIST({0, LAB_SET, 0, 100, 800}, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 90},
                      {0, LAB_PUT, 0, 80, .flow = 1}, {0, LAB_PUT, 0, 81, .flow = 1},
                      {0, LAB_PUT, 0, 82, .flow = 1}, {0, LAB_PUT, 0, 83, .flow = 1},
                      {0, LAB_PUT, 0, 84, .flow = 1}, {2 * S, LAB_PUT, 0, 50, .flow = 2}),
        .sent = LIST({0, 0, 100}, {900 * MS, 0, 90}, {1700 * MS, 0, 80}, {2510 * MS, 0, 81},
                     {3330 * MS, 0, 82}, {4160 * MS, 0, 83}, {4660 * MS, 0, 50}, {5500 * MS, 0, 84}),
        .vain = 0),
    ROW(.name = "each class of a mobile has its own", .flow_queues = 16,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, THREE_OF_1000, {0, LAB_PUT, 0, 500, .k = LAB_STREAMING},
                      {0, LAB_PUT, 0, 100, .k = LAB_STREAMING, .flow = 1}, {0, LAB_PUT, 0, 100, .flow = 1},
                      {0, LAB_SETS, 0, 2}),
        .queued_only = true,
        .sent = LIST({0, 0, 500}, {0, 0, 100}, {0, 0, 100}, {700 * MS, 0, 1000}, {1700 * MS, 0, 1000},
                     {2700 * MS, 0, 1000})),
    ROW(.name = "when no set is left a mobile has one queue, until that runs low", .flow_queues = 16,
        .flow_sets = 1,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_SET, 1, 0, 0}, {0, LAB_PUT, 0, 100},
                      {0, LAB_PUT, 0, 101, .flow = 1}, {0, LAB_PUT, 1, 102}, {0, LAB_PUT, 1, 103, .flow = 1},
                      {0, LAB_PUT, 1, 104}, {0, LAB_SETS, 0, 1, 1},
                      {1 * S, LAB_FLUSH, 0, DROP_CONTEXT_DELETED}, {1 * S, LAB_PUT, 1, 105, .flow = 2},
                      {1 * S, LAB_SETS, 0, 0, 1}, {2 * S, LAB_SET, 1, 309, 800}, {3 * S, LAB_PUT, 1, 1400},
                      {3 * S, LAB_PUT, 1, 50, .flow = 5}, {3 * S, LAB_SETS, 0, 1, 1}),
        .sent = LIST({2 * S, 1, 102}, {2 * S, 1, 103}, {2 * S, 1, 104}, {3050 * MS, 1, 105},
                     {6140 * MS + 1, 1, 1400}, {17550 * MS + 1, 1, 50}),
        .dropped = {{1 * S, 100, DROP_CONTEXT_DELETED}, {1 * S, 101, DROP_CONTEXT_DELETED}}),
};

static const struct lab_scenario lots[] = {
    {.name = "at a mobile's limit the longest of its queues pays",
     .flow_queues = 16,
     .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_LIMIT, 0, 2500}, {0, LAB_PUT, 0, 1000},
                   {0, LAB_PUT, 0, 1001}, {0, LAB_PUT, 0, 400}, {1, LAB_PUT, 0, 600, .flow = 1},
                   {1, LAB_BACKLOG, 0, 2001, 3}, {2, LAB_PUT, 0, 700, .flow = 0}, /* itself */
                   {3, LAB_PUT, 0, 1400, .flow = 2},                              /* another */
                   {3, LAB_BACKLOG, 0, 2400, 3}, {4, LAB_FLUSH, 0, DROP_CONTEXT_DELETED}),
     .dropped = LIST({1, 1000, DROP_QUEUE_FULL}, {2, 700, DROP_QUEUE_FULL}, {3, 1001, DROP_QUEUE_FULL},
                     {4, 400, DROP_CONTEXT_DELETED}, {4, 600, DROP_CONTEXT_DELETED},
                     {4, 1400, DROP_CONTEXT_DELETED})},
    ROW(.name = "the same in packets, and what is in service does not pay", .flow_queues = 16,
        .segment_octets = 500, .ms_limit_pkts = 3,
        .steps =
            LIST({0, LAB_SET, 0, 500, 0}, {0, LAB_PUT, 0, 1500}, {0, LAB_PUT, 0, 10}, {1, LAB_PUT, 0, 11},
                 {1, LAB_PUT, 0, 900, .flow = 1}, {1, LAB_PUT, 0, 901, .flow = 2}, {1, LAB_PUT, 0, 12},
                 {1, LAB_BACKLOG, 0, 2801, 3}, {2, LAB_FLUSH, 0, DROP_CONTEXT_DELETED}),
        .sent = {{0, 0, 500}},
        .dropped =
            LIST({1, 10, DROP_QUEUE_FULL}, {1, 11, DROP_QUEUE_FULL}, {1, 12, DROP_QUEUE_FULL},
                 {2, 1500, DROP_PARTIAL}, {2, 900, DROP_CONTEXT_DELETED}, {2, 901, DROP_CONTEXT_DELETED})),
    ROW(.name = "an N-PDU beyond the limit makes nobody pay, nor one that its class refuses",
        .flow_queues = 16, .class_limits = {{5000, 3}},
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_LIMIT, 0, 1000}, {0, LAB_PUT, 0, 300},
                      {0, LAB_PUT, 0, 301}, {0, LAB_PUT, 0, 1001, .flow = 1}, {0, LAB_PUT, 0, 100, .flow = 1},
                      {0, LAB_PUT, 0, 500, .flow = 2}, {0, LAB_BACKLOG, 0, 701, 3},
                      {0, LAB_FLUSH, 0, DROP_CONTEXT_DELETED}),
        .dropped = LIST({0, 1001, DROP_QUEUE_FULL}, {0, 500, DROP_QUEUE_FULL}, {0, 300, DROP_CONTEXT_DELETED},
                        {0, 301, DROP_CONTEXT_DELETED}, {0, 100, DROP_CONTEXT_DELETED})),
    ROW(.name = "each queue's head grows too old on its own day", .flow_queues = 16, .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100}, {300 * MS, LAB_PUT, 0, 101, .flow = 1},
                      {600 * MS, LAB_PUT, 0, 102}, {700 * MS, LAB_PUT, 0, 103, .flow = 2},
                      {800 * MS, LAB_PUT, 0, 104, .flow = 1}, {1800 * MS, LAB_BACKLOG, 0, 104, 1},
                      {3 * S, LAB_SETS}),
        .dropped = LIST({1 * S + 1, 100, DROP_LIFETIME}, {1300 * MS + 1, 101, DROP_LIFETIME},
                        {1600 * MS + 1, 102, DROP_LIFETIME}, {1700 * MS + 1, 103, DROP_LIFETIME},
                        {1800 * MS + 1, 104, DROP_LIFETIME})),
    ROW(.name = "older ones behind what is in service grow too old on their day", .flow_queues = 16,
        .segment_octets = 500, .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1001},
                      {100 * MS, LAB_PUT, 0, 600, .flow = 1}, {100 * MS, LAB_SET, 0, 500, 0},
                      {200 * MS, LAB_TAKE, 0}, {200 * MS, LAB_INIT, 0, 0}, {200 * MS, LAB_SET, 0, 0, 0},
                      {200 * MS, LAB_N201_U, 0, 500}, {200 * MS, LAB_BACK, 0}),
        .sent = {{100 * MS, 0, 500}},
        .dropped = LIST({1 * S + 1, 1000, DROP_LIFETIME}, {1 * S + 1, 1001, DROP_LIFETIME},
                        {1100 * MS + 1, 600, DROP_PARTIAL})),
    ROW(.name = "the same in one queue, as there is no set: none of them begins to leave", .flow_queues = 16,
        .flow_sets = 1, .segment_octets = 500, .max_age_ns = 1 * S,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 1000}, {0, LAB_PUT, 0, 1001},
                      {100 * MS, LAB_PUT, 0, 600, .flow = 1}, {100 * MS, LAB_SET, 0, 500, 0},
                      {200 * MS, LAB_TAKE, 0}, {200 * MS, LAB_INIT, 0, 0}, {200 * MS, LAB_SET, 0, 0, 0},
                      {200 * MS, LAB_N201_U, 0, 500}, {200 * MS, LAB_SET, 1, 0, 0},
                      {200 * MS, LAB_PUT, 1, 10}, {200 * MS, LAB_PUT, 1, 11, .flow = 1},
                      {200 * MS, LAB_BACK, 0}, {200 * MS, LAB_SETS, 0, 1, 1},
                      {1050 * MS, LAB_SET, 0, 5000, 0}, {1060 * MS, LAB_FLUSH, 1, DROP_CONTEXT_DELETED}),
        .sent = {{100 * MS, 0, 500}, {1050 * MS, 0, 100}},
        .dropped = LIST({1050 * MS, 1000, DROP_LIFETIME}, {1050 * MS, 1001, DROP_LIFETIME},
                        {1060 * MS, 10, DROP_CONTEXT_DELETED}, {1060 * MS, 11, DROP_CONTEXT_DELETED}),
        .vain = 3),
    ROW(.name = "of a context that ends all go, and nothing else", .flow_queues = 16,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PUT, 0, 100, 1}, {0, LAB_PUT, 0, 101, 2, .flow = 1},
                      {0, LAB_PUT, 0, 102, 2}, {0, LAB_PUT, 0, 103, 1, .flow = 1},
                      {0, LAB_PUT, 0, 104, 2, .flow = 2}, {1, LAB_REMOVE, 0, 2}, {1, LAB_BACKLOG, 0, 203, 2},
                      {1, LAB_SETS, 0, 1}, {2, LAB_REMOVE, 0, 1}, {2, LAB_SETS, 0, 0}),
        .dropped = LIST({1, 102, DROP_CONTEXT_DELETED}, {1, 101, DROP_CONTEXT_DELETED},
                        {1, 104, DROP_CONTEXT_DELETED}, {2, 100, DROP_CONTEXT_DELETED},
                        {2, 103, DROP_CONTEXT_DELETED})),
    ROW(.name = "taken out they are in service first, then by age; back again, each in its queue",
        .flow_queues = 16, .segment_octets = 500,
        .steps = LIST({0, LAB_SET, 0, 500, 0}, {0, LAB_PUT, 0, 600}, {1, LAB_PUT, 0, 101, .flow = 1},
                      {2, LAB_PUT, 0, 102}, {3, LAB_PUT, 0, 103, .flow = 1}, {3, LAB_PUT, 0, 1400, .flow = 2},
                      {4, LAB_TAKE, 0}, {4, LAB_SETS, 0, 0}, {5, LAB_BACK, 0}, {5, LAB_SETS, 0, 1},
                      {5, LAB_BACKLOG, 0, 1806, 5}, {5, LAB_RATIO, 0, 0}, {5, LAB_SET, 0, 500, 8000}),
        .sent = LIST({0, 0, 500}, {5, 0, 100}, {5, 0, 102}, {5, 0, 101}, {5, 0, 103},
                     {400 * MS + 5 + 6 * MS, 0, 500}, {906 * MS + 5, 0, 500}, {1306 * MS + 5, 0, 400})),
    ROW(.name = "another cell: each stays in its queue", .flow_queues = 16, .cell_of = {0},
        .steps = LIST({0, LAB_SET, 0, 1000, 8000}, THREE_OF_1000, {100 * MS, LAB_PUT, 0, 900, .flow = 1},
                      {200 * MS, LAB_MOVE, 0, 1}, {200 * MS, LAB_SETS, 0, 1}),
        .sent = {{0, 0, 1000}, {200 * MS, 0, 900}, {1100 * MS, 0, 1000}, {2100 * MS, 0, 1000}}, .vain = 2),
    ROW(.name = "a packet flow ends: what waited joins, each its 5-tuple", .flow_queues = 16,
        .steps =
            LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_PFC_ADD, 0, 0, .pfi = 9}, {0, LAB_PUT, 0, 100, .flow = 1},
                 {1, LAB_PUT, 0, 101, .pfi = 9}, {2, LAB_PUT, 0, 102, .pfi = 9, .flow = 1},
                 {3, LAB_PUT, 0, 103, .pfi = 9}, {4, LAB_PUT, 0, 104}, {5, LAB_SETS, 0, 2},
                 {5, LAB_PFC_DEL, 0, 0, .pfi = 9}, {5, LAB_SETS, 0, 1}, {6, LAB_SET, 0, 1000, 8000}),
        .sent = {{6, 0, 100}, {6, 0, 102}, {6, 0, 101}, {6, 0, 103}, {6, 0, 104}}),
};

TEST(who_goes_first)
{
    lab_play_all(order, COUNT(order));
}

TEST(what_becomes_of_the_others)
{
    lab_play_all(lots, COUNT(lots));
}

UNIT_MAIN(NULL, NULL)
