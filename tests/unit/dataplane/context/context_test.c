/* SPDX-License-Identifier: BSD-3-Clause */
/* What else happens to mobiles and cells, and extreme values (TS 48.018 clauses 7, 8). */
#include "dataplane/context/context_ms.h"
#include "dataplane/context/context_pdp.h"
#include "tests/unit/dataplane/context/play.h"
#include "tests/unit/unit.h"

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

TEST_CALL(correction, play(corrections, COUNT(corrections)))
TEST_CALL(move, play(moves, COUNT(moves)))
TEST_CALL(freeze, play(frozen, COUNT(frozen)))
TEST_CALL(end, play(ends, COUNT(ends)))
TEST_CALL(extreme, play(extremes, COUNT(extremes)))

/* Where the parameters of buckets come from, how long they hold, and what new ones do (TS 48.018 clause
 * 8.2.3). */

/* --- sources, and units (clauses 8.2.3.2, 11.3) --- */

static const struct play_row sources[] = {
    {"BVC: the last FLOW-CONTROL-BVC of that cell",
     LIST({0, IS_BVC, 0, 0, 5000, 8000}, {0, FLOW_BVC, 0, 300, 400, 1000, 800}, {0, IS_BVC, 0, 0, 300, 400},
          {0, FLOW_BVC, 0, 9000, 100, 1000, 800}, {0, IS_BVC, 0, 0, 9000, 100},
          {0, IS_BVC, 1, 0, 6000, 16000})},
    {"MS: the last FLOW-CONTROL-MS, until then the defaults of its cell",
     LIST({0, IS_MS, 0, 0, 1000, 800}, {0, IS_MS, 2, 0, 700, 400}, {0, FLOW_MS, 0, 3000, 2400},
          {0, IS_MS, 0, 0, 3000, 2400}, {0, FLOW_MS, 0, 200, 100}, {0, IS_MS, 0, 0, 200, 100},
          {0, IS_MS, 1, 0, 1000, 800})},
    {"PFC: the last entry, until then it has no bucket",
     LIST({0, PFC_ADD, 0, 8}, {0, NO_PFC, 0, 8}, {0, PUT, 0, 500, 9}, {0, SENDS, 0, 1},
          {0, IS_MS, 0, 500, 1000, 800}, {0, FLOW_PFC, 0, 8, 100, 80}, {0, IS_PFC, 0, 0, 100, 80, 8},
          {0, FLOW_PFC, 0, 8, 400, 800}, {0, IS_PFC, 0, 0, 400, 800, 8}, {0, NO_PFC, 1, 8})},
    {"new defaults: at once, for those without own values; B stays",
     LIST({0, PUT, 0, 200}, {0, PUT, 1, 200}, {0, SENDS, 0, 2}, {0, FLOW_MS, 1, 900, 800},
          {500, FLOW_BVC, 0, 6000, 8000, 700, 400}, {500, IS_MS, 0, 150, 700, 400},
          {500, IS_MS, 1, 150, 900, 800}, {1500, IS_MS, 0, 100, 700, 400}, {1500, IS_MS, 1, 50, 900, 800},
          {1500, IS_MS, 2, 0, 700, 400})},
    {"new defaults: a mobile that waits goes on",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, WAKES, 0, (uint64_t)4 * SECOND_NS},
          {1000, FLOW_BVC, 0, 5000, 8000, 1000, 2400}, {1000, WAKES, 0, (uint64_t)2 * SECOND_NS},
          {2000, SENDS, 0, 1}, {2000, IS_MS, 0, 1000, 1000, 2400})},
    {"the largest values without granularity",
     LIST({0, FLOW_BVC, 0, 6553500, 6553500, 6553500, 6553500}, {0, IS_BVC, 0, 0, 6553500, 6553500},
          {0, IS_MS, 0, 0, 6553500, 6553500})},
    {"the largest values of all, and not more",
     LIST({0, FLOW_BVC, 0, 6553500000, 6553500000, 6553500000, 6553500000},
          {0, IS_BVC, 0, 0, 6553500000, 6553500000}, {0, IS_MS, 0, 0, 6553500000, 6553500000},
          {0, FLOW_MS, 1, 6553500000, 6553500000}, {0, IS_MS, 1, 0, 6553500000, 6553500000},
          {0, FLOW_BVC | REFUSED, 0, 6553500001, 1, 1, 1}, {0, FLOW_BVC | REFUSED, 0, 1, 6553500001, 1, 1},
          {0, FLOW_BVC | REFUSED, 0, 1, 1, 6553500001, 1}, {0, FLOW_BVC | REFUSED, 0, 1, 1, 1, 6553500001},
          {0, FLOW_MS | REFUSED, 0, 1, 6553500001}, {0, FLOW_PFC | REFUSED, 0, 0, 6553500001, 1},
          {0, IS_BVC, 0, 0, 6553500000, 6553500000}, {0, IS_MS, 0, 0, 6553500000, 6553500000})},
    {"6.5 Gbit/s: full and leaked to the nanosecond",
     LIST({0, FLOW_BVC, 0, 6553500000, 6553500000, 1000, 6553500000}, {0, PUT, 0, 900}, {0, PUT, 0, 900},
          {0, SENDS, 0, 1},
          /* 800 octets at 0.8191875 a nanosecond */
          {0, WAKES, 0, 977})},
    {"R = 100 bit/s is 12.5 octets a second",
     LIST({0, FLOW_MS, 0, 1000, 100}, {0, PUT, 0, 500}, {0, SENDS, 0, 1}, {1000, IS_MS, 0, 488, 1000, 100},
          {2000, IS_MS, 0, 475, 1000, 100}, {3000, FLOW_MS, 0, 1000, 200}, {3000, IS_MS, 0, 463, 1000, 200},
          {3500, IS_MS, 0, 450, 1000, 200})},
};

