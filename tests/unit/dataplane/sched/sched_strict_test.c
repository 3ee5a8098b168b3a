/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who goes first: signalling and short messages, as long as they do not flood. And shares when the past
 * weighs in: after long idle phases, and when the numbers behind them are set back.
 */
#include "tests/unit/dataplane/sched/load.h"
#include "tests/unit/unit.h"

#include <math.h>

enum {
    SIGNALLING = QCLASS_SIGNALLING,
    SMS = QCLASS_SMS,
    STREAM = QCLASS_STREAMING,
    THP1 = QCLASS_THP1,
    THP3 = QCLASS_THP3,
    BG = QCLASS_BACKGROUND,
};

struct row {
    const char *name;
    struct load_plan plan;
};

/* --- first --- */

/* The first source's N-PDUs leave before whatever else waits: the longest LLC-PDU takes 151 ms, and so does
 * what the bucket of a cell or link waits for. */
#define RARE(class, octets)                                                                                  \
    {                                                                                                        \
        0, class, 1, octets, .offered_bps = 300                                                              \
    }
#define BULK                                                                                                 \
    {0, STREAM, 3, 1500}, {0, THP1, 3, 40, 1500},                                                            \
    {                                                                                                        \
        0, BG, 3, 1500                                                                                       \
    }

static const struct row firsts[] = {
    {"signalling in a cell", {.cells = {{80000, 3000}}, .sources = {RARE(SIGNALLING, 100), BULK}}},
    {"short messages in a cell", {.cells = {{80000, 3000}}, .sources = {RARE(SMS, 250), BULK}}},
    {"signalling on a link",
     {.link_bps = 80000, .link_octets = 3000, .sources = {RARE(SIGNALLING, 100), BULK}}},
    {"signalling on a link, from a cell of its own",
     {.link_bps = 80000,
      .link_octets = 3000,
      .sources = {RARE(SIGNALLING, 100), {1, STREAM, 3, 1500}, {2, BG, 3, 1500}, {3, THP1, 3, 700}}}},
    {"signalling in a cell that waits for its bucket and its link",
     {.link_bps = 80000,
      .link_octets = 3000,
      .cells = {{40000, 3000}},
      .sources = {RARE(SIGNALLING, 100), {1, STREAM, 3, 1500}, {2, BG, 3, 1500}}}},
    {"signalling beside a flood of short messages",
     {.cells = {{80000, 3000}}, .sources = {RARE(SIGNALLING, 100), {0, SMS, 2, 1500}, {0, BG, 2, 1500}}}},
};

static void play_first(const struct row *row, bool is_short)
{
    struct load load;
    load_new(&load, &row->plan, is_short);
    load_run(&load, 600 * RIG_SECOND);
    if (load.streams[0].n_pdus < 70 || load.streams[0].most_wait_ns > 151 * RIG_MSEC)
        fail_msg("%s: it waits %.3f s", row->name, (double)load.streams[0].most_wait_ns / 1e9);
    load_free(&load);
}

TEST(it_waits_for_one_llc_pdu_at_most)
{
    for (size_t i = 0; i < COUNT(firsts); i++) {
        play_first(&firsts[i], false);
        play_first(&firsts[i], true);
    }
}

/* It floods for a while: others still get their shares, and after it all is as before. */
TEST(a_flood_is_bounded_from_its_first_moment)
{
    struct load_plan plan = {
        .cells = {{80000, 3000}},
        .sources = {{0, SIGNALLING, 4, 100, .from_ms = 100000}, {0, STREAM, 2, 500}, {0, BG, 2, 500}}};
    struct load load;
    load_new(&load, &plan, false);
    load_run(&load, 100 * RIG_SECOND);
    load_clear(&load);
    load_run(&load, 110 * RIG_SECOND);
    /* 1000 of 1905, and a burst of eight of the longest. */
    uint64_t most = 100000 * 1000 / 1905 + 8 * SCHED_LARGEST_PDU + SCHED_LARGEST_PDU;
    assert_in_range(load_octets_of(&load, 0), 100000 * 1000 / 1905, most);
    assert_in_range(load_octets_of(&load, 1), 30000, 48000);
    load_free(&load);
}

/* --- the past --- */

