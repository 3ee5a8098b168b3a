/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose turn it is: mobiles in a cell, cells in the scheduler. */
#include "tests/dataplane/queue/lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define MS LAB_MSEC
#define S  LAB_SECOND

static const struct lab_scenario turns[] = {
    {.name = "mobiles take turns by LLC-PDU",
     .segment_octets = 300,
     .steps = {{0, LAB_PUT, 0, 900}, {0, LAB_PUT, 1, 600}, {0, LAB_PUT, 2, 299}},
     .sent = {{0, 0, 300}, {0, 1, 300}, {0, 2, 299}, {0, 0, 300}, {0, 1, 300}, {0, 0, 300}}},
    {.name = "a short N-PDU waits behind the segments of a long one of its mobile",
     .segment_octets = 300,
     .steps = {{0, LAB_PUT, 0, 700}, {0, LAB_PUT, 0, 10}, {0, LAB_PUT, 1, 20}, {0, LAB_PUT, 1, 30}},
     .sent = {{0, 0, 300}, {0, 1, 20}, {0, 0, 300}, {0, 1, 30}, {0, 0, 100}, {0, 0, 10}}},
    {.name = "a newcomer stands at the end",
     .steps = {{0, LAB_CELL, 0, 300, 2400},
               {0, LAB_PUT, 0, 300},
               {0, LAB_PUT, 0, 300},
               {0, LAB_PUT, 0, 300},
               {1, LAB_PUT, 1, 300},
               {1, LAB_TURN, 0, true},
               {1500 * MS, LAB_TURN, 1, true}},
     .sent = {{0, 0, 300}, {1 * S, 0, 300}, {2 * S, 1, 300}, {3 * S, 0, 300}}},
    {.name = "nobody overtakes in a cell's bucket, however short",
     .steps = {{0, LAB_CELL, 0, 1000, 8000},
               {0, LAB_PUT, 0, 1000},
               {0, LAB_PUT, 1, 1000},
               {0, LAB_PUT, 2, 10},
               {500 * MS, LAB_PUT, 3, 1},
               {500 * MS, LAB_TURN, 1, true}},
     .sent = {{0, 0, 1000}, {1 * S, 1, 1000}, {1010 * MS, 2, 10}, {1011 * MS, 3, 1}}},
    {.name = "the turn is kept through new parameters of the cell",
     .steps = {{0, LAB_CELL, 0, 1000, 8000},
               {0, LAB_PUT, 0, 1000},
               {0, LAB_PUT, 1, 1000},
               {0, LAB_PUT, 2, 10},
               {200 * MS, LAB_CELL, 0, 1000, 4000},
               {300 * MS, LAB_CELL_USE, 0, false},
               {400 * MS, LAB_CELL_USE, 0, true}},
     .sent = {{0, 0, 1000}, {1800 * MS, 1, 1000}, {1820 * MS, 2, 10}}},
    {.name = "who wakes stands at the end",
     .steps = {{0, LAB_CELL, 0, 500, 4000},
               {0, LAB_SET, 0, 100, 800},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 0, 100},
               {900 * MS, LAB_PUT, 1, 500},
               {900 * MS, LAB_PUT, 2, 400},
               {950 * MS, LAB_PUT, 3, 500},
               {1100 * MS, LAB_STATE, 0, SCHED_STATE_READY}},
     .sent =
         {{0, 0, 100}, {900 * MS, 1, 500}, {1700 * MS, 2, 400}, {2700 * MS, 3, 500}, {2900 * MS, 0, 100}}},
    {.name = "parked once and again: a closed mobile has no claim",
     .steps = {{0, LAB_SET, 0, 100, 800},
               {0, LAB_CELL, 0, 500, 4000},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 1, 400},
               {0, LAB_PUT, 1, 400},
               {0, LAB_PUT, 1, 400},
               {0, LAB_PUT, 1, 400}},
     .sent = {{0, 0, 100},
              {0, 1, 400},
              {800 * MS, 1, 400},
              {1600 * MS, 1, 400},
              {1800 * MS, 0, 100},
              {2600 * MS, 1, 400},
              {2800 * MS, 0, 100}}},
    {.name = "a mobile and its cell wake at one instant",
     .steps = {{0, LAB_SET, 0, 100, 800},
               {0, LAB_CELL, 0, 200, 800},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 1, 100},
               {0, LAB_PUT, 1, 100},
               {0, LAB_PUT, 0, 100},
               {500 * MS, LAB_NEXT, 0, 1 * S},
               {500 * MS, LAB_TURN, 1, true},
               {500 * MS, LAB_STATE, 0, SCHED_STATE_PARKED}},
     .sent = {{0, 0, 100}, {0, 1, 100}, {1 * S, 1, 100}, {2 * S, 0, 100}}},
};

