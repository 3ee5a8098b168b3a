/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares by weight, at the level that limits: within 1 % of the weights in every window in which the smallest
 * share sends 200 LLC-PDUs, and nothing of a rate is wasted.
 */
#include "tests/unit/dataplane/sched/load.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include <math.h>

#define WINDOWS   2
#define LLC_PDUS  200
#define MOST_OFF  0.01
#define MOST_LOST 0.001 /* of a rate: what a bucket held at the ends of a window */
#define GROUPS    4

enum {
    CONV = QCLASS_CONVERSATIONAL,
    STREAM = QCLASS_STREAMING,
    THP1 = QCLASS_THP1,
    THP2 = QCLASS_THP2,
    THP3 = QCLASS_THP3,
    BG = QCLASS_BACKGROUND,
};

/* All five classes in a cell, `n` mobiles each, of any length. */
#define FIVE(cell_, n)                                                                                       \
    {cell_, STREAM, n, 100, 400}, {cell_, THP1, n, 40, 1500}, {cell_, THP2, n, 576, 576},                    \
        {cell_, THP3, n, 40, 1500},                                                                          \
    {                                                                                                        \
        cell_, BG, n, 1000, 1500                                                                             \
    }

/* Cells that share something: their own bucket's rate if it is one, else what is left of the link. */
struct group {
    uint32_t cells; /* mask; 0: the end */
    double rate_bps;
};

