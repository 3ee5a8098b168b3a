/* SPDX-License-Identifier: BSD-3-Clause */
/* What else happens to mobiles and cells, and extreme values (TS 48.018 clauses 7, 8). */
#include "tests/unit/dataplane/context/play.h"

#define SECOND_NS 1000000000

/* --- corrections --- */

static const struct play_row corrections[] = {
    {"LLC-DISCARDED: leaves the mobile's bucket and the cell's",
     LIST({0, PUT, 0, 500}, {0, PUT, 1, 300}, {0, SENDS, 0, 2}, {0, DISCARDED, 0, 200, 0},
          {0, IS_MS, 0, 300, 1000, 800}, {0, IS_MS, 1, 300, 1000, 800}, {0, IS_BVC, 0, 600, 5000, 8000},
          {0, DISCARDED, 0, 1000000, 0}, {0, IS_MS, 0, 0, 1000, 800}, {0, IS_BVC, 0, 0, 5000, 8000})},
    {"LLC-DISCARDED: with PFI the packet flow's, too",
     LIST({0, PFC_ADD, 0, 8}, {0, FLOW_PFC, 0, 8, 1000, 80}, {0, PUT, 0, 500, 9}, {0, SENDS, 0, 1},
          {0, IS_PFC, 0, 500, 1000, 80, 8}, {0, DISCARDED, 0, 200, 0, 9}, {0, IS_PFC, 0, 300, 1000, 80, 8},
          {0, IS_MS, 0, 300, 1000, 800}, {0, DISCARDED, 0, 100, 0},
          {0, DISCARDED, 0, 100, 0, 10}, /* an unknown one */
          {0, IS_PFC, 0, 300, 1000, 80, 8}, {0, IS_MS, 0, 100, 1000, 800})},
    {"LLC-DISCARDED: of a packet flow without a bucket",
     {{0, PFC_ADD, 0, 8}, {0, DISCARDED, 0, 200, 0, 9}, {0, NO_PFC, 0, 8}}},
    {"corrections of a mobile that missed changes of its defaults",
     LIST({0, PUT, 0, 500}, {0, PUT, 1, 500}, {0, SENDS, 0, 2}, {1000, FLOW_BVC, 0, 5000, 8000, 1000, 400},
          {2000, FLOW_BVC, 0, 5000, 8000, 1000, 80}, {4000, DISCARDED, 0, 100, 0},
          {4000, IS_MS, 0, 230, 1000, 80}, {4000, TRANSFERRED, 1, 100, 1, 0}, {4000, IS_MS, 1, 430, 1000, 80},
          {4000, IS_BVC, 0, 100, 5000, 8000}, {5000, IS_MS, 1, 420, 1000, 80},
          {5000, FLOW_BVC, 0, 5000, 8000, 1000, 0}, {99000, TRANSFERRED, 1, 100, 1, 0},
          {99000, IS_MS, 1, 520, 1000, 0})},
    {"LLC-DISCARDED: lets those go who waited for mobile, packet flow or cell",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, DISCARDED, 0, 500, 0}, {0, SENDS, 0, 1},
          {0, FLOW_PFC, 0, 3, 100, 0}, {0, PUT, 0, 60, 4}, {0, PUT, 0, 60, 4}, {0, DISCARDED, 0, 1000, 0},
          {0, SENDS, 0, 1}, {0, DISCARDED, 0, 60, 0, 4}, {0, SENDS, 0, 1},
          {0, FLOW_BVC, 0, 500, 0, 1000, 800}, {0, PUT, 1, 450}, {0, SENDS, 0, 0}, {0, DISCARDED, 0, 120, 0},
          {0, SENDS, 0, 1})},
    {"LLC-DISCARDED: of a cell that the mobile has left",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, TO_CELL, 0, 1}, {0, PUT, 0, 300}, {0, SENDS, 0, 1},
          {0, DISCARDED, 0, 400, 0}, {0, IS_BVC, 0, 100, 5000, 8000}, {0, IS_BVC, 1, 300, 6000, 16000},
          {0, IS_MS, 0, 300, 700, 400})},
    {"LLC-DISCARDED: of a mobile that is not known; of a cell that is not; of neither",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, DISCARDED, MS_NONE, 200, 0},
          {0, IS_BVC, 0, 300, 5000, 8000}, {0, IS_MS, 0, 500, 1000, 800},
          {0, DISCARDED | REFUSED, 0, 200, RIG_BVCS}, {0, DISCARDED, 0, 200, GB_BVC_NONE},
          {0, IS_BVC, 0, 100, 5000, 8000}, {0, IS_MS, 0, 300, 1000, 800},
          {0, DISCARDED | REFUSED, MS_NONE, 200, GB_BVC_NONE})},
    {"FLUSH-LL-ACK, deleted: leaves the old cell's bucket",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, TO_CELL, 0, 1}, {0, DELETED, 0, 400, 0},
          {0, IS_BVC, 0, 100, 5000, 8000}, {0, IS_BVC, 1, 0, 6000, 16000}, {0, IS_MS, 0, 0, 700, 400})},
    {"FLUSH-LL-ACK, transferred: and enters the new one's and the mobile's",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, TO_CELL, 0, 1}, {0, PUT, 0, 100}, {0, SENDS, 0, 1},
          {0, TRANSFERRED, 0, 500, 0, 1}, {0, IS_BVC, 0, 0, 5000, 8000}, {0, IS_BVC, 1, 600, 6000, 16000},
          {0, IS_MS, 0, 600, 700, 400}, {1000, IS_MS, 0, 550, 700, 400})},
    {"FLUSH-LL-ACK, transferred beyond Bmax: waits for leakage",
     LIST({0, TO_CELL, 0, 1}, {0, TRANSFERRED, 0, 1000, 0, 1}, {0, IS_MS, 0, 1000, 700, 400},
          {0, PUT, 0, 100}, {0, SENDS, 0, 0}, {0, WAKES, 0, (uint64_t)8 * SECOND_NS})},
    {"FLUSH-LL-ACK, transferred for one whose time has come unnoticed",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 500}, {0, SENDS, 0, 1}, {5000, TRANSFERRED, 0, 100, 1, 0},
          {5000, IS_MS, 0, 500, 1000, 800}, {5000, SENDS, 0, 1})},
    {"FLUSH-LL-ACK, transferred to a cell that the mobile has left again; of one that is not known",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, TO_CELL, 0, 1}, {0, TO_CELL, 0, 2},
          {0, TRANSFERRED, 0, 500, 0, 1}, {0, IS_BVC, 1, 500, 6000, 16000}, {0, IS_BVC, 2, 0, 6000, 16000},
          {0, IS_MS, 0, 0, 700, 400}, {0, TRANSFERRED, MS_NONE, 200, 1, 2}, {0, IS_BVC, 1, 300, 6000, 16000},
          {0, IS_BVC, 2, 200, 6000, 16000})},
    {"FLUSH-LL-ACK, transferred from a cell that another worker has",
     LIST({0, TO_CELL, 0, 1}, {0, TRANSFERRED, 0, 500, GB_BVC_NONE, 1}, {0, IS_BVC, 0, 0, 5000, 8000},
          {0, IS_BVC, 1, 500, 6000, 16000}, {0, IS_MS, 0, 500, 700, 400})},
    {"FLUSH-LL-ACK that names no cell, or octets without end",
     LIST({0, TRANSFERRED | REFUSED, 0, 1, 0, RIG_BVCS}, {0, TRANSFERRED | REFUSED, 0, 1, RIG_BVCS, 0},
          {0, DELETED | REFUSED, 0, 1, RIG_BVCS}, {0, TRANSFERRED | REFUSED, 0, UINT64_C(1) << 32, 0, 1},
          {0, IS_BVC, 1, 0, 6000, 16000})},
};