/* --- new values while it runs --- */

static const struct play_row changes[] = {
    {"first leaks at the old R",
     LIST({0, PUT, 0, 900}, {0, SENDS, 0, 1}, {2000, FLOW_MS, 0, 2000, 1600},
          {2000, IS_MS, 0, 700, 2000, 1600}, {3000, IS_MS, 0, 500, 2000, 1600},
          {3000, FLOW_BVC, 0, 5000, 0, 1000, 800}, {3000, IS_MS, 0, 500, 2000, 1600},
          {4000, FLOW_MS, 0, 2000, 0}, {9000, IS_MS, 0, 300, 2000, 0})},
    {"a level above the new Bmax waits for leakage",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, FLOW_MS, 0, 300, 800}, {0, IS_MS, 0, 500, 300, 800},
          {0, PUT, 0, 100}, {0, SENDS, 0, 0}, {0, WAKES, 0, (uint64_t)3 * SECOND_NS}, {3000, SENDS, 0, 1},
          {3000, IS_MS, 0, 300, 300, 800})},
    {"the same for a cell",
     LIST({0, PUT, 0, 500}, {0, PUT, 1, 500}, {0, SENDS, 0, 2}, {0, FLOW_BVC, 0, 300, 800, 1000, 800},
          {0, IS_BVC, 0, 1000, 300, 800}, {0, PUT, 0, 100}, {0, SENDS, 0, 0}, {7999, SENDS, 0, 0},
          {8000, SENDS, 0, 1})},
};

/* --- initial state, reset, block (clauses 8.3, 8.4) --- */

static const struct play_row states[] = {
    {"BVC-RESET: buckets empty, parameters of the cell and its mobiles forgotten, what waits dropped",
     LIST({0, FLOW_MS, 0, 900, 900}, {0, PUT, 0, 200}, {0, SENDS, 0, 1}, {0, FLOW_MS, 1, 50, 0},
          {0, PUT, 1, 100}, {0, PUT, 2, 100}, {0, RESET, 0}, {0, DROPS, 0, 1, DROP_BVC_RESET},
          {0, IS_BVC, 0, 0, 0, 0}, {0, IS_MS, 0, 0, 0, 0}, {0, IS_MS, 1, 0, 0, 0}, {0, IS_MS, 2, 0, 700, 400},
          {0, SENDS, 0, 1}, {0, UNBLOCK, 0, 1}, {0, FLOW_BVC, 0, 5000, 8000, 1000, 800},
          {0, IS_MS, 0, 0, 1000, 800}, {0, IS_MS, 1, 0, 1000, 800})},
    {"BVC-RESET: packet flows are gone",
     LIST({0, PFC_ADD, 0, 8}, {0, FLOW_PFC, 0, 8, 100, 100}, {0, RESET, 0}, {0, NO_PFC, 0, 8},
          {0, FLOW_PFC | REFUSED, 0, 8, 100, 100}, {0, PFC_ADD, 0, 8})},
    {"before the first FLOW-CONTROL-BVC: held",
     LIST({0, RESET, 0}, {0, UNBLOCK, 0, 1}, {0, PUT, 0, 100}, {0, FLOW_MS, 0, 1000, 800}, {0, SENDS, 0, 0},
          {0, WAKES, 0, 0}, {1000, FLOW_BVC, 0, 5000, 8000, 1000, 800}, {1000, SENDS, 0, 1})},
    {"BVC-BLOCK and BVC-UNBLOCK: queues are kept",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, UNBLOCK, 0, 0}, {0, PUT, 0, 100}, {1000, SENDS, 0, 0},
          {1000, WAKES, 0, 0}, {1000, WAITS, 0, 1}, {1000, IS_MS, 0, 400, 1000, 800}, {1000, UNBLOCK, 0, 1},
          {1000, SENDS, 0, 1})},
    {"NS failure: stops, buckets leak on",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, NS_VCS, 0, 0}, {0, PUT, 0, 600}, {0, PUT, 2, 100},
          {0, SENDS, 0, 1}, {1000, SENDS, 0, 0}, {1000, WAKES, 0, 0}, {1000, IS_MS, 0, 400, 1000, 800},
          {1000, IS_BVC, 0, 0, 5000, 8000}, {1000, NS_VCS, 0, 1}, {1000, SENDS, 0, 1},
          {1000, IS_MS, 0, 1000, 1000, 800})},
};

