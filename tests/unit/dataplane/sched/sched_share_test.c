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
    ROW("three, of different lengths",
        {.cells = {{80000, 10000}},
         .sources = {{0, STREAM, 3, 100, 200}, {0, THP1, 1, 1500}, {0, BG, 2, 40, 1500}}},
        .groups = {{1, 80000}}),
    ROW("four, and many mobiles",
        {.cells = {{80000, 2000}},
         .sources =
             {{0, STREAM, 20, 40, 1500}, {0, THP1, 7, 1500}, {0, THP3, 30, 40}, {0, BG, 20, 40, 1500}}},
        .groups = {{1, 80000}}),
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
     ROW(.link_bps = 400000, .link_octets = 4000, .link_headers = 40,
         .cells = {{80000, 10000}, {80000, 10000}},
         .sources = {FIVE(0, 1), {1, STREAM, 1, 500}, {1, BG, 1, 500}}),
     .warm_ms = 1000, /* who begins has an LLC-PDU at once, two when its cell is found to be limited */
     .groups = {{1, 80000}, {2, 80000}}},
    {"beside cells that have the rest of the link",
     ROW(.link_bps = 2000000, .link_octets = 4000, .cells = {{300000, 10000}},
         .sources = {FIVE(0, 1), FIVE(1, 1), FIVE(2, 2)}),
     .warm_ms = 5000, .groups = {{1, 300000}, {6, 1700000}}},
    {"beside cells that have the rest of the link, and began before",
     ROW(.link_bps = 2000000, .link_octets = 4000, .cells = {{300000, 10000}},
         .sources = LIST({0, STREAM, 1, 500, .from_ms = 20000}, {0, THP2, 1, 700, .from_ms = 20000},
                         {0, BG, 1, 1500, .from_ms = 20000}, FIVE(1, 1), FIVE(2, 2))),
     .warm_ms = 25000, .groups = {{1, 300000}, {6, 1700000}}},
    {"beside cells that have the rest of the link, and began later",
     ROW(.link_bps = 2000000, .link_octets = 4000, .cells = {{300000, 10000}},
         .sources =
             LIST(FIVE(0, 2), {1, STREAM, 1, 500, .from_ms = 20000}, {1, THP2, 1, 700, .from_ms = 20000},
                  {1, BG, 1, 1500, .from_ms = 20000}, {2, STREAM, 3, 100, 1500, .from_ms = 20000})),
     .warm_ms = 25000, .groups = {{1, 300000}, {6, 1700000}}},
    ROW("a limited link",
        ROW(.link_bps = 2000000, .link_octets = 4000, .link_headers = 50,
            .sources = {FIVE(0, 1), FIVE(1, 2), FIVE(2, 3)}),
        .groups = {{7, 2000000}}),
    {"a limited link, classes in different cells",
     ROW(.link_bps = 2000000, .link_octets = 4000, .link_headers = 50,
         .sources = {{0, STREAM, 1, 200}, {1, THP1, 5, 1500}, {2, THP2, 1, 40, 1500}, {3, BG, 20, 40}}),
     .groups = {{15, 2000000}}},
    ROW("a limited link, in segments",
        ROW(.link_bps = 2000000, .link_octets = 4000, .link_headers = 50, .n201_u = 300,
            .sources = {FIVE(0, 1), FIVE(1, 3)}),
        .groups = {{3, 2000000}}),
    ROW("the rates of cells are more than the link has",
        ROW(.link_bps = 1000000, .link_octets = 4000,
            .cells = {{600000, 10000}, {600000, 10000}, {600000, 10000}},
            .sources = LIST({0, STREAM, 1, 500}, {0, BG, 1, 500}, {1, STREAM, 1, 500}, {1, BG, 1, 500},
                            {2, STREAM, 1, 500})),
        .warm_ms = 2000, .groups = {{7, 1000000}}),
    {"the rates of cells are more than the link has, one of them is less than its share",
     ROW(.link_bps = 1000000, .link_octets = 4000,
         .cells = {{600000, 10000}, {600000, 10000}, {100000, 10000}},
         .sources = {FIVE(0, 1), FIVE(1, 2), FIVE(2, 1)}),
     .warm_ms = 5000, .groups = {{3, 900000}, {4, 100000}}},
    {"only background in a cell whose rate is more than its share of the link",
     ROW(.link_bps = 1000000, .link_octets = 4000, .cells = {{600000, 10000}},
         .sources = {{0, BG, 1, 500}, {1, STREAM, 1, 500}, {1, BG, 1, 500}}),
     .warm_ms = 2000, .groups = {{3, 1000000}}},
    {"signalling floods a cell",
     ROW(.cells = {{80000, 10000}}, .sources = LIST({0, QCLASS_SIGNALLING, 3, 40, 300}, {0, STREAM, 1, 500},
                                                    {0, THP1, 1, 1500}, {0, BG, 2, 500})),
     .groups = {{1, 80000}}},
    ROW("signalling and short messages flood a link",
        ROW(.link_bps = 2000000, .link_octets = 4000, .link_headers = 40,
            .sources = LIST({0, QCLASS_SIGNALLING, 1, 100}, {1, QCLASS_SMS, 1, 200}, {1, CONV, 1, 60},
                            {0, BG, 2, 500}, {2, BG, 2, 1500})),
        .groups = {{7, 2000000}}),
    ROW("weights of five orders of magnitude",
        ROW(.cells = {{8000000, 10000}},
            .sources = LIST({0, CONV, 1, 1500}, {0, STREAM, 1, 1500}, {0, THP1, 1, 1500}, {0, THP2, 1, 1500},
                            {0, THP3, 1, 150}, {0, BG, 1, 50}),
            .weights = {1, 1, 65535, 10000, 1000, 100, 10, 1}),
        .groups = {{1, 8000000}}),
    {"only background in a cell whose rate is more than its share of the link, and began before",
     ROW(.link_bps = 1000000, .link_octets = 4000, .cells = {{600000, 10000}},
         .sources =
             LIST({0, BG, 1, 500}, {1, STREAM, 1, 500, .from_ms = 5000}, {1, BG, 1, 500, .from_ms = 5000})),
     .warm_ms = 10000, .groups = {{3, 1000000}}},
    {"mobiles with two classes in a limited cell",
     {.cells = {{80000, 10000}},
      .sources = {{0, STREAM, 5, 500}, {0, BG, 5, 40, 1500, .shares = 1}, {0, BG, 5, 700}}},
     .groups = {{1, 80000}}},
    ROW("mobiles with two classes on a limited link",
        ROW(.link_bps = 1000000, .link_octets = 4000,
            .sources = LIST({0, STREAM, 5, 500}, {0, BG, 5, 40, 1500, .shares = 1}, {1, BG, 5, 700},
                            {1, THP1, 5, 300, .shares = 1})),
        .groups = {{3, 1000000}}),
    {"five classes of a mobile that its own bucket limits",
     {.sources = LIST({0, STREAM, 1, 100, 400, .ms_rate_bps = 80000, .ms_octets = 4000},
                      {0, THP1, 1, 40, 1500, .shares = 1}, {0, THP2, 1, 576, .shares = 2},
                      {0, THP3, 1, 40, 1500, .shares = 3}, {0, BG, 1, 1000, 1500, .shares = 4})},
     .groups = {{1, 80000}}},
    ROW("mobiles whose bucket closes now and then, though it is not what limits them",
        ROW(.cells = {{80000, 10000}},
            .sources = LIST({0, STREAM, 1, 500, .ms_rate_bps = 1000000, .ms_octets = 1500},
                            {0, BG, 1, 500, .shares = 1}, {0, STREAM, 9, 500})),
        .groups = {{1, 80000}}),
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
            fail_msg("%s: %s has %.4f %% of cells %x at %.1f s, due are %.4f %%", row->name,
                     n_pdu_qclass_name(k), share * 100, group->cells, (double)load->rig.now / 1e9, due * 100);
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