static const struct row {
    const char *name;
    struct load_plan plan;
    uint32_t warm_ms;
    struct group groups[GROUPS];
} rows[] = {
    {"two classes in a limited cell",
     {.cells = {{80000, 10000}}, .sources = {{0, STREAM, 1, 500}, {0, BG, 1, 500}}},
     .groups = {{1, 80000}}},
    {"three, of different lengths",
     {.cells = {{80000, 10000}},
      .sources = {{0, STREAM, 3, 100, 200}, {0, THP1, 1, 1500}, {0, BG, 2, 40, 1500}}},
     .groups = {{1, 80000}}},
    {"four, and many mobiles",
     {.cells = {{80000, 2000}},
      .sources = {{0, STREAM, 20, 40, 1500}, {0, THP1, 7, 1500}, {0, THP3, 30, 40}, {0, BG, 20, 40, 1500}}},
     .groups = {{1, 80000}}},
    {"five", {.cells = {{80000, 10000}}, .sources = {FIVE(0, 2)}}, .groups = {{1, 80000}}},
    {"five, in a bucket shorter than an LLC-PDU",
     {.cells = {{80000, 500}}, .sources = {FIVE(0, 2)}},
     .groups = {{1, 80000}}},
    {"five, in segments",
     {.cells = {{80000, 10000}}, .sources = {FIVE(0, 2)}, .n201_u = 500},
     .groups = {{1, 80000}}},
    {"without the usual first",
     {.cells = {{80000, 10000}}, .sources = {{0, THP2, 2, 900}, {0, THP3, 1, 300}, {0, BG, 5, 1200}}},
     .groups = {{1, 80000}}},
    {"other cells are limited, too, with other classes",
     {.cells = {{80000, 10000}, {80000, 10000}, {160000, 3000}},
      .sources = {FIVE(0, 1), {1, STREAM, 1, 500}, {1, BG, 1, 500}, {2, THP1, 3, 700}, {2, THP3, 1, 700}}},
     .groups = {{1, 80000}, {2, 80000}, {4, 160000}}},
    {"on a link with room",
     {.link_bps = 400000,
      .link_octets = 4000,
      .link_headers = 40,
      .cells = {{80000, 10000}, {80000, 10000}},
      .sources = {FIVE(0, 1), {1, STREAM, 1, 500}, {1, BG, 1, 500}}},
     .warm_ms = 1000, /* who begins has an LLC-PDU at once, two when its cell is found to be limited */
     .groups = {{1, 80000}, {2, 80000}}},
    {"beside cells that have the rest of the link",
     {.link_bps = 2000000,
      .link_octets = 4000,
      .cells = {{300000, 10000}},
      .sources = {FIVE(0, 1), FIVE(1, 1), FIVE(2, 2)}},
     .warm_ms = 5000,
     .groups = {{1, 300000}, {6, 1700000}}},
    {"beside cells that have the rest of the link, and began before",
     {.link_bps = 2000000,
      .link_octets = 4000,
      .cells = {{300000, 10000}},
      .sources = LIST({0, STREAM, 1, 500, .from_ms = 20000}, {0, THP2, 1, 700, .from_ms = 20000},
                      {0, BG, 1, 1500, .from_ms = 20000}, FIVE(1, 1), FIVE(2, 2))},
     .warm_ms = 25000,
     .groups = {{1, 300000}, {6, 1700000}}},
    {"beside cells that have the rest of the link, and began later",
     {.link_bps = 2000000,
      .link_octets = 4000,
      .cells = {{300000, 10000}},
      .sources = LIST(FIVE(0, 2), {1, STREAM, 1, 500, .from_ms = 20000}, {1, THP2, 1, 700, .from_ms = 20000},
                      {1, BG, 1, 1500, .from_ms = 20000}, {2, STREAM, 3, 100, 1500, .from_ms = 20000})},
     .warm_ms = 25000,
     .groups = {{1, 300000}, {6, 1700000}}},
    {"a limited link",
     {.link_bps = 2000000,
      .link_octets = 4000,
      .link_headers = 50,
      .sources = {FIVE(0, 1), FIVE(1, 2), FIVE(2, 3)}},
     .groups = {{7, 2000000}}},
    {"a limited link, classes in different cells",
     {.link_bps = 2000000,
      .link_octets = 4000,
      .link_headers = 50,
      .sources = {{0, STREAM, 1, 200}, {1, THP1, 5, 1500}, {2, THP2, 1, 40, 1500}, {3, BG, 20, 40}}},
     .groups = {{15, 2000000}}},
    {"a limited link, in segments",
     {.link_bps = 2000000,
      .link_octets = 4000,
      .link_headers = 50,
      .n201_u = 300,
      .sources = {FIVE(0, 1), FIVE(1, 3)}},
     .groups = {{3, 2000000}}},
    {"the rates of cells are more than the link has",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .cells = {{600000, 10000}, {600000, 10000}, {600000, 10000}},
      .sources =
          {{0, STREAM, 1, 500}, {0, BG, 1, 500}, {1, STREAM, 1, 500}, {1, BG, 1, 500}, {2, STREAM, 1, 500}}},
     .warm_ms = 2000,
     .groups = {{7, 1000000}}},
    {"the rates of cells are more than the link has, one of them is less than its share",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .cells = {{600000, 10000}, {600000, 10000}, {100000, 10000}},
      .sources = {FIVE(0, 1), FIVE(1, 2), FIVE(2, 1)}},
     .warm_ms = 5000,
     .groups = {{3, 900000}, {4, 100000}}},
    {"only background in a cell whose rate is more than its share of the link",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .cells = {{600000, 10000}},
      .sources = {{0, BG, 1, 500}, {1, STREAM, 1, 500}, {1, BG, 1, 500}}},
     .warm_ms = 2000,
     .groups = {{3, 1000000}}},
    {"signalling floods a cell",
     {.cells = {{80000, 10000}},
      .sources =
          {{0, QCLASS_SIGNALLING, 3, 40, 300}, {0, STREAM, 1, 500}, {0, THP1, 1, 1500}, {0, BG, 2, 500}}},
     .groups = {{1, 80000}}},
    {"signalling and short messages flood a link",
     {.link_bps = 2000000,
      .link_octets = 4000,
      .link_headers = 40,
      .sources = LIST({0, QCLASS_SIGNALLING, 1, 100}, {1, QCLASS_SMS, 1, 200}, {1, CONV, 1, 60},
                      {0, BG, 2, 500}, {2, BG, 2, 1500})},
     .groups = {{7, 2000000}}},
    {"weights of five orders of magnitude",
     {.cells = {{8000000, 10000}},
      .sources = LIST({0, CONV, 1, 1500}, {0, STREAM, 1, 1500}, {0, THP1, 1, 1500}, {0, THP2, 1, 1500},
                      {0, THP3, 1, 150}, {0, BG, 1, 50}),
      .weights = {1, 1, 65535, 10000, 1000, 100, 10, 1}},
     .groups = {{1, 8000000}}},
    {"only background in a cell whose rate is more than its share of the link, and began before",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .cells = {{600000, 10000}},
      .sources = {{0, BG, 1, 500}, {1, STREAM, 1, 500, .from_ms = 5000}, {1, BG, 1, 500, .from_ms = 5000}}},
     .warm_ms = 10000,
     .groups = {{3, 1000000}}},
    {"mobiles with two classes in a limited cell",
     {.cells = {{80000, 10000}},
      .sources = {{0, STREAM, 5, 500}, {0, BG, 5, 40, 1500, .shares = 1}, {0, BG, 5, 700}}},
     .groups = {{1, 80000}}},
    {"mobiles with two classes on a limited link",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .sources = LIST({0, STREAM, 5, 500}, {0, BG, 5, 40, 1500, .shares = 1}, {1, BG, 5, 700},
                      {1, THP1, 5, 300, .shares = 1})},
     .groups = {{3, 1000000}}},
    {"five classes of a mobile that its own bucket limits",
     {.sources = LIST({0, STREAM, 1, 100, 400, .ms_rate_bps = 80000, .ms_octets = 4000},
                      {0, THP1, 1, 40, 1500, .shares = 1}, {0, THP2, 1, 576, .shares = 2},
                      {0, THP3, 1, 40, 1500, .shares = 3}, {0, BG, 1, 1000, 1500, .shares = 4})},
     .groups = {{1, 80000}}},
    {"mobiles whose bucket closes now and then, though it is not what limits them",
     {.cells = {{80000, 10000}},
      .sources = LIST({0, STREAM, 1, 500, .ms_rate_bps = 1000000, .ms_octets = 1500},
                      {0, BG, 1, 500, .shares = 1}, {0, STREAM, 9, 500})},
     .groups = {{1, 80000}}},
};

