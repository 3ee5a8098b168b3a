/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow queues by start tags, the limit of a mobile's class, and the credits of young flows and of mobiles
 * that begin. */
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"

#define MS RIG_MSEC
#define S  RIG_SECOND
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
    {.name = "flows share by octets",
     TAGS,
     .vain = 1,
     .steps = {CELL, PUT(1, 0, 900, 1), PUT(2, 0, 900, 1), PUT(3, 0, 400, 2), PUT(4, 0, 400, 2),
               PUT(5, 0, 400, 2)},
     .sent = LIST({0, 3, 1000}, {400 * MS, 0, 400}, {800 * MS, 0, 400}, {1700 * MS, 0, 900},
                  {2100 * MS, 0, 400}, {3000 * MS, 0, 900})},
};

static const struct lab_scenario limits[] = {
    {.name = "the longest flow drops its oldest N-PDU",
     TAGS,
     .vain = 1, /* the instant of the head that was next before */
     .room_pkts = 2,
     .queued_only = true,
     .steps = {CELL, PUT(1, 0, 1000, 1), PUT(2, 0, 990, 1), PUT(3, 0, 500, 2)},
     .sent = {{0, 3, 1000}, {500 * MS, 0, 500}, {1490 * MS, 0, 990}},
     .dropped = {{3 * MS, 1000, DROP_QUEUE_FULL}}},
    {.name = "it may be the arriving one",
     TAGS,
     .room_pkts = 1,
     .queued_only = true,
     .steps = {CELL, PUT(1, 0, 400, 1), PUT(2, 0, 700, 2)},
     .sent = {{0, 3, 1000}, {400 * MS, 0, 400}},
     .dropped = {{2 * MS, 700, DROP_QUEUE_FULL}}},
    {.name = "a flow's only N-PDU stays if it is protected",
     TAGS,
     .vain = 1,
     .room_pkts = 1,
     .protects = true,
     .queued_only = true,
     .steps = {CELL, PUT(1, 0, 400, 1), PUT(2, 0, 700, 2), PUT(3, 0, 300, 1)},
     .sent = {{0, 3, 1000}, {300 * MS, 0, 300}, {1000 * MS, 0, 700}},
     .dropped = {{3 * MS, 400, DROP_QUEUE_FULL}}},
};

TEST(flows_by_tags)
{
    lab_play_all(tags, COUNT(tags));
}

TEST(at_the_limit)
{
    lab_play_all(limits, COUNT(limits));
}

UNIT_MAIN(NULL, NULL)