/* The short form plays a row one way, the next one the other way. Of the rows of weights it leaves out the
 * two behind these. */
static bool is_played(size_t row, bool is_short)
{
    return !short_form_is_wanted() || (row % 2 == 1) == is_short;
}

TEST(weights_hold_where_it_is_limited)
{
    for (size_t i = 0; i < COUNT(rows); i += short_form_is_wanted() && i % 2 == 1 ? 3 : 1) {
        if (is_played(i, false))
            play(&rows[i], false, short_form_is_wanted() ? 1 : WINDOWS);
        if (is_played(i, true))
            play(&rows[i], true, 1);
    }
}

/* --- Mobiles of one class: equal shares for all who want them, and no waiting for who wants little --- */

#define WIDE 10000000 /* bit/s; of a mobile that its bucket closes after every LLC-PDU, but not for long */

/* --- Jain's index over ten seconds --- */

#define FIVE_LENGTHS(cell_, n)                                                                               \
    {cell_, BG, n, 40}, {cell_, BG, n, 200}, {cell_, BG, n, 576}, {cell_, BG, n, 1000},                      \
    {                                                                                                        \
        cell_, BG, n, 1500                                                                                   \
    }

static const struct equal {
    const char *name;
    struct load_plan plan;
} equals[] = {
    {"100 in a cell", {.cells = {{2000000, 10000}}, .sources = {{0, BG, 100, 500}}}},
    {"100 in a cell, of any length", {.cells = {{4000000, 10000}}, .sources = {{0, BG, 100, 40, 1500}}}},
    {"100 in a cell, each of its own length",
     {.cells = {{8000000, 10000}}, .sources = {FIVE_LENGTHS(0, 20)}}},
    {"100 in a cell, in segments",
     {.cells = {{4000000, 10000}}, .sources = {{0, BG, 100, 1500}}, .n201_u = 300}},
    {"100 in a cell, parked after every LLC-PDU",
     {.cells = {{4000000, 10000}}, .sources = {{0, BG, 100, 500, .ms_rate_bps = WIDE, .ms_octets = 520}}}},
    {"100 in a cell, some of them parked after every LLC-PDU",
     {.cells = {{8000000, 10000}},
      .sources = {{0, BG, 30, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {0, BG, 70, 40, 1500}}}},
    {"100 on a link, in cells of 97, 2 and 1",
     ROW(.link_bps = 4000000, .link_octets = 4000,
         .sources = {{0, BG, 97, 500}, {1, BG, 2, 500}, {2, BG, 1, 500}})},
    {"100 on a link, in cells of 50, 30, 15 and 5, of any length",
     ROW(.link_bps = 8000000, .link_octets = 4000,
         .sources = {{0, BG, 50, 40, 1500}, {1, BG, 30, 40, 700}, {2, BG, 15, 1500}, {3, BG, 5, 40}})},
    {"100 on a link, in cells of 70 and 30, some of them parked after every LLC-PDU",
     ROW(.link_bps = 8000000, .link_octets = 4000,
         .sources = LIST({0, BG, 60, 500}, {0, BG, 10, 500, .ms_rate_bps = WIDE, .ms_octets = 520},
                         {1, BG, 20, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {1, BG, 10, 500}))},
    {"100 on a link, beside a cell that its bucket limits, and other classes",
     ROW(.link_bps = 80000000, .link_octets = 4000, .cells = {{100000, 4000}},
         .sources = LIST({0, STREAM, 10, 500}, {1, BG, 90, 500}, {2, BG, 10, 500}, {1, THP1, 1, 300},
                         {2, THP1, 5, 300}))},
};

static void play_equal(const struct equal *row, bool is_short)
{
    struct load load;
    load_new(&load, &row->plan, is_short);
    load_run(&load, 1 * RIG_SECOND);
    load_clear(&load);
    load_run(&load, 11 * RIG_SECOND);
    if (load_jain(&load, BG) < 0.999)
        fail_msg("%s: Jain's index is %.5f", row->name, load_jain(&load, BG));
    load_free(&load);
}

TEST(equal_mobiles_get_the_same)
{
    for (size_t i = 0; i < COUNT(equals); i++) {
        if (is_played(i, false))
            play_equal(&equals[i], false);
        if (is_played(i, true))
            play_equal(&equals[i], true);
    }
}

/* --- not more than a fair share --- */

/* The first source's mobiles must not get more than the others, by 1 %, nor less, by 15 %: whoever is parked
 * after what it sent is not there for a while. */
static const struct equal greedy[] = {
    {"one of ten is parked after every LLC-PDU, in a cell",
     {.cells = {{1000000, 10000}},
      .sources = {{0, BG, 1, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {0, BG, 9, 500}}}},
    {"with longer ones",
     {.cells = {{1000000, 10000}},
      .sources = {{0, BG, 1, 1500, .ms_rate_bps = WIDE, .ms_octets = 1520}, {0, BG, 9, 500}}}},
    {"with shorter ones",
     {.cells = {{1000000, 10000}},
      .sources = {{0, BG, 1, 200, .ms_rate_bps = WIDE, .ms_octets = 220}, {0, BG, 9, 40, 1500}}}},
    {"half of them, in a cell",
     {.cells = {{1000000, 10000}},
      .sources = {{0, BG, 5, 700, .ms_rate_bps = WIDE, .ms_octets = 720}, {0, BG, 5, 500}}}},
    {"one of ten, on a link",
     ROW(.link_bps = 1000000, .link_octets = 4000,
         .sources = {{0, BG, 1, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {0, BG, 9, 500}})},
    {"one of ten, alone in its cell on a link",
     ROW(.link_bps = 1000000, .link_octets = 4000,
         .sources = {{0, BG, 1, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {1, BG, 9, 500}})},
    {"all but one of its cell, on a link",
     ROW(.link_bps = 1000000, .link_octets = 4000,
         .sources =
             LIST({0, BG, 4, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {0, BG, 1, 500}, {1, BG, 5, 500}))},
};

static void play_greedy(const struct equal *row, bool is_short)
{
    struct load load;
    load_new(&load, &row->plan, is_short);
    load_run(&load, 2 * RIG_SECOND);
    load_clear(&load);
    load_run(&load, 302 * RIG_SECOND);
    uint64_t others = 0, mobiles = 0;
    for (unsigned i = 1; row->plan.sources[i].mobiles; i++) {
        others += load_octets_of(&load, i);
        mobiles += row->plan.sources[i].mobiles;
    }
    double ratio =
        (double)load_octets_of(&load, 0) / row->plan.sources[0].mobiles / ((double)others / (double)mobiles);
    if (ratio > 1.01 || ratio < 0.85)
        fail_msg("%s: each has %.4f times what the others have", row->name, ratio);
    load_free(&load);
}

TEST(nobody_gains_by_being_parked)
{
    for (size_t i = 0; i < COUNT(greedy); i++) {
        if (is_played(i, false))
            play_greedy(&greedy[i], false);
        if (is_played(i, true))
            play_greedy(&greedy[i], true);
    }
}

/* --- who wants little --- */

/* The first source's mobiles want little. What the longest LLC-PDU takes at the rate that limits is `pdu_ns`.
 */
static const struct modest {
    const char *name;
    int64_t pdu_ns;
    struct load_plan plan;
} modests[] = {
    {"4 % beside four times the rate, in a cell", INT64_C(1510) * 400000,
     ROW(.cells = {{20000, 1600}},
         .sources = {{0, BG, 1, 100, .offered_bps = 800}, {0, BG, 1, 1500, .offered_bps = 80000}},
         .ms_limit_octets = 20000)},
    {"the same with a longer bucket", INT64_C(1510) * 400000,
     ROW(.cells = {{20000, 20000}},
         .sources = {{0, BG, 1, 100, .offered_bps = 800}, {0, BG, 1, 1500, .offered_bps = 80000}},
         .ms_limit_octets = 20000)},
    {"the same with long N-PDUs", INT64_C(1510) * 400000,
     ROW(.cells = {{20000, 1600}},
         .sources = {{0, BG, 1, 1500, .offered_bps = 800}, {0, BG, 1, 40, 1500, .offered_bps = 80000}},
         .ms_limit_octets = 20000)},
    {"the same in segments", INT64_C(506) * 400000,
     ROW(.cells = {{20000, 1600}},
         .sources = {{0, BG, 1, 400, .offered_bps = 800}, {0, BG, 1, 1500, .offered_bps = 80000}},
         .n201_u = 500, .ms_limit_octets = 20000)},
    {"beside another class with more weight", INT64_C(1510) * 400000,
     ROW(.cells = {{20000, 1600}},
         .sources = {{0, THP1, 1, 100, .offered_bps = 800}, {0, STREAM, 1, 1500, .offered_bps = 80000}},
         .ms_limit_octets = 20000)},
    {"beside another class with less weight", INT64_C(1510) * 400000,
     ROW(.cells = {{20000, 1600}},
         .sources = {{0, STREAM, 1, 100, .offered_bps = 800}, {0, BG, 1, 1500, .offered_bps = 80000}},
         .ms_limit_octets = 20000)},
    {"on a link, in one cell", INT64_C(1550) * 125000,
     ROW(.link_bps = 64000, .link_octets = 2000, .link_headers = 40,
         .sources = {{0, BG, 1, 100, .offered_bps = 2560}, {0, BG, 1, 1500, .offered_bps = 256000}},
         .ms_limit_octets = 20000)},
    {"on a link, in two cells", INT64_C(1550) * 125000,
     ROW(.link_bps = 64000, .link_octets = 2000, .link_headers = 40,
         .sources = {{0, BG, 1, 100, .offered_bps = 2560}, {1, BG, 1, 1500, .offered_bps = 256000}},
         .ms_limit_octets = 20000)},
    {"another flow of its own mobile has four times the rate of its bucket", INT64_C(1510) * 400000,
     ROW(.sources = {{0, STREAM, 1, 100, .offered_bps = 800, .ms_rate_bps = 20000, .ms_octets = 1600},
                     {0, BG, 1, 1500, .offered_bps = 80000, .shares = 1}},
         .ms_limit_octets = 1000000)},
};

/* The longest wait of the first source's mobiles, of whom nothing must be lost. */
static int64_t most_wait_ns(const struct modest *row, bool is_alone, bool is_short)
{
    struct load load;
    struct load_plan plan = row->plan;
    if (is_alone)
        for (unsigned i = 1; i < LOAD_SOURCES; i++)
            plan.sources[i].mobiles = 0;
    load_new(&load, &plan, is_short);
    load_run(&load, 600 * RIG_SECOND);
    int64_t most = 0;
    for (uint32_t i = 0; i < plan.sources[0].mobiles; i++) {
        most = moment_max(most, load.streams[i].most_wait_ns);
        if (load.streams[i].lost > 0)
            fail_msg("%s: %llu lost", row->name, (unsigned long long)load.streams[i].lost);
        assert_in_range(load.streams[i].offered - load.streams[i].n_pdus, 0, 1);
    }
    load_free(&load);
    return most;
}

static void play_modest(const struct modest *row, bool is_short)
{
    int64_t alone_ns = most_wait_ns(row, true, is_short), beside_ns = most_wait_ns(row, false, is_short);
    if (beside_ns - alone_ns >= 2 * row->pdu_ns)
        fail_msg("%s: it waits %.3f s, alone %.3f s", row->name, (double)beside_ns / 1e9,
                 (double)alone_ns / 1e9);
}

TEST(who_wants_little_does_not_wait)
{
    for (size_t i = 0; i < COUNT(modests); i++) {
        if (is_played(i, false))
            play_modest(&modests[i], false);
        if (is_played(i, true))
            play_modest(&modests[i], true);
    }
}

/* --- many of both --- */

/* 50 mobiles with a short N-PDU each second, all at one instant, and 20 with downloads: each second is what
 * one long and all the short ones take. */
static const struct equal crowds[] = {
    {"in a cell",
     {.cells = {{1000000, 4000}}, .sources = {{0, BG, 50, 100, .offered_bps = 800}, {0, BG, 20, 1500}}}},
    {"on a link", ROW(.link_bps = 1000000, .link_octets = 4000,
                      .sources = {{0, BG, 50, 100, .offered_bps = 800}, {0, BG, 20, 1500}})},
    {"on a link, in another cell", ROW(.link_bps = 1000000, .link_octets = 4000,
                                       .sources = {{0, BG, 50, 100, .offered_bps = 800}, {1, BG, 20, 1500}})},
    {"on a link, in many cells",
     ROW(.link_bps = 1000000, .link_octets = 4000,
         .sources = LIST({0, BG, 25, 100, .offered_bps = 800}, {1, BG, 25, 100, .offered_bps = 800},
                         {0, BG, 10, 1500}, {2, BG, 10, 1500}))},
};

static void play_crowd(const struct equal *row, bool is_short)
{
    int64_t most_ns = (1510 + 50 * 110) * INT64_C(8000);
    struct load load;
    load_new(&load, &row->plan, is_short);
    load_run(&load, 2500 * RIG_MSEC); /* at first all are new */
    load_clear(&load);
    load_run(&load, 60 * RIG_SECOND);
    for (uint32_t i = 0; i < 50; i++)
        if (load.streams[i].most_wait_ns > most_ns)
            fail_msg("%s: one waits %.3f s", row->name, (double)load.streams[i].most_wait_ns / 1e9);
    assert_in_range(load_octets_of(&load, 1), 1000, UINT64_MAX);
    load_free(&load);
}

TEST(a_crowd_of_them_waits_for_one_long_one)
{
    for (size_t i = 0; i < COUNT(crowds); i++) {
        if (is_played(i, false))
            play_crowd(&crowds[i], false);
        if (is_played(i, true))
            play_crowd(&crowds[i], true);
    }
}

UNIT_MAIN(NULL, NULL)
