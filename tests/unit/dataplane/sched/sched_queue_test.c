/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow queues: who of a mobile goes first, when, and what becomes of what waits. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/ms.h"

#include <stdio.h>
#include <stdlib.h>

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

TEST_EACH(who_goes_first, lab_play, order)
TEST_EACH(what_becomes_of_the_others, lab_play, lots)

/* --- Limits: of mobiles, of class buffers, and of all together; who pays when they are reached --- */

/* --- mobiles and class buffers --- */

#define CLOSED                                                                                               \
    {                                                                                                        \
        0, LAB_CELL, 0, 0, 0                                                                                 \
    }

static const struct lab_scenario limits[] = {
    {.name = "octets of a mobile",
     .steps = LIST(CLOSED, {0, LAB_LIMIT, 0, 1000}, {0, LAB_PUT, 0, 600}, {0, LAB_PUT, 0, 401},
                   {0, LAB_PUT, 0, 400}, {0, LAB_PUT, 0, 1}, {0, LAB_PUT, 1, 1001}, /* another's */
                   {1 * S, LAB_BACKLOG, 0, 1000, 2}),
     .dropped = {{0, 401, DROP_QUEUE_FULL}, {0, 1, DROP_QUEUE_FULL}}},
    ROW(.name = "octets of a mobile, in all its flows",
        .steps = LIST(CLOSED, {0, LAB_LIMIT, 0, 1000}, {0, LAB_PFC_ADD, 0, 0, .pfi = 1}, {0, LAB_PUT, 0, 300},
                      {0, LAB_PUT, 0, 300, .k = LAB_THP1}, {0, LAB_PUT, 0, 300, .pfi = 1},
                      {0, LAB_PUT, 0, 101, .k = LAB_SIGNALLING}, {0, LAB_PUT, 0, 100, .k = LAB_SIGNALLING},
                      {1 * S, LAB_BACKLOG, 0, 1000, 4}),
        .dropped = {{0, 101, DROP_QUEUE_FULL}}),
    ROW(.name = "segments that have left make room", .segment_octets = 500,
        .steps = LIST({0, LAB_CELL, 0, 500, 0}, {0, LAB_LIMIT, 0, 2000}, {0, LAB_PUT, 0, 1500},
                      {0, LAB_PUT, 0, 501}, {1 * S, LAB_BACKLOG, 0, 1000, 1}, {1 * S, LAB_PUT, 0, 1001},
                      {1 * S, LAB_PUT, 0, 1000}),
        .sent = {{0, 0, 500}}, .dropped = {{0, 501, DROP_QUEUE_FULL}, {1 * S, 1001, DROP_QUEUE_FULL}}),
    ROW(.name = "no octet at all", .queued_only = true, .steps = {{0, LAB_LIMIT, 0, 0}, {0, LAB_PUT, 0, 1}},
        .dropped = {{0, 1, DROP_QUEUE_FULL}}),
    ROW(.name = "packets of a mobile", .ms_limit_pkts = 3,
        .steps = LIST(CLOSED, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101, .k = LAB_THP1}, {0, LAB_PUT, 0, 102},
                      {0, LAB_PUT, 0, 103}, {0, LAB_PUT, 0, 104, .k = LAB_THP2}, {0, LAB_PUT, 1, 105}),
        .dropped = {{0, 103, DROP_QUEUE_FULL}, {0, 104, DROP_QUEUE_FULL}}),
    ROW(.name = "octets of a class, in all cells of its link", .cell_of = {0, 1, 2}, .link_of = {0, 0, 1},
        .class_limits = {[LAB_THP1] = {1000, 100}},
        .steps = LIST(CLOSED, {0, LAB_CELL, 1, 0, 0}, {0, LAB_CELL, 2, 0, 0},
                      {0, LAB_PUT, 0, 600, .k = LAB_THP1}, {0, LAB_PUT, 1, 401, .k = LAB_THP1},
                      {0, LAB_PUT, 1, 400, .k = LAB_THP1}, {0, LAB_PUT, 2, 1000, .k = LAB_THP1},
                      {0, LAB_PUT, 1, 1200}, {0, LAB_CLASS, 0, 1000, 2, .k = LAB_THP1},
                      {0, LAB_CLASS, 1, 1000, 1, .k = LAB_THP1}, {0, LAB_CLASS, 0, 1200, 1}),
        .dropped = {{0, 401, DROP_CLASS_FULL}}),
    ROW(.name = "packets of a class", .class_limits = {[LAB_STREAMING] = {1000000, 2}},
        .steps = LIST(CLOSED, {0, LAB_PUT, 0, 100, .k = LAB_STREAMING},
                      {0, LAB_PUT, 1, 101, .k = LAB_STREAMING}, {0, LAB_PUT, 2, 102, .k = LAB_STREAMING},
                      {0, LAB_FLUSH, 0, DROP_CONTEXT_DELETED}, {0, LAB_PUT, 2, 103, .k = LAB_STREAMING}),
        .dropped = {{0, 102, DROP_CLASS_FULL}, {0, 100, DROP_CONTEXT_DELETED}}),
    ROW(.name = "the mobile's limit is named before its class's", .ms_limit_pkts = 1,
        .class_limits = {{100, 1}}, .steps = {CLOSED, {0, LAB_PUT, 0, 100}, {0, LAB_PUT, 0, 101}},
        .dropped = {{0, 101, DROP_QUEUE_FULL}}),
};