/* --- Th (clause 8.2.3.2.1) --- */

static const struct play_row timers[] = {
    {"expiry: the defaults of the cell, B goes on",
     LIST({0, FLOW_MS, 0, 2000, 1600}, {0, PUT, 0, 900}, {0, SENDS, 0, 1}, {1000, TH_EXPIRES, 0},
          {1000, IS_MS, 0, 700, 1000, 800}, {2000, IS_MS, 0, 600, 1000, 800})},
    {"expiry: the defaults of now, and of later",
     LIST({0, FLOW_MS, 0, 2000, 0}, {0, PUT, 0, 900}, {0, SENDS, 0, 1},
          {0, FLOW_BVC, 0, 5000, 8000, 900, 400}, {1000, TH_EXPIRES, 0}, {1000, IS_MS, 0, 900, 900, 400},
          {2000, FLOW_BVC, 0, 5000, 8000, 800, 1600}, {2000, IS_MS, 0, 850, 800, 1600})},
    {"expiry without own values changes nothing",
     {{0, PUT, 0, 900}, {0, SENDS, 0, 1}, {1000, TH_EXPIRES, 0}, {1000, IS_MS, 0, 800, 1000, 800}}},
    {"expiry undoes R = 0",
     LIST({0, FLOW_MS, 0, 1000, 0}, {0, PUT, 0, 900}, {0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, WAKES, 0, 0},
          {5000, SENDS, 0, 0}, {5000, TH_EXPIRES, 0}, {5000, WAKES, 0, (uint64_t)9 * SECOND_NS},
          {9000, SENDS, 0, 1})},
    {"a cell change ends it",
     LIST({0, FLOW_MS, 0, 3000, 2400}, {0, PUT, 0, 500}, {0, SENDS, 0, 1}, {0, TO_CELL, 0, 1},
          {0, IS_MS, 0, 0, 700, 400}, {0, IS_BVC, 0, 500, 5000, 8000}, {0, IS_BVC, 1, 0, 6000, 16000},
          {0, FLOW_BVC, 1, 6000, 16000, 500, 300}, {0, IS_MS, 0, 0, 500, 300})},
};

/* --- Bucket_Full Ratio (clause 8.2.3.6) --- */