/* --- cell changes --- */

static const struct play_row moves[] = {
    {"what waits goes along, also to another NSE",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 300}, {0, PUT, 0, 300}, {0, SENDS, 0, 1}, {0, TO_CELL, 0, 1},
          {0, WAITS, 0, 2}, {0, SENDS, 0, 2}, {0, IS_MS, 0, 600, 700, 400}, {0, IS_BVC, 0, 900, 5000, 8000},
          {0, IS_BVC, 1, 600, 6000, 16000})},
    {"the rest of what is in service follows",
     LIST({0, N201_U, 0, 400}, {0, PUT, 0, 1010}, /* 396 + 397 + 207 octets of it, 10 + 9 + 9 around them */
          {0, SENDS, 0, 2}, {0, TO_CELL, 0, 2}, {0, SENDS, 0, 1}, {0, IS_BVC, 0, 812, 5000, 8000},
          {0, IS_BVC, 2, 216, 6000, 16000}, {0, WAITS, 0, 0})},
    {"from a cell that may not send to one that may, and back",
     LIST({0, UNBLOCK, 0, 0}, {0, PUT, 0, 100}, {0, SENDS, 0, 0}, {0, TO_CELL, 0, 1}, {0, SENDS, 0, 1},
          {0, TO_CELL, 0, 0}, {0, PUT, 0, 100}, {0, SENDS, 0, 0}, {0, UNBLOCK, 0, 1}, {0, SENDS, 0, 1})},
    {"new defaults of the new cell reach it while it waits",
     LIST({0, PUT, 0, 600}, {0, SENDS, 0, 1}, {0, PUT, 0, 600}, {0, PUT, 0, 600}, {0, SENDS, 0, 0},
          {0, TO_CELL, 0, 1}, {0, SENDS, 0, 1}, {0, FLOW_BVC, 1, 6000, 16000, 2000, 400}, {0, SENDS, 0, 1})},
    {"to the same cell: as to any other",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, TO_CELL, 0, 0},
          {0, IS_MS, 0, 0, 1000, 800}, {0, SENDS, 0, 1})},
    {"packet flows' parameters are void, the flows are not",
     LIST({0, PFC_ADD, 0, 8}, {0, FLOW_PFC, 0, 8, 100, 0}, {0, PUT, 0, 60, 9}, {0, PUT, 0, 60, 9},
          {0, SENDS, 0, 1}, {0, TO_CELL, 0, 1}, {0, NO_PFC, 0, 8}, {0, SENDS, 0, 1},
          {0, PFC_ADD | REFUSED, 0, 8}, {0, FLOW_PFC, 0, 8, 100, 0}, {0, IS_PFC, 0, 0, 100, 0, 8})},
    {"new defaults of the old cell no more concern it",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 900}, {0, SENDS, 0, 1}, {0, TO_CELL, 0, 1},
          {0, FLOW_BVC, 0, 5000, 8000, 100, 0}, {0, IS_MS, 0, 0, 700, 400},
          {0, FLOW_BVC, 1, 6000, 16000, 800, 300}, {0, IS_MS, 0, 0, 800, 300})},
    {"to a cell that is not there",
     {{0, TO_CELL | REFUSED, 0, RIG_BVCS}, {0, TO_CELL | REFUSED, 3, 1}, {0, IS_MS, 0, 0, 1000, 800}}},
};