TEST_EACH(limits_of_mobiles_and_classes, lab_play, limits)

TEST(as_many_packets_as_a_flow_holds)
{
    struct rig rig;
    struct rig_counts counts = {.mobiles = 1, .cells = 1, .links = 1, .n_pdus = FLOW_QUEUE_MAX_PKTS + 1};
    struct sched_params params;
    struct n_pdu like = {.octets = 1, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
    sched_params_default(&params);
    params.ms_limit_pkts = UINT32_MAX;
    rig_new(&rig, &counts, &params);
    sched_bvc_use(&rig.sched, &rig.cells[0], false);
    for (uint32_t i = 0; i < FLOW_QUEUE_MAX_PKTS; i++)
        assert_int_equal(rig_put(&rig, 0, &like), DROP_NONE);
    assert_int_equal(rig_put(&rig, 0, &like), DROP_QUEUE_FULL);
    assert_null(audit_books(&rig));
    rig_free(&rig);
}

/* --- the budget of all --- */

#define BUDGET  20
#define RESERVE 3

static void begin(struct rig *rig, uint32_t mobiles)
{
    struct rig_counts counts = {mobiles, 10, 1, 1, 100};
    struct sched_params params;
    sched_params_default(&params);
    params.budget_pkts = BUDGET;
    params.reserve_pkts = RESERVE;
    rig_new(rig, &counts, &params);
    bucket_init(&rig->cells[0].bucket, 0, 0, 0);
}

static int put(struct rig *rig, uint32_t ms, uint8_t qclass)
{
    struct n_pdu like = {.octets = 100, .qclass = qclass, .pfi = N_PDU_NO_PFI};
    int reason = rig_put(rig, ms, &like);
    rig_take_dropped(rig);
    assert_null(audit_books(rig));
    return reason;
}

static uint32_t waiting(struct rig *rig, uint32_t ms)
{
    return sched_ms_backlog(&rig->sched, &rig->ms[ms]).pkts;
}

TEST_IN(the_longest_queue_pays, struct rig, rig, begin(rig, 4), rig_free(rig))
{
    for (uint32_t i = 0; i < BUDGET; i++) /* 12 and 8 */
        assert_int_equal(put(rig, i % 5 < 3 ? 0 : 1, QCLASS_BACKGROUND), DROP_NONE);
    assert_int_equal(put(rig, 2, QCLASS_BACKGROUND), DROP_NONE);
    assert_int_equal(waiting(rig, 0), 11);
    assert_int_equal(put(rig, 1, QCLASS_BACKGROUND), DROP_NONE); /* the second longest asks */
    assert_int_equal(waiting(rig, 0), 10);
    assert_int_equal(waiting(rig, 1), 9);
    assert_int_equal(put(rig, 0, QCLASS_BACKGROUND), DROP_NONE); /* the longest itself does */
    assert_int_equal(waiting(rig, 0), 10);
    assert_int_equal(rig->by_reason[DROP_BUDGET], 3);
    assert_int_equal(rig->refused, 0);
}

TEST_IN(signalling_never_pays, struct rig, rig, begin(rig, 3), rig_free(rig))
{
    for (uint32_t i = 0; i < BUDGET; i++) /* 12 of signalling, 8 */
        assert_int_equal(put(rig, i % 5 < 3 ? 0 : 1, i % 5 < 3 ? QCLASS_SIGNALLING : QCLASS_THP1), DROP_NONE);
    assert_int_equal(put(rig, 2, QCLASS_BACKGROUND), DROP_NONE);
    assert_int_equal(waiting(rig, 0), 12);
    assert_int_equal(waiting(rig, 1), 7);
    assert_int_equal(put(rig, 2, QCLASS_BACKGROUND), DROP_BUDGET); /* the only long one is of signalling */
    assert_int_equal(waiting(rig, 0), 12);
}

TEST_IN(signalling_has_a_reserve, struct rig, rig, begin(rig, 30), rig_free(rig))
{
    for (uint32_t i = 0; i < BUDGET; i++)
        assert_int_equal(put(rig, i, QCLASS_BACKGROUND), DROP_NONE);
    assert_int_equal(put(rig, 25, QCLASS_STREAMING), DROP_BUDGET); /* all queues are short */
    for (uint32_t i = 0; i < RESERVE; i++)
        assert_int_equal(put(rig, 25 + i, QCLASS_SIGNALLING), DROP_NONE);
    assert_int_equal(put(rig, 29, QCLASS_SIGNALLING), DROP_BUDGET);
    assert_int_equal(put(rig, 29, QCLASS_SMS), DROP_BUDGET);
    assert_int_equal(rig->sched.pkts, BUDGET + RESERVE);
}

/* What pays is not in service; with nothing else left of it, the next does. */
TEST_IN(what_is_in_service_does_not_pay, struct rig, rig, begin(rig, 2), rig_free(rig))
{
    rig->ms[0].n201_u = 60;
    bucket_init(&rig->cells[0].bucket, 60, 0, 0);
    for (uint32_t i = 0; i < BUDGET; i++)
        put(rig, 0, QCLASS_BACKGROUND);
    rig_settle(rig);
    const struct n_pdu *head = flow_queue_head(&rig->ms[0].flow.queue);
    assert_int_equal(head->sent_octets, 60);
    for (uint32_t i = 0; i < BUDGET; i++)
        assert_int_equal(put(rig, 0, QCLASS_BACKGROUND), DROP_NONE);
    assert_ptr_equal(flow_queue_head(&rig->ms[0].flow.queue), head);
    assert_int_equal(rig->by_reason[DROP_BUDGET], BUDGET);
    assert_int_equal(rig->by_reason[DROP_PARTIAL], 0);
}

/* --- two million offered to a hundred thousand, or half a million --- */

#define OFFERED     (short_form_is_wanted() ? UINT32_C(500000) : UINT32_C(2000000))
#define MANY_BUDGET UINT32_C(100000)

/* So many mobiles get `few` N-PDUs each, the others share what is left of those offered, and some
 * signalling comes in between. Who asks for less than its fair share of the budget loses nothing, as long as
 * that share is what counts as a long queue, LONGEST_MIN_PKTS. */
static const struct crowd {
    const char *name;
    uint32_t modest, few, greedy;
    uint32_t signalling; /* one in so many N-PDUs */
} crowds[] = {
    {"two against all", 9000, 10, 2, 1000},
    {"10 000 mobiles", 9000, 5, 1000, 100},
    {"15 000 mobiles", 10000, 3, 5000, 1000},
    {"6 000 mobiles, 17 of 19", 4765, 17, 1000, 1000},
    {"6 000 mobiles, 17 of 19, most of them greedy", 2000, 17, 3473, 1000},
    {"120 mobiles, 800 of 909", 100, 800, 22, 1000},
};

/* Whose turn it is to get an N-PDU: each of those offered belongs to a mobile from the start, in random
 * order. */
static uint32_t *shuffle(const struct crowd *crowd, uint64_t *seed)
{
    uint32_t *mobiles = calloc(OFFERED, sizeof(*mobiles));
    assert_non_null(mobiles);
    for (uint32_t i = 0; i < OFFERED; i++) {
        bool is_modest = i < crowd->modest * crowd->few;
        mobiles[i] = is_modest ? i / crowd->few : crowd->modest + i % crowd->greedy;
        uint32_t other = (uint32_t)prng_below(seed, i + 1);
        uint32_t swap = mobiles[i];
        mobiles[i] = mobiles[other];
        mobiles[other] = swap;
    }
    return mobiles;
}

struct losses {
    const struct crowd *crowd;
    uint64_t modest, greedy, signalling;
};

static void count_loss(struct rig *rig, const struct n_pdu *n_pdu, int reason)
{
    struct losses *losses = rig->arg;
    assert_int_equal(reason, DROP_BUDGET);
    if (n_pdu->qclass == QCLASS_SIGNALLING)
        losses->signalling++;
    else if (rig_ms_of(n_pdu) < losses->crowd->modest)
        losses->modest++;
    else
        losses->greedy++;
}

static void offer(struct rig *rig, const struct crowd *crowd)
{
    uint64_t seed = 1;
    uint32_t *mobiles = shuffle(crowd, &seed);
    for (uint32_t i = 0; i < OFFERED; i++) {
        bool is_signalling = i % crowd->signalling == 0;
        struct n_pdu like = {.octets = 100, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
        if (is_signalling)
            like.qclass = QCLASS_SIGNALLING;
        rig_put(rig,
                is_signalling ? crowd->modest + crowd->greedy + i / crowd->signalling % 1000 : mobiles[i],
                &like);
        rig_take_dropped(rig);
    }
    free(mobiles);
}

static void play_crowd(const struct crowd *crowd)
{
    struct rig rig;
    struct rig_counts counts = {crowd->modest + crowd->greedy + 1000, 1000, 1, 1, MANY_BUDGET + 1000};
    struct losses losses = {.crowd = crowd};
    struct sched_params params;
    sched_params_default(&params);
    params.budget_pkts = MANY_BUDGET;
    rig_new(&rig, &counts, &params);
    rig.arg = &losses;
    rig.on_gone = count_loss;
    sched_bvc_use(&rig.sched, &rig.cells[0], false);
    offer(&rig, crowd);
    printf("%s: of %u N-PDUs for %u buffers lost were %llu of mobiles below their share, %llu of the others, "
           "%llu of signalling\n",
           crowd->name, OFFERED, MANY_BUDGET, (unsigned long long)losses.modest,
           (unsigned long long)losses.greedy, (unsigned long long)losses.signalling);
    assert_null(audit_books(&rig));
    assert_int_equal(losses.signalling, 0);
    assert_int_equal(losses.modest, 0);
    rig_free(&rig);
}

TEST_EACH(who_asks_for_little_loses_nothing, play_crowd, crowds)

/* Flow queues by start tags. */

#define BG (1 << QCLASS_BACKGROUND)

/* A cell of 1000 octets a second, closed by what mobile 3 sends at 0. */
#define CELL                                                                                                 \
    {0, LAB_CELL, 0, 1000, 8000},                                                                            \
    {                                                                                                        \
        0, LAB_PUT, 3, 1000                                                                                  \
    }
#define PUT(ms_, who_, octets_, flow_)                                                                       \
    {                                                                                                        \
        (ms_) * MS, LAB_PUT, who_, octets_, .flow = flow_                                                    \
    }
#define TAGS .flow_queues = 16, .flow_tags = true

static const struct lab_scenario tags[] = {
    {.name = "a sparse N-PDU of another flow goes first",
     TAGS,
     .vain = 1, /* the instant of the head that was next before */
     .steps = {CELL, PUT(1, 0, 1000, 1), PUT(2, 0, 1000, 1), PUT(3, 0, 1000, 1), PUT(1500, 0, 100, 2)},
     .sent = LIST({0, 3, 1000}, {1000 * MS, 0, 1000}, {1500 * MS, 0, 100}, {2100 * MS, 0, 1000},
                  {3100 * MS, 0, 1000})},
    ROW(.name = "flows share by octets", TAGS, .vain = 1,
        .steps = {CELL, PUT(1, 0, 900, 1), PUT(2, 0, 900, 1), PUT(3, 0, 400, 2), PUT(4, 0, 400, 2),
                  PUT(5, 0, 400, 2)},
        .sent = LIST({0, 3, 1000}, {400 * MS, 0, 400}, {800 * MS, 0, 400}, {1700 * MS, 0, 900},
                     {2100 * MS, 0, 400}, {3000 * MS, 0, 900})),
    ROW(.name = "a short N-PDU goes first though its flow is ahead", TAGS, .vain = 1,
        .steps = {CELL, PUT(1, 0, 350, 1), PUT(2, 0, 350, 1), PUT(3, 0, 200, 2), PUT(4, 0, 200, 2)},
        .sent = LIST({0, 3, 1000}, {200 * MS, 0, 200}, {400 * MS, 0, 200}, {750 * MS, 0, 350},
                     {1100 * MS, 0, 350})),
    ROW(.name = "a debt outlives an empty queue", TAGS, .vain = 1,
        .steps = {CELL, PUT(1, 0, 1000, 1), PUT(2, 0, 400, 2), PUT(3, 0, 400, 2), PUT(4, 0, 400, 2),
                  PUT(5, 0, 400, 2), PUT(1900, 0, 700, 1)},
        .sent = LIST({0, 3, 1000}, {400 * MS, 0, 400}, {800 * MS, 0, 400}, {1800 * MS, 0, 1000},
                     {2200 * MS, 0, 400}, {2600 * MS, 0, 400}, {3300 * MS, 0, 700})),
    ROW(.name = "an N-PDU that is refused takes no set", TAGS, .flow_sets = 1,
        .steps = LIST({0, LAB_SET, 0, 0, 0}, {0, LAB_SET, 1, 0, 0}, {0, LAB_LIMIT, 0, 500},
                      {0, LAB_PUT, 0, 600, .flow = 1}, {0, LAB_SETS, 0, 0, 0}, {0, LAB_PUT, 1, 100},
                      {0, LAB_SETS, 0, 1, 0}, {1, LAB_FLUSH, 1, DROP_CONTEXT_DELETED}),
        .dropped = LIST({0, 600, DROP_QUEUE_FULL}, {1, 100, DROP_CONTEXT_DELETED})),
    ROW(.name = "a short N-PDU that lags by segments of another goes first", TAGS, .segment_octets = 500,
        .steps = {CELL, PUT(1, 0, 1500, 1), PUT(2, 0, 500, 1), PUT(700, 0, 100, 2)},
        .sent = LIST({0, 3, 500}, {0, 3, 500}, {500 * MS, 0, 500}, {1000 * MS, 0, 500}, {1500 * MS, 0, 500},
                     {1600 * MS, 0, 100}, {2100 * MS, 0, 500})),
};

TEST_EACH(flows_by_tags, lab_play, tags)

UNIT_MAIN(NULL, NULL)