static const struct lab_scenario cells[] = {
    {.name = "cells take turns by LLC-PDU",
     .cell_of = {0, 1},
     .steps = {{0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 0, 101},
               {0, LAB_PUT, 0, 102},
               {0, LAB_PUT, 1, 200},
               {0, LAB_PUT, 1, 201},
               {0, LAB_PUT, 1, 202}},
     .sent = {{0, 0, 100}, {0, 1, 200}, {0, 0, 101}, {0, 1, 201}, {0, 0, 102}, {0, 1, 202}}},
    {.name = "many mobiles give a cell no more turns",
     .cell_of = {0, 0, 0, 1},
     .steps = {{0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 1, 101},
               {0, LAB_PUT, 2, 102},
               {0, LAB_PUT, 3, 200},
               {0, LAB_PUT, 3, 201},
               {0, LAB_PUT, 3, 202}},
     .sent = {{0, 0, 100}, {0, 3, 200}, {0, 1, 101}, {0, 3, 201}, {0, 2, 102}, {0, 3, 202}}},
    {.name = "a closed cell delays no other",
     .cell_of = {0, 1, 2},
     .steps = {{0, LAB_CELL, 0, 0, 0},
               {0, LAB_CELL, 1, 200, 1600},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 1, 200},
               {0, LAB_PUT, 1, 200},
               {0, LAB_PUT, 2, 300},
               {0, LAB_PUT, 2, 300},
               {0, LAB_PUT, 2, 300}},
     .sent = {{0, 1, 200}, {0, 2, 300}, {0, 2, 300}, {0, 2, 300}, {1 * S, 1, 200}}},
    {.name = "a cell of closed mobiles only delays no other, and wakes with them",
     .cell_of = {0, 0, 1},
     .steps = {{0, LAB_SET, 0, 100, 800},
               {0, LAB_SET, 1, 0, 0},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 0, 99},
               {0, LAB_PUT, 1, 100},
               {0, LAB_PUT, 2, 300},
               {0, LAB_PUT, 2, 301},
               {500 * MS, LAB_CELL_STATE, 0, SCHED_STATE_IDLE},
               {500 * MS, LAB_PUT, 2, 302}},
     .sent = {{0, 0, 100}, {0, 2, 300}, {0, 2, 301}, {500 * MS, 2, 302}, {990 * MS, 0, 99}}},
    {.name = "two cells with one bucket each",
     .cell_of = {0, 1},
     .steps = {{0, LAB_CELL, 0, 100, 800},
               {0, LAB_CELL, 1, 100, 1600},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 0, 100},
               {0, LAB_PUT, 1, 100},
               {0, LAB_PUT, 1, 100},
               {0, LAB_PUT, 1, 99}},
     .sent =
         {{0, 0, 100}, {0, 1, 100}, {500 * MS, 1, 100}, {995 * MS, 1, 99}, {1 * S, 0, 100}, {2 * S, 0, 100}}},
};

static void mobiles_take_turns(void **state)
{
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++)
        lab_play(&turns[i]);
}

static void cells_take_turns(void **state)
{
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        lab_play(&cells[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mobiles_take_turns),
        cmocka_unit_test(cells_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