static const struct play_row ratios[] = {
    {"MS: B is the ratio of the new Bmax",
     LIST({0, PUT, 0, 200}, {0, SENDS, 0, 1}, {0, FLOW_MS, 0, 2000, 800, .e = 1 + 50},
          {0, IS_MS, 0, 1000, 2000, 800}, {0, FLOW_MS, 0, 2000, 800, .e = 1 + 0}, {0, IS_MS, 0, 0, 2000, 800},
          {0, FLOW_MS, 0, 2000, 800, .e = 1 + 100}, {0, IS_MS, 0, 2000, 2000, 800},
          {0, FLOW_MS, 0, 200, 800, .e = 1 + 150}, {0, IS_MS, 0, 300, 200, 800},
          {0, FLOW_MS, 0, 1000, 800, .e = 1 + 255}, {0, IS_MS, 0, 2550, 1000, 800},
          {0, FLOW_MS | REFUSED, 0, 1000, 800, .e = 1 + 256}, {1000, IS_MS, 0, 2450, 1000, 800})},
    {"MS: not given, B stays",
     {{0, PUT, 0, 200}, {0, SENDS, 0, 1}, {0, FLOW_MS, 0, 2000, 800}, {0, IS_MS, 0, 200, 2000, 800}}},
    {"MS: an empty one lets those go who waited",
     LIST({0, PUT, 0, 900}, {0, PUT, 0, 900}, {0, SENDS, 0, 1}, {0, SENDS, 0, 0},
          {0, FLOW_MS, 0, 1000, 800, .e = 1}, {0, SENDS, 0, 1})},
    {"BVC: of the cell alone",
     LIST({0, PUT, 0, 200}, {0, SENDS, 0, 1}, {0, FLOW_BVC, 0, 1000, 8000, 1000, 800, 1 + 75},
          {0, IS_BVC, 0, 750, 1000, 8000}, {0, IS_MS, 0, 200, 1000, 800},
          {0, FLOW_BVC, 0, 1000, 8000, 1000, 800}, {0, IS_BVC, 0, 750, 1000, 8000})},
    {"PFC: B_PFC", LIST({0, FLOW_PFC, 0, 2, 1000, 800, .e = 1 + 30}, {0, IS_PFC, 0, 300, 1000, 800, 2},
                        {1000, FLOW_PFC, 0, 2, 1000, 800}, {1000, IS_PFC, 0, 200, 1000, 800, 2},
                        {1000, IS_MS, 0, 0, 1000, 800})},
};

TEST_CALL(source, play(sources, COUNT(sources)))
TEST_CALL(change, play(changes, COUNT(changes)))
TEST_CALL(initial, play(states, COUNT(states)))
TEST_CALL(timer, play(timers, COUNT(timers)))
TEST_CALL(ratio, play(ratios, COUNT(ratios)))

/* --- Packet flows: which there are, and what their buckets limit (TS 48.018 clauses 8a, 8.2.3.2) --- */

static const struct play_row known[] = {
    {"those that were made, and the predefined ones once they are listed",
     LIST({0, FLOW_PFC | REFUSED, 0, 8, 100, 100}, {0, PFC_ADD, 0, 8}, {0, FLOW_PFC, 0, 8, 100, 100},
          {0, FLOW_PFC, 0, 0, 200, 200}, {0, FLOW_PFC, 0, 3, 300, 300}, {0, IS_PFC, 0, 0, 100, 100, 8},
          {0, IS_PFC, 0, 0, 200, 200, 0}, {0, IS_PFC, 0, 0, 300, 300, 3}, {0, NO_PFC, 1, 0})},
    {"not those that are reserved",
     LIST({0, PFC_ADD | REFUSED, 0, 4}, {0, PFC_ADD | REFUSED, 0, 7}, {0, PFC_ADD | REFUSED, 0, 128},
          {0, PFC_ADD | REFUSED, 0, N_PDU_NO_PFI}, {0, FLOW_PFC | REFUSED, 0, 4, 100, 100},
          {0, FLOW_PFC | REFUSED, 0, N_PDU_NO_PFI, 100, 100}, {0, PFC_ADD, 0, 3}, {0, PFC_ADD, 0, 127},
          {0, PFC_ADD | REFUSED, 0, 127}, {0, PFC_DEL, 0, 127}, {0, PFC_DEL | REFUSED, 0, 127},
          {0, PFC_ADD, 0, 127})},
    {"as many as there is room for, of all mobiles",
     LIST({0, PFC_ADD, 0, 8}, {0, PFC_ADD, 0, 9}, {0, PFC_ADD, 1, 8}, {0, PFC_ADD, 1, 9}, {0, PFC_ADD, 2, 8},
          {0, PFC_ADD, 2, 9}, {0, PFC_ADD | REFUSED, 2, 10}, {0, FLOW_PFC | REFUSED, 2, 1, 10, 10},
          {0, MS_DEL, 0}, {0, PFC_ADD, 2, 10}, {0, FLOW_PFC, 2, 1, 10, 10})},
};

