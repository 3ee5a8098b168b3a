/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles of one class: equal shares for all who want them, and no waiting for who wants little. */
#include "tests/unit/dataplane/sched/load.h"
#include "tests/unit/unit.h"

#define WIDE 10000000 /* bit/s; of a mobile that its bucket closes after every LLC-PDU, but not for long */

enum { STREAM = QCLASS_STREAMING, THP1 = QCLASS_THP1, THP2 = QCLASS_THP2, BG = QCLASS_BACKGROUND };

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
     {.link_bps = 4000000,
      .link_octets = 4000,
      .sources = {{0, BG, 97, 500}, {1, BG, 2, 500}, {2, BG, 1, 500}}}},
    {"100 on a link, in cells of 50, 30, 15 and 5, of any length",
     {.link_bps = 8000000,
      .link_octets = 4000,
      .sources = {{0, BG, 50, 40, 1500}, {1, BG, 30, 40, 700}, {2, BG, 15, 1500}, {3, BG, 5, 40}}}},
    {"100 on a link, in cells of 70 and 30, some of them parked after every LLC-PDU",
     {.link_bps = 8000000,
      .link_octets = 4000,
      .sources = LIST({0, BG, 60, 500}, {0, BG, 10, 500, .ms_rate_bps = WIDE, .ms_octets = 520},
                      {1, BG, 20, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {1, BG, 10, 500})}},
    {"100 on a link, beside a cell that its bucket limits, and other classes",
     {.link_bps = 80000000,
      .link_octets = 4000,
      .cells = {{100000, 4000}},
      .sources =
          {{0, STREAM, 10, 500}, {1, BG, 90, 500}, {2, BG, 10, 500}, {1, THP1, 1, 300}, {2, THP1, 5, 300}}}},
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
        play_equal(&equals[i], false);
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
     {.link_bps = 1000000,
      .link_octets = 4000,
      .sources = {{0, BG, 1, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {0, BG, 9, 500}}}},
    {"one of ten, alone in its cell on a link",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .sources = {{0, BG, 1, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {1, BG, 9, 500}}}},
    {"all but one of its cell, on a link",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .sources = {{0, BG, 4, 500, .ms_rate_bps = WIDE, .ms_octets = 520}, {0, BG, 1, 500}, {1, BG, 5, 500}}}},
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
        play_greedy(&greedy[i], false);
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
    {"4 % beside four times the rate, in a cell",
     INT64_C(1510) * 400000,
     {.cells = {{20000, 1600}},
      .sources = {{0, BG, 1, 100, .offered_bps = 800}, {0, BG, 1, 1500, .offered_bps = 80000}},
      .ms_limit_octets = 20000}},
    {"the same with a longer bucket",
     INT64_C(1510) * 400000,
     {.cells = {{20000, 20000}},
      .sources = {{0, BG, 1, 100, .offered_bps = 800}, {0, BG, 1, 1500, .offered_bps = 80000}},
      .ms_limit_octets = 20000}},
    {"the same with long N-PDUs",
     INT64_C(1510) * 400000,
     {.cells = {{20000, 1600}},
      .sources = {{0, BG, 1, 1500, .offered_bps = 800}, {0, BG, 1, 40, 1500, .offered_bps = 80000}},
      .ms_limit_octets = 20000}},
    {"the same in segments",
     INT64_C(506) * 400000,
     {.cells = {{20000, 1600}},
      .sources = {{0, BG, 1, 400, .offered_bps = 800}, {0, BG, 1, 1500, .offered_bps = 80000}},
      .n201_u = 500,
      .ms_limit_octets = 20000}},
    {"beside another class with more weight",
     INT64_C(1510) * 400000,
     {.cells = {{20000, 1600}},
      .sources = {{0, THP1, 1, 100, .offered_bps = 800}, {0, STREAM, 1, 1500, .offered_bps = 80000}},
      .ms_limit_octets = 20000}},
    {"beside another class with less weight",
     INT64_C(1510) * 400000,
     {.cells = {{20000, 1600}},
      .sources = {{0, STREAM, 1, 100, .offered_bps = 800}, {0, BG, 1, 1500, .offered_bps = 80000}},
      .ms_limit_octets = 20000}},
    {"on a link, in one cell",
     INT64_C(1550) * 125000,
     {.link_bps = 64000,
      .link_octets = 2000,
      .link_headers = 40,
      .sources = {{0, BG, 1, 100, .offered_bps = 2560}, {0, BG, 1, 1500, .offered_bps = 256000}},
      .ms_limit_octets = 20000}},
    {"on a link, in two cells",
     INT64_C(1550) * 125000,
     {.link_bps = 64000,
      .link_octets = 2000,
      .link_headers = 40,
      .sources = {{0, BG, 1, 100, .offered_bps = 2560}, {1, BG, 1, 1500, .offered_bps = 256000}},
      .ms_limit_octets = 20000}},
    {"another flow of its own mobile has four times the rate of its bucket",
     INT64_C(1510) * 400000,
     {.sources = {{0, STREAM, 1, 100, .offered_bps = 800, .ms_rate_bps = 20000, .ms_octets = 1600},
                  {0, BG, 1, 1500, .offered_bps = 80000, .shares = 1}},
      .ms_limit_octets = 1000000}},
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
        play_modest(&modests[i], false);
        play_modest(&modests[i], true);
    }
}

/* --- many of both --- */

/* 50 mobiles with a short N-PDU each second, all at one instant, and 20 with downloads: each second is what
 * one long and all the short ones take. */
static const struct equal crowds[] = {
    {"in a cell",
     {.cells = {{1000000, 4000}}, .sources = {{0, BG, 50, 100, .offered_bps = 800}, {0, BG, 20, 1500}}}},
    {"on a link",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .sources = {{0, BG, 50, 100, .offered_bps = 800}, {0, BG, 20, 1500}}}},
    {"on a link, in another cell",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .sources = {{0, BG, 50, 100, .offered_bps = 800}, {1, BG, 20, 1500}}}},
    {"on a link, in many cells",
     {.link_bps = 1000000,
      .link_octets = 4000,
      .sources = LIST({0, BG, 25, 100, .offered_bps = 800}, {1, BG, 25, 100, .offered_bps = 800},
                      {0, BG, 10, 1500}, {2, BG, 10, 1500})}},
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
        play_crowd(&crowds[i], false);
        play_crowd(&crowds[i], true);
    }
}

UNIT_MAIN(NULL, NULL)
