/* SPDX-License-Identifier: BSD-3-Clause */
/* What flow queues change for those who share, and what they must not. */
#include "tests/unit/dataplane/sched/load.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define BG        QCLASS_BACKGROUND
#define LLC_PDUS  20000
#define PER_MILLE 10 /* a hundredth */

/* A mobile with one download beside one with eight; where the limit is. */
#define EIGHT(low, high)                                                                                     \
    {0, BG, 1, low, high}, {0, BG, 1, low, high}, {0, BG, 1, low, high, .shares = 1},                        \
        {0, BG, 1, low, high, .shares = 2}, {0, BG, 1, low, high, .shares = 3},                              \
        {0, BG, 1, low, high, .shares = 4}, {0, BG, 1, low, high, .shares = 5},                              \
        {0, BG, 1, low, high, .shares = 6},                                                                  \
    {                                                                                                        \
        0, BG, 1, low, high, .shares = 7                                                                     \
    }

static const struct row {
    const char *name;
    struct load_plan plan;
} rows[] = {
    {"a cell limits", {.cells = {{80000, 3000}}, .flow_queues = 16, .sources = {EIGHT(1000, 0)}}},
    {"a cell limits, all lengths",
     {.cells = {{80000, 3000}}, .flow_queues = 16, .sources = {EIGHT(40, 1500)}}},
    {"the link limits",
     {.link_bps = 100000,
      .link_octets = 3200,
      .link_headers = 40,
      .flow_queues = 16,
      .sources = {EIGHT(40, 1500)}}},
    {"in segments",
     {.cells = {{80000, 3000}}, .n201_u = 500, .flow_queues = 16, .sources = {EIGHT(40, 1500)}}},
};

static bool is_near(double a, double b)
{
    return a >= b * (1000 - PER_MILLE) / 1000 && a <= b * (1000 + PER_MILLE) / 1000;
}

/* Mobiles alike whatever they have, and alike what a mobile has. */
static void check(const struct row *row, const struct load *load)
{
    double eight = 0;
    for (unsigned i = 1; i <= 8; i++)
        eight += (double)load_octets_of(load, i);
    if (!is_near((double)load_octets_of(load, 0), eight))
        fail_msg("%s: one gets %.0f octets, eight %.0f", row->name, (double)load_octets_of(load, 0), eight);
    for (unsigned i = 1; i <= 8; i++)
        if (!is_near((double)load_octets_of(load, i), eight / 8))
            fail_msg("%s: of the eight number %u gets %.0f of %.0f", row->name, i,
                     (double)load_octets_of(load, i), eight);
}

TEST(a_mobile_counts_as_one)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct load load;
        load_new(&load, &rows[i].plan, false);
        load_run(&load, RIG_SECOND);
        load_run_window(&load, 1, LLC_PDUS);
        check(&rows[i], &load);
        load_free(&load);
    }
}

/* --- a ping beside downloads of the same mobile --- */

#define PDU_NS (101 * RIG_MSEC) /* of 1010 octets, at 80 kbit/s */

static const struct ping {
    const char *name;
    struct load_plan plan;
    int64_t most_ns;
} pings[] = {
    {"in one queue it waits for a whole window",
     {.cells = {{80000, 1100}}, .sources = {EIGHT(1000, 0), {0, BG, 1, 60, .offered_bps = 240, .shares = 1}}},
     40 * PDU_NS},
    {"in its own for what is on its way, and the other mobile's turn",
     {.cells = {{80000, 1100}},
      .flow_queues = 16,
      .sources = {EIGHT(1000, 0), {0, BG, 1, 60, .offered_bps = 240, .shares = 1}}},
     3 * PDU_NS},
    {"the same in the mobile's own bucket",
     {.flow_queues = 16,
      .sources = {{0, BG, 1, 1000, .ms_rate_bps = 80000, .ms_octets = 1100},
                  {0, BG, 1, 60, .offered_bps = 240, .shares = 1}}},
     PDU_NS},
};

TEST(a_ping_does_not_wait)
{
    for (size_t i = 0; i < COUNT(pings); i++) {
        struct load load;
        load_new(&load, &pings[i].plan, false);
        load_run(&load, 20 * RIG_SECOND); /* at first all are new */
        load_clear(&load);
        load_run(&load, 620 * RIG_SECOND);
        const struct load_stream *ping = &load.streams[load.count - 1];
        bool is_off = pings[i].plan.flow_queues == 0;
        assert_in_range(ping->n_pdus, 290, 310);
        if (ping->most_wait_ns > pings[i].most_ns || (is_off && ping->most_wait_ns < 10 * PDU_NS))
            fail_msg("%s: it waits %.3f s", pings[i].name, (double)ping->most_wait_ns / RIG_SECOND);
        load_free(&load);
    }
}

UNIT_MAIN(NULL, NULL)
