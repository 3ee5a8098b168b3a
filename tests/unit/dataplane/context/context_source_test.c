/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the parameters of buckets come from, how long they hold, and what new ones do (TS 48.018 clause
 * 8.2.3). */
#include "tests/unit/dataplane/context/play.h"

#define SECOND_NS 1000000000

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

TEST(source)
{
    play(sources, COUNT(sources));
}

TEST(change)
{
    play(changes, COUNT(changes));
}

TEST(initial)
{
    play(states, COUNT(states));
}

TEST(timer)
{
    play(timers, COUNT(timers));
}

TEST(ratio)
{
    play(ratios, COUNT(ratios));
}

UNIT_MAIN(NULL, NULL)
