/* SPDX-License-Identifier: BSD-3-Clause */
/* Several classes of one mobile: how they share its rate when its own bucket limits it. */
#include "tests/unit/dataplane/sched/load.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include <math.h>

#define WINDOWS   3
#define LLC_PDUS  200
#define MOST_OFF  0.01
#define MOST_LOST 0.001

enum {
    SIGNALLING = QCLASS_SIGNALLING,
    STREAM = QCLASS_STREAMING,
    THP1 = QCLASS_THP1,
    THP2 = QCLASS_THP2,
    THP3 = QCLASS_THP3,
    BG = QCLASS_BACKGROUND,
};

/* The first `own` sources are classes of one mobile, which is held to its weights.  */
static const struct row {
    const char *name;
    unsigned own;
    double rate_bps; /* 0: whatever others leave */
    uint32_t warm_ms;
    struct load_plan plan;
    bool opens; /* then: all others leave, and the cell is wide open */
} rows[] = {
    {"alone",
     3,
     80000,
     0,
     {.sources = LIST({0, STREAM, 1, 100, 400, .ms_rate_bps = 80000, .ms_octets = 4000},
                      {0, THP2, 1, 576, .shares = 1}, {0, BG, 1, 1000, 1500, .shares = 2})}},
    {"in a bucket shorter than an LLC-PDU",
     2,
     80000,
     0,
     {.sources = {{0, STREAM, 1, 100, 1500, .ms_rate_bps = 80000, .ms_octets = 90},
                  {0, BG, 1, 40, 1500, .shares = 1}}}},
    {"in a bucket of ten seconds",
     2,
     80000,
     20000,
     {.sources = {{0, STREAM, 1, 100, 1500, .ms_rate_bps = 80000, .ms_octets = 100000},
                  {0, BG, 1, 40, 1500, .shares = 1}}}},
    {"in a cell that others fill",
     2,
     8000,
     0,
     {.cells = {{400000, 10000}},
      .sources = LIST({0, STREAM, 1, 500, .ms_rate_bps = 8000, .ms_octets = 2000},
                      {0, THP1, 1, 500, .shares = 1}, {0, THP1, 2, 40}, {0, STREAM, 1, 1500})}},
    {"on a link that others fill",
     2,
     8000,
     0,
     {.link_bps = 400000,
      .link_octets = 4000,
      .sources = LIST({0, STREAM, 1, 500, .ms_rate_bps = 8000, .ms_octets = 2000},
                      {0, THP1, 1, 500, .shares = 1}, {1, THP1, 2, 40}, {0, STREAM, 1, 1500})}},
    {"a third class comes and goes",
     2,
     0,
     0,
     {.cells = {{400000, 10000}},
      .sources =
          LIST({0, STREAM, 1, 500, .ms_rate_bps = 8000, .ms_octets = 2000}, {0, BG, 1, 500, .shares = 1},
               {0, THP1, 1, 40, .offered_bps = 80, .shares = 2}, {0, THP1, 2, 40}, {0, STREAM, 1, 1500})}},
    {"the second class begins late",
     2,
     80000,
     1000000,
     {.sources = {{0, BG, 1, 1500, .ms_rate_bps = 80000, .ms_octets = 4000},
                  {0, STREAM, 1, 500, .shares = 1, .from_ms = 1000000}}}},
    {"and the other way round",
     2,
     80000,
     1000000,
     {.sources = {{0, STREAM, 1, 500, .ms_rate_bps = 80000, .ms_octets = 4000},
                  {0, BG, 1, 1500, .shares = 1, .from_ms = 1000000}}}},
    {"its bucket limits it after its cell has for long",
     2,
     30000,
     400000,
     {.cells = {{33000, 10000}},
      .sources = LIST({0, STREAM, 1, 500, .ms_rate_bps = 30000, .ms_octets = 2000},
                      {0, BG, 1, 500, .shares = 1}, {0, STREAM, 9, 1500})},
     true},
};

static uint64_t least_pdus(const struct load *load, unsigned own)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < own; i++)
        if (load->streams[i].llc_pdus < least)
            least = load->streams[i].llc_pdus;
    return least;
}

static void check_window(struct load *load, const struct row *row)
{
    double weights = 0, sum = 0;
    load_clear(load);
    while (least_pdus(load, row->own) < LLC_PDUS)
        load_run(load, load->rig.now + LOAD_SLICE);
    for (unsigned i = 0; i < row->own; i++) {
        weights += load->rig.sched.params.weights[load->streams[i].source->k];
        sum += (double)load->streams[i].octets;
    }
    for (unsigned i = 0; i < row->own; i++) {
        unsigned k = load->streams[i].source->k;
        double share = (double)load->streams[i].octets / sum,
               due = load->rig.sched.params.weights[k] / weights;
        if (fabs(share / due - 1) > MOST_OFF)
            fail_msg("%s: %s has %.4f %%, due are %.4f %%", row->name, qclass_name(k), share * 100,
                     due * 100);
    }
    double rate_bps = sum * 8e9 / (double)(load->rig.now - load->since_ns);
    if (row->rate_bps > 0 && fabs(rate_bps / row->rate_bps - 1) > MOST_LOST)
        fail_msg("%s: %.0f bit/s", row->name, rate_bps);
}