static double off(const struct load *load, unsigned k)
{
    double weights = 0, sum = 0, own = 0;
    for (unsigned left = load_backlogged(load, 7); left; left &= left - 1)
        weights += load->rig.sched.params.weights[__builtin_ctz(left)];
    for (unsigned cell = 0; cell < 3; cell++)
        for (unsigned other = 0; other < QCLASS_COUNT; other++) {
            sum += (double)load->octets[cell][other];
            own += other == k ? (double)load->octets[cell][other] : 0;
        }
    return fabs(own / sum * weights / load->rig.sched.params.weights[k] - 1);
}

static void check_off(const struct load *load, const char *name)
{
    for (unsigned left = load_backlogged(load, 7); left; left &= left - 1)
        if (off(load, (unsigned)__builtin_ctz(left)) > 0.01)
            fail_msg("%s: %s is %.2f %% off", name, qclass_name(__builtin_ctz(left)),
                     off(load, (unsigned)__builtin_ctz(left)) * 100);
}

static void check_shares(struct load *load, const char *name)
{
    load_run_window(load, 7, 200);
    check_off(load, name);
}

static const struct row shared[] = {
    {"a cell",
     {.cells = {{80000, 3000}}, .sources = {{0, STREAM, 2, 500}, {0, THP3, 1, 900}, {0, BG, 3, 1000}}}},
    {"a link",
     {.link_bps = 2000000,
      .link_octets = 4000,
      .sources = {{0, STREAM, 2, 500}, {1, THP3, 1, 900}, {0, BG, 1, 500}, {2, BG, 2, 700}}}},
};

/* All mobiles of a class fall silent for a long time, then go on: they have no more of what was, and no less.
 */
static void silence(const struct row *row, unsigned k, int64_t silent_ns)
{
    struct load load;
    load_new(&load, &row->plan, false);
    check_shares(&load, row->name);
    for (uint32_t i = 0; i < load.count; i++)
        if (load.streams[i].source->k == k)
            sched_ms_freeze(&load.rig.sched, &load.rig.ms[load.streams[i].ms], SCHED_MS_LOST);
    load_run(&load, load.rig.now + silent_ns);
    for (uint32_t i = 0; i < load.count; i++)
        if (load.streams[i].source->k == k)
            sched_ms_thaw(&load.rig.sched, &load.rig.ms[load.streams[i].ms], SCHED_MS_LOST, load.rig.now);
    check_shares(&load, row->name);
    load_free(&load);
}

TEST(silence_is_neither_saved_nor_owed)
{
    static const int64_t lasts_ns[] = {1, 10 * RIG_SECOND, 3600 * RIG_SECOND};
    static const unsigned silent[] = {STREAM, THP3, BG};
    for (size_t i = 0; i < COUNT(shared); i++)
        for (size_t k = 0; k < COUNT(silent); k++)
            for (size_t n = 0; n < COUNT(lasts_ns); n++)
                silence(&shared[i], silent[k], lasts_ns[n]);
}

static void run_on(uint64_t *tag, uint64_t *now_tag, size_t stride, uint64_t to)
{
    uint64_t by = to - *now_tag;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        *(uint64_t *)(void *)((char *)tag + k * stride) += by;
    *now_tag += by;
}

/* Tags that have grown as far as they may go on from 0, here time and again, and nobody feels it. */
TEST(tags_are_set_back)
{
    uint64_t limit = UINT64_C(1) << 62;
    for (size_t i = 0; i < COUNT(shared); i++) {
        struct load load;
        load_new(&load, &shared[i].plan, false);
        struct sched_bvc *bvc = &load.rig.cells[0];
        struct sched_link *link = &load.rig.links[0];
        load_run(&load, 5 * RIG_SECOND);
        load_clear(&load);
        while (load_least_pdus(&load, 7) < 200) {
            run_on(&bvc->classes[0].tag, &bvc->now_tag, sizeof(bvc->classes[0]), limit - 1000);
            run_on(&link->classes[0].tag, &link->now_tag, sizeof(link->classes[0]), limit - 1000);
            load_run(&load, load.rig.now + (i == 0 ? 30 : 1) * RIG_SECOND);
            assert_true((i == 0 ? bvc->now_tag : link->now_tag) < limit / 2);
        }
        check_off(&load, shared[i].name);
        load_free(&load);
    }
}

UNIT_MAIN(NULL, NULL)