static double share_of(const struct load *load, uint32_t cells, unsigned k, double *sum)
{
    double share = 0;
    bool is_link = cells & (cells - 1); /* several cells */
    *sum = 0;
    for (unsigned cell = 0; cell < LOAD_CELLS; cell++)
        for (unsigned other = 0; other < QCLASS_COUNT && cells >> cell & 1; other++) {
            double octets = (double)(is_link ? load->link_octets : load->octets)[cell][other];
            *sum += octets;
            share += other == k ? octets : 0;
        }
    return share / *sum;
}

static void check_group(const struct load *load, const struct row *row, const struct group *group)
{
    unsigned classes = load_backlogged(load, group->cells);
    double weights = 0, sum = 0;
    for (unsigned left = classes; left; left &= left - 1)
        weights += load->rig.sched.params.weights[__builtin_ctz(left)];
    for (unsigned left = classes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        double due = load->rig.sched.params.weights[k] / weights;
        double share = share_of(load, group->cells, k, &sum);
        if (fabs(share / due - 1) > MOST_OFF)
            fail_msg("%s: %s has %.4f %% of cells %x at %.1f s, due are %.4f %%", row->name, qclass_name(k),
                     share * 100, group->cells, (double)load->rig.now / 1e9, due * 100);
    }
    double rate_bps = sum * 8e9 / (double)(load->rig.now - load->since_ns);
    if (fabs(rate_bps / group->rate_bps - 1) > MOST_LOST)
        fail_msg("%s: cells %x have %.0f bit/s, due are %.0f", row->name, group->cells, rate_bps,
                 group->rate_bps);
}

static void play(const struct row *row, bool is_short, int windows)
{
    struct load load;
    load_new(&load, &row->plan, is_short);
    load_run(&load, row->warm_ms * RIG_MSEC);
    for (const struct group *group = row->groups; group->cells; group++)
        for (int i = 0; i < windows; i++) {
            load_run_window(&load, group->cells, LLC_PDUS);
            check_group(&load, row, group);
        }
    load_free(&load);
}

TEST(weights_hold_where_it_is_limited)
{
    bool is_long = !short_form_is_wanted();
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (is_long || i % 2 == 0)
            play(&rows[i], false, is_long ? WINDOWS : 1);
        if (is_long || i % 2 == 1)
            play(&rows[i], true, 1);
    }
}

UNIT_MAIN(NULL, NULL)