static const struct play_row limits[] = {
    {"entries that are not listed keep their values",
     LIST({0, FLOW_PFC, 0, 1, 100, 100}, {0, FLOW_PFC, 0, 2, 200, 200}, {0, FLOW_PFC, 0, 1, 150, 100},
          {0, IS_PFC, 0, 0, 150, 100, 1}, {0, IS_PFC, 0, 0, 200, 200, 2})},
    {"the mobile's bucket limits their sum",
     LIST({0, FLOW_PFC, 0, 1, 5000, 8000}, {0, FLOW_PFC, 0, 2, 5000, 8000}, {0, PUT, 0, 600, 2},
          {0, PUT, 0, 600, 3}, {0, SENDS, 0, 1}, {0, IS_MS, 0, 600, 1000, 800}, {2000, SENDS, 0, 1},
          {2000, IS_MS, 0, 1000, 1000, 800})},
    {"a closed one stops its own alone",
     LIST({0, FLOW_PFC, 0, 1, 300, 0}, {0, PUT, 0, 200, 2}, {0, SENDS, 0, 1}, {0, IS_PFC, 0, 200, 300, 0, 1},
          {0, PUT, 0, 200, 2}, {0, PUT, 0, 300}, {0, SENDS, 0, 1}, {0, IS_PFC, 0, 200, 300, 0, 1},
          {0, IS_MS, 0, 500, 1000, 800}, {5000, FLOW_PFC, 0, 1, 400, 0}, {5000, SENDS, 0, 1},
          {5000, IS_PFC, 0, 400, 400, 0, 1})},
    {"what names none, or one that is not known, belongs to none",
     LIST({0, FLOW_PFC, 0, 1, 300, 0}, {0, PUT, 0, 400}, {0, PUT, 0, 400, 10}, {0, SENDS, 0, 2},
          {0, IS_PFC, 0, 0, 300, 0, 1})},
    {"it wakes by itself", LIST({0, FLOW_PFC, 0, 1, 300, 800}, {0, PUT, 0, 300, 2}, {0, PUT, 0, 300, 2},
                                {0, SENDS, 0, 1}, {0, WAKES, 0, UINT64_C(3000000000)}, {3000, SENDS, 0, 1})},
    {"deleted: its bucket is gone, what waits goes on",
     LIST({0, PFC_ADD, 0, 8}, {0, FLOW_PFC, 0, 8, 300, 0}, {0, PUT, 0, 300, 9}, {0, PUT, 0, 300, 9},
          {0, SENDS, 0, 1}, {0, PFC_DEL, 0, 8}, {0, NO_PFC, 0, 8}, {0, WAITS, 0, 1}, {0, SENDS, 0, 1},
          {0, IS_MS, 0, 600, 1000, 800})},
};

TEST_CALL(which, play(known, COUNT(known)))
TEST_CALL(limit, play(limits, COUNT(limits)))

/* The packet flow of a PDP context. */
TEST(of_context)
{
    static const struct {
        uint8_t pfi;
        int want;
    } rows[] = {{0, 0}, {3, 0}, {4, -1}, {7, -1}, {8, 0}, {127, 0}, {128, -1}, {254, -1}, {N_PDU_NO_PFI, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        struct ms_params ms = rig_ms(0, 1);
        struct pdp_params pdp = rig_pdp(0, 5);
        rig_open(&rig);
        assert_int_equal(context_ms_add(&rig.c, 0, &ms, rig.now), 0);
        assert_int_equal(context_pdp_add(&rig.c, 0, &pdp), 0);
        assert_int_equal(context_pdp_pfi(&rig.c, 0, rows[i].pfi), rows[i].want);
        assert_int_equal(rig.c.pdps[0].params.pfi, rows[i].pfi <= 3 ? rows[i].pfi : N_PDU_NO_PFI);
        bool is_added = context_ms_pfc_add(&rig.c, 0, rows[i].pfi, rig.now) == 0;
        assert_int_equal(context_pdp_pfi(&rig.c, 0, rows[i].pfi), rows[i].want);
        assert_int_equal(rig.c.pdps[0].params.pfi, is_added ? rows[i].pfi : N_PDU_NO_PFI);
        assert_int_equal(context_pdp_pfi(&rig.c, 1, rows[i].pfi), -1);
        pdp = rig_pdp(0, 6);
        pdp.pfi = rows[i].pfi;
        assert_int_equal(context_pdp_add(&rig.c, 1, &pdp), rows[i].want);
        if (is_added)
            assert_int_equal(rig.c.pdps[1].params.pfi, rows[i].pfi);
        rig_close(&rig);
    }
}

UNIT_MAIN(NULL, NULL)