/* --- held back --- */

static const struct play_row frozen[] = {
    {"SUSPEND and RESUME: buckets leak on, parameters stay",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, SUSPEND, 0, 1}, {0, PUT, 0, 600}, {0, PUT, 1, 100},
          {0, SENDS, 0, 1}, {1000, SENDS, 0, 0}, {1000, WAKES, 0, 0}, {1000, IS_MS, 0, 400, 1000, 800},
          {1000, FLOW_MS, 0, 1000, 80}, {1000, HEARD, 0}, {1000, SENDS, 0, 0}, {1000, SUSPEND, 0, 0},
          {1000, SENDS, 0, 1}, {1000, IS_MS, 0, 1000, 1000, 80})},
    {"RADIO-STATUS: until it is heard",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, RADIO_STATUS, 0, 1}, {0, IS_MS, 0, 500, 1000, 800},
          {0, PUT, 0, 100}, {0, PUT, 1, 100}, {0, SENDS, 0, 1}, {0, HEARD, 1}, {0, SENDS, 0, 0},
          {0, HEARD, 0}, {0, SENDS, 0, 1})},
    {"RADIO-STATUS: until it is in another cell",
     {{0, RADIO_STATUS, 0, 1}, {0, PUT, 0, 100}, {0, SENDS, 0, 0}, {0, TO_CELL, 0, 1}, {0, SENDS, 0, 1}}},
    {"both: each has its own end",
     LIST({0, RADIO_STATUS, 0, 1}, {0, SUSPEND, 0, 1}, {0, PUT, 0, 100}, {0, SUSPEND, 0, 0}, {0, SENDS, 0, 0},
          {0, SUSPEND, 0, 1}, {0, RADIO_STATUS, 0, 0}, {0, SENDS, 0, 0}, {0, TO_CELL, 0, 1}, {0, SENDS, 0, 0},
          {0, SUSPEND, 0, 0}, {0, SENDS, 0, 1})},
    {"while it waits for its bucket",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 900}, {0, SENDS, 0, 1}, {0, SUSPEND, 0, 1}, {9000, SENDS, 0, 0},
          {9000, SUSPEND, 0, 0}, {9000, SENDS, 0, 1})},
    {"of nobody", {{0, SUSPEND | REFUSED, 3, 1}, {0, RADIO_STATUS | REFUSED, RIG_MOBILES, 1}}},
};