static void open_cell(struct load *load)
{
    struct rig *rig = &load->rig;
    bucket_set(&rig->cells[0].bucket, RIG_WIDE_OPEN, rig->now);
    sched_bvc_changed(&rig->sched, &rig->cells[0]);
    for (uint32_t ms = 1; ms < rig->counts.mobiles; ms++)
        sched_ms_freeze(&rig->sched, &rig->ms[ms], SCHED_MS_LOST);
}

static void play(const struct row *row, bool is_short)
{
    struct load load;
    load_new(&load, &row->plan, is_short);
    load_run(&load, row->warm_ms * RIG_MSEC);
    if (row->opens)
        open_cell(&load);
    for (int i = 0; i < (short_form_is_wanted() ? 1 : WINDOWS); i++)
        check_window(&load, row);
    load_free(&load);
}

TEST(weights_hold_inside_a_mobile)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!short_form_is_wanted() || i % 2 == 0)
            play(&rows[i], false);
        if (!short_form_is_wanted() || i % 2 == 1)
            play(&rows[i], true);
    }
}

/* --- whoever comes after a while --- */

#define PDU_NS (101 * RIG_MSEC) /* of 1010 octets, at 80 kbit/s */

/* A download, and now and then one N-PDU of another class of the same mobile. */
static const struct rare {
    const char *name;
    uint8_t bulk, rare;
    uint64_t cell_bps; /* 0: the mobile limits itself, to 80 kbit/s */
} rares[] = {
    {"a ping beside a download, in the mobile's own rate", BG, THP1, 0},
    {"background beside a stream, in the mobile's own rate", STREAM, BG, 0},
    {"signalling beside a download, in the mobile's own rate", BG, SIGNALLING, 0},
    {"a ping beside a download, in a cell", BG, THP1, 80000},
    {"background beside a stream, in a cell", STREAM, BG, 80000},
};

/* Whoever has sent one may have to let others send what is theirs of the rate before its next. */
static int64_t others_due(const struct rare *rare, uint32_t bulk_pdus)
{
    static const uint16_t weights[QCLASS_COUNT] = SCHED_DEFAULT_WEIGHTS;
    int64_t due = weights[rare->bulk] / weights[rare->rare] - (int64_t)bulk_pdus;
    return moment_max(due, 0);
}

static void come_after(const struct rare *rare, uint32_t bulk_pdus, bool comes_twice)
{
    struct load_plan plan = {
        .cells = {{rare->cell_bps, 3000}},
        .sources = {
            {0, rare->bulk, 1, 1000, .ms_rate_bps = rare->cell_bps ? 0 : 80000, .ms_octets = 3000},
            {0, rare->rare, 1, 1000, .offered_bps = 1, .from_ms = comes_twice ? 1000 : 0, .shares = 1}}};
    struct load load;
    load_new(&load, &plan, false);
    if (!comes_twice)
        load.streams[1].next_ns = bulk_pdus * PDU_NS;
    while (load.streams[1].n_pdus == 0)
        load_run(&load, load.rig.now + PDU_NS);
    /* 1010 octets each: the one that leaves, one that it may have to let go before it, itself. */
    int64_t most_ns = 3 * PDU_NS;
    if (comes_twice) {
        load_clear(&load);
        load.streams[1].next_ns = load.rig.now + bulk_pdus * PDU_NS;
        most_ns += others_due(rare, bulk_pdus) * PDU_NS;
        load_run(&load, load.streams[1].next_ns + most_ns);
    }
    if (load.streams[1].n_pdus == 0 || load.streams[1].most_wait_ns > most_ns)
        fail_msg("%s: after %u LLC-PDUs it waits %.3f s", rare->name, bulk_pdus,
                 (double)load.streams[1].most_wait_ns / 1e9);
    load_free(&load);
}

TEST(nobody_waits_after_a_while)
{
    for (size_t i = 0; i < COUNT(rares); i++)
        for (uint32_t pdus = 1; pdus < 3000; pdus += 1 + pdus / 4) {
            come_after(&rares[i], pdus, false);
            come_after(&rares[i], pdus, true);
        }
}

UNIT_MAIN(NULL, NULL)