/* --- it goes --- */

static const struct play_row ends[] = {
    {"detach: nothing of it is left, nobody's bucket is another's",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 900}, {0, SENDS, 0, 1}, {0, MS_DEL, 0},
          {0, DROPS, 0, 1, DROP_CONTEXT_DELETED}, {0, FLOW_MS | REFUSED, 0, 1, 1},
          {0, TH_EXPIRES | REFUSED, 0}, {0, PFC_ADD | REFUSED, 0, 8}, {0, DISCARDED, 0, 900, 0},
          {0, IS_BVC, 0, 0, 5000, 8000}, {0, FLOW_BVC, 0, 5000, 8000, 900, 400}, {0, IS_MS, 1, 0, 900, 400},
          {10000, SENDS, 0, 0})},
};

/* --- extremes --- */

static const struct play_row extremes[] = {
    {"R = 0: fills up to Bmax, then waits for new values",
     LIST({0, FLOW_MS, 0, 1000, 0}, {0, PUT, 0, 400}, {0, PUT, 0, 400}, {0, PUT, 0, 400}, {0, SENDS, 0, 2},
          {100000, SENDS, 0, 0}, {100000, WAKES, 0, 0}, {100000, FLOW_MS, 0, 1200, 0},
          {100000, SENDS, 0, 1})},
    {"R = 0 of a cell: the cell stops",
     LIST({0, FLOW_BVC, 0, 500, 0, 1000, 800}, {0, PUT, 0, 500}, {0, PUT, 1, 100}, {0, PUT, 2, 100},
          {0, SENDS, 0, 2}, {100000, SENDS, 0, 0}, {100000, WAKES, 0, 0},
          {100000, FLOW_BVC, 0, 500, 800, 1000, 800}, {100000, SENDS, 0, 0},
          {100000, WAKES, 0, (uint64_t)101 * SECOND_NS}, {101000, SENDS, 0, 1})},
    {"Bmax = 0: one LLC-PDU each time it has run empty",
     LIST({0, FLOW_MS, 0, 0, 800}, {0, PUT, 0, 100}, {0, PUT, 0, 100}, {0, SENDS, 0, 0}, {1, SENDS, 0, 1},
          {1, WAKES, 0, SECOND_NS + 1000001}, {1001, SENDS, 0, 0}, {1002, SENDS, 0, 1})},
    {"Bmax = 0 and R = 0: full stop",
     {{0, FLOW_MS, 0, 0, 0}, {0, PUT, 0, 100}, {100000, SENDS, 0, 0}, {100000, WAKES, 0, 0}}},
    {"Bmax below one LLC-PDU: it goes when the bucket has run empty",
     LIST({0, FLOW_MS, 0, 100, 800}, {0, PUT, 0, 300}, {0, PUT, 0, 300}, {1, SENDS, 0, 1},
          {1, WAKES, 0, (uint64_t)3 * SECOND_NS + 1000001})},
    {"R_default_MS = 0: one Bmax, then FLOW-CONTROL-MS",
     LIST({0, FLOW_BVC, 0, 5000, 8000, 1000, 0}, {0, PUT, 0, 900}, {0, PUT, 0, 500}, {0, SENDS, 0, 1},
          {0, WAKES, 0, 0}, {60000, FLOW_MS, 0, 2000, 800}, {60000, SENDS, 0, 1},
          {60000, IS_MS, 0, 1400, 2000, 800})},
    {"R = ffff", LIST({0, FLOW_MS, 0, 1000, 6553500}, {0, PUT, 0, 1000}, {0, PUT, 0, 1000}, {0, SENDS, 0, 1},
                      {0, WAKES, 0, 1220722})}, /* 8000 bit in 1220721.8 ns */
};

TEST(correction)
{
    play(corrections, COUNT(corrections));
}

TEST(move)
{
    play(moves, COUNT(moves));
}

TEST(freeze)
{
    play(frozen, COUNT(frozen));
}

TEST(end)
{
    play(ends, COUNT(ends));
}

TEST(extreme)
{
    play(extremes, COUNT(extremes));
}

UNIT_MAIN(NULL, NULL)
