/* SPDX-License-Identifier: BSD-3-Clause */
/* Several classes of one mobile: how they share its rate when its own bucket limits it. */
#include "tests/unit/dataplane/sched/load.h"
#include "tests/unit/short_form.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/dataplane/sched/rig.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/ms.h"

#include <math.h>
#include <stdlib.h>

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
    ROW("alone", 3, 80000, 0,
        {.sources = LIST({0, STREAM, 1, 100, 400, .ms_rate_bps = 80000, .ms_octets = 4000},
                         {0, THP2, 1, 576, .shares = 1}, {0, BG, 1, 1000, 1500, .shares = 2})}),
    ROW("in a bucket shorter than an LLC-PDU", 2, 80000, 0,
        {.sources = {{0, STREAM, 1, 100, 1500, .ms_rate_bps = 80000, .ms_octets = 90},
                     {0, BG, 1, 40, 1500, .shares = 1}}}),
    ROW("in a bucket of ten seconds", 2, 80000, 20000,
        {.sources = {{0, STREAM, 1, 100, 1500, .ms_rate_bps = 80000, .ms_octets = 100000},
                     {0, BG, 1, 40, 1500, .shares = 1}}}),
    {"in a cell that others fill", 2, 8000, 0,
     ROW(.cells = {{400000, 10000}},
         .sources = LIST({0, STREAM, 1, 500, .ms_rate_bps = 8000, .ms_octets = 2000},
                         {0, THP1, 1, 500, .shares = 1}, {0, THP1, 2, 40}, {0, STREAM, 1, 1500}))},
    {"on a link that others fill", 2, 8000, 0,
     ROW(.link_bps = 400000, .link_octets = 4000,
         .sources = LIST({0, STREAM, 1, 500, .ms_rate_bps = 8000, .ms_octets = 2000},
                         {0, THP1, 1, 500, .shares = 1}, {1, THP1, 2, 40}, {0, STREAM, 1, 1500}))},
    {"a third class comes and goes", 2, 0, 0,
     ROW(.cells = {{400000, 10000}},
         .sources =
             LIST({0, STREAM, 1, 500, .ms_rate_bps = 8000, .ms_octets = 2000}, {0, BG, 1, 500, .shares = 1},
                  {0, THP1, 1, 40, .offered_bps = 80, .shares = 2}, {0, THP1, 2, 40}, {0, STREAM, 1, 1500}))},
    ROW("the second class begins late", 2, 80000, 1000000,
        {.sources = {{0, BG, 1, 1500, .ms_rate_bps = 80000, .ms_octets = 4000},
                     {0, STREAM, 1, 500, .shares = 1, .from_ms = 1000000}}}),
    ROW("and the other way round", 2, 80000, 1000000,
        {.sources = {{0, STREAM, 1, 500, .ms_rate_bps = 80000, .ms_octets = 4000},
                     {0, BG, 1, 1500, .shares = 1, .from_ms = 1000000}}}),
    ROW("its bucket limits it after its cell has for long", 2, 30000, 400000,
        ROW(.cells = {{33000, 10000}},
            .sources = LIST({0, STREAM, 1, 500, .ms_rate_bps = 30000, .ms_octets = 2000},
                            {0, BG, 1, 500, .shares = 1}, {0, STREAM, 9, 1500})),
        true),
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
            fail_msg("%s: %s has %.4f %%, due are %.4f %%", row->name, n_pdu_qclass_name(k), share * 100,
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

/* --- What flow queues change for those who share, and what they must not --- */

#define FLOWS_LLC_PDUS 20000
#define PER_MILLE      10 /* a hundredth */

/* A mobile with one download beside one with eight; where the limit is. */
#define EIGHT(low, high)                                                                                     \
    {0, BG, 1, low, high}, {0, BG, 1, low, high}, {0, BG, 1, low, high, .shares = 1},                        \
        {0, BG, 1, low, high, .shares = 2}, {0, BG, 1, low, high, .shares = 3},                              \
        {0, BG, 1, low, high, .shares = 4}, {0, BG, 1, low, high, .shares = 5},                              \
        {0, BG, 1, low, high, .shares = 6},                                                                  \
    {                                                                                                        \
        0, BG, 1, low, high, .shares = 7                                                                     \
    }

static const struct download {
    const char *name;
    struct load_plan plan;
} downloads[] = {
    {"a cell limits", {.cells = {{80000, 3000}}, .flow_queues = 16, .sources = {EIGHT(1000, 0)}}},
    {"a cell limits, all lengths",
     {.cells = {{80000, 3000}}, .flow_queues = 16, .sources = {EIGHT(40, 1500)}}},
    {"the link limits", ROW(.link_bps = 100000, .link_octets = 3200, .link_headers = 40, .flow_queues = 16,
                            .sources = {EIGHT(40, 1500)})},
    {"in segments",
     {.cells = {{80000, 3000}}, .n201_u = 500, .flow_queues = 16, .sources = {EIGHT(40, 1500)}}},
};

static bool is_near(double a, double b)
{
    return a >= b * (1000 - PER_MILLE) / 1000 && a <= b * (1000 + PER_MILLE) / 1000;
}

/* Mobiles alike whatever they have, and alike what a mobile has. */
static void check(const struct download *row, const struct load *load)
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
    for (size_t i = 0; i < COUNT(downloads); i++) {
        struct load load;
        load_new(&load, &downloads[i].plan, false);
        load_run(&load, RIG_SECOND);
        load_run_window(&load, 1, FLOWS_LLC_PDUS);
        check(&downloads[i], &load);
        load_free(&load);
    }
}

/* --- a ping beside downloads of the same mobile --- */

static const struct ping {
    const char *name;
    struct load_plan plan;
    int64_t most_ns;
} pings[] = {
    {"in one queue it waits for a whole window",
     {.cells = {{80000, 1100}}, .sources = {EIGHT(1000, 0), {0, BG, 1, 60, .offered_bps = 240, .shares = 1}}},
     40 * PDU_NS},
    {"in its own for what is on its way, and the other mobile's turn",
     ROW(.cells = {{80000, 1100}}, .flow_queues = 16,
         .sources = {EIGHT(1000, 0), {0, BG, 1, 60, .offered_bps = 240, .shares = 1}}),
     3 * PDU_NS},
    {"the same in the mobile's own bucket",
     ROW(.flow_queues = 16, .sources = {{0, BG, 1, 1000, .ms_rate_bps = 80000, .ms_octets = 1100},
                                        {0, BG, 1, 60, .offered_bps = 240, .shares = 1}}),
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

/*
 * Start-time fair queueing of mobiles beside a plain model of it: a cell that sends one N-PDU after the
 * other, mobiles with N-PDUs of any length that come and pause. Each choice has to be the model's, which
 * keeps whole tags in an array and looks at all of them.
 */

#define MS      RIG_MSEC
#define S       RIG_SECOND
#define BG_BIT  (1 << QCLASS_BACKGROUND)
#define MOBILES 12
#define WAITING 64
#define STEPS   20000
#define NO_ONE  MOBILES

struct plain_ms {
    uint64_t tag, entered; /* entered: orders equal keys */
    uint16_t octets[WAITING];
    uint32_t first, count;
    bool has_begun; /* before it had anything there was no pause */
};

struct plain {
    struct plain_ms ms[MOBILES];
    uint64_t vt, entries, sent;
    uint32_t next; /* it has the cell's turn; NO_ONE: none waits */
    uint32_t quantum_octets, run,
        run_octets; /* run: the mobile that sent last; NO_ONE: it has nothing more */
    uint32_t credit_octets;
};

/* A quantum that a mobile has just sent does not delay its own short N-PDU. */
static uint64_t start_of(const struct plain *plain, const struct plain_ms *ms, uint16_t octets)
{
    uint64_t ahead = octets <= 300 ? plain->quantum_octets : 0;
    return ms->tag > ahead ? ms->tag - ahead : 0;
}

static uint32_t chosen(const struct plain *plain)
{
    uint32_t best = NO_ONE;
    uint64_t best_key = 0;
    for (uint32_t i = 0; i < MOBILES; i++) {
        const struct plain_ms *ms = &plain->ms[i];
        uint16_t octets = ms->octets[ms->first % WAITING];
        uint64_t key = start_of(plain, ms, octets) + octets;
        if (ms->count == 0 || (best != NO_ONE && key > best_key))
            continue;
        if (best != NO_ONE && key == best_key && ms->entered > plain->ms[best].entered)
            continue;
        best = i;
        best_key = key;
    }
    if (best == NO_ONE || plain->run == NO_ONE || plain->run_octets >= plain->quantum_octets ||
        plain->ms[best].octets[plain->ms[best].first % WAITING] <= 300)
        return best;
    return plain->run;
}

static void plain_put(struct plain *plain, uint32_t i, uint16_t octets)
{
    struct plain_ms *ms = &plain->ms[i];
    if (ms->count == 0) {
        uint64_t credit = ms->has_begun ? plain->credit_octets : 0;
        uint64_t least = plain->vt > credit ? plain->vt - credit : 0;
        ms->tag = ms->tag > least ? ms->tag : least;
        ms->has_begun = true;
        ms->entered = plain->entries++;
    }
    ms->octets[(ms->first + ms->count++) % WAITING] = octets;
    if (plain->next == NO_ONE)
        plain->next = chosen(plain);
}

static void plain_sent(struct plain *plain, uint32_t i, uint16_t octets)
{
    struct plain_ms *ms = &plain->ms[i];
    plain->sent++;
    assert_int_equal(i, plain->next);
    assert_int_equal(octets, ms->octets[ms->first % WAITING]);
    uint64_t start = start_of(plain, ms, octets);
    plain->vt = start > plain->vt ? start : plain->vt;
    ms->tag += octets;
    ms->first++;
    ms->count--;
    ms->entered = plain->entries++;
    if (plain->run == i || octets > 300) {
        plain->run_octets = plain->run == i ? plain->run_octets + octets : octets;
        plain->run = i;
    }
    if (plain->run == i && ms->count == 0)
        plain->run = NO_ONE;
    plain->next = chosen(plain);
}

static void on_sent(struct rig *rig, uint32_t ms, const struct sched_grant *grant)
{
    plain_sent(rig->arg, ms, grant->next.llc_octets);
}

struct params {
    uint16_t quantum_octets, credit_octets;
};

static void start(struct rig *rig, struct plain *plain, const struct params *of, uint64_t cell_bps)
{
    struct rig_counts counts = {.mobiles = MOBILES, .extras = 1, .cells = 1, .links = 1, .n_pdus = 1024};
    struct sched_params params;
    sched_params_default(&params);
    params.sfq_classes = BG_BIT;
    params.ms_quantum_octets = of->quantum_octets;
    params.credit_octets = of->credit_octets;
    *plain = (struct plain){.next = NO_ONE,
                            .run = NO_ONE,
                            .quantum_octets = of->quantum_octets,
                            .credit_octets = of->credit_octets};
    rig_new(rig, &counts, &params);
    rig->arg = plain;
    rig->on_sent = on_sent;
    bucket_set(&rig->cells[0].bucket, 1, cell_bps, 0);
    sched_bvc_changed(&rig->sched, &rig->cells[0]);
}

static void put(struct rig *rig, struct plain *plain, uint32_t ms, uint16_t octets)
{
    struct n_pdu like = {.octets = octets, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
    if (plain->ms[ms].count == WAITING)
        return;
    plain_put(plain, ms, octets);
    assert_int_equal(rig_put(rig, ms, &like), DROP_NONE);
}

/* Mobiles of low numbers send short N-PDUs, now and then; those of high ones long ones, many at a time. */
TEST(as_the_model)
{
    static const struct params params[] = {{0, 0}, {0, 0}, {1000, 0}, {3000, 0}, {0, 2000}, {1300, 6000}};
    for (uint64_t seed = 1; seed <= COUNT(params); seed++) {
        uint64_t prng = seed;
        struct plain plain;
        struct rig rig;
        start(&rig, &plain, &params[seed - 1], 400000);
        for (int64_t now = MS; rig.llc_pdus < STEPS / 4; now += (int64_t)prng_below(&prng, 60) * MS + 1) {
            uint32_t ms = (uint32_t)prng_below(&prng, MOBILES);
            rig_run(&rig, now - 1);
            rig.now = now;
            for (uint64_t n = prng_below(&prng, ms + 1u); n > 0; n--)
                put(&rig, &plain, ms, (uint16_t)prng_between(&prng, 40, 100 + ms * 110));
        }
        rig_run(&rig, MOMENT_NEVER);
        assert_int_equal(rig.in, plain.sent);
        rig_free(&rig);
    }
}

/* A cell of 1000 octets a second; the first N-PDU closes it. */
static const struct lab_scenario tags[] = {
    ROW(.name = "a short N-PDU passes long ones, by turns of octets", .sfq = BG_BIT,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 3, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 1, 1000}, {4 * MS, LAB_PUT, 2, 100}),
        .sent = LIST({0, 3, 1000}, {1 * S, 0, 1000}, {1100 * MS, 2, 100}, {2100 * MS, 1, 1000},
                     {3100 * MS, 0, 1000})),
    ROW(.name = "a pause does not end a debt", .sfq = BG_BIT,
        .steps = LIST({0, LAB_CELL, 0, 1500, 8000}, {0, LAB_PUT, 3, 1500}, {1 * MS, LAB_PUT, 0, 1500},
                      {2 * MS, LAB_PUT, 1, 300}, {3 * MS, LAB_PUT, 1, 300}, {4 * MS, LAB_PUT, 1, 300},
                      {1600 * MS, LAB_PUT, 0, 200}),
        .sent = LIST({0, 3, 1500}, {1500 * MS, 0, 1500}, {1800 * MS, 1, 300}, {2100 * MS, 1, 300},
                     {2400 * MS, 1, 300}, {2600 * MS, 0, 200})),
    ROW(.name = "a pause is worth the credit", .sfq = BG_BIT, .credit_octets = 1500, .queued_only = true,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 1, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 0, 1000}, {4 * MS, LAB_PUT, 0, 1000},
                      {5 * MS, LAB_PUT, 0, 1000}, {6 * MS, LAB_PUT, 0, 1000}, {4001 * MS, LAB_PUT, 1, 1000},
                      {4002 * MS, LAB_PUT, 1, 1000}, {4003 * MS, LAB_PUT, 1, 1000}),
        .sent =
            LIST({0, 1, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {3 * S, 0, 1000}, {4 * S, 0, 1000},
                 {5 * S, 0, 1000}, {6 * S, 1, 1000}, {7 * S, 1, 1000}, {8 * S, 1, 1000}, {9 * S, 0, 1000})),
    ROW(.name = "who was parked catches up by a largest LLC-PDU, 1526 octets, though it has no credit",
        .sfq = BG_BIT, .vain = 1, /* its bucket had opened by then */
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 3, 1000}, {0, LAB_SET, 1, 1000, 800},
                      {1 * MS, LAB_PUT, 1, 1000}, {2 * MS, LAB_PUT, 1, 1000}, {3 * MS, LAB_PUT, 1, 1000},
                      {4 * MS, LAB_PUT, 1, 1000}, {5 * MS, LAB_PUT, 0, 1000}, {6 * MS, LAB_PUT, 0, 1000},
                      {7 * MS, LAB_PUT, 0, 1000}, {8 * MS, LAB_PUT, 0, 1000}, {9 * MS, LAB_PUT, 0, 1000},
                      {10 * MS, LAB_PUT, 0, 1000}, {5001 * MS, LAB_SET, 1, 60000, 800000}),
        .sent = LIST({0, 3, 1000}, {1 * S, 1, 1000}, {2 * S, 0, 1000}, {3 * S, 0, 1000}, {4 * S, 0, 1000},
                     {5 * S, 0, 1000}, {6 * S, 0, 1000}, {7 * S, 1, 1000}, {8 * S, 1, 1000}, {9 * S, 1, 1000},
                     {10 * S, 0, 1000})),
    ROW(.name = "a mobile sends its quantum in a row, short N-PDUs go in between", .sfq = BG_BIT,
        .ms_quantum_octets = 2000,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 3, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 0, 1000}, {4 * MS, LAB_PUT, 1, 1000},
                      {5 * MS, LAB_PUT, 1, 500}, {1005 * MS, LAB_PUT, 2, 100}),
        .sent = LIST({0, 3, 1000}, {1 * S, 0, 1000}, {2 * S, 0, 1000}, {2100 * MS, 2, 100},
                     {3100 * MS, 1, 1000}, {3600 * MS, 1, 500}, {4600 * MS, 0, 1000})),
    ROW(.name = "a mobile sends in a row its part of the cell's bucket, if that is less than its quantum",
        .sfq = BG_BIT, .ms_quantum_octets = 2000,
        .steps = LIST({0, LAB_CELL, 0, 1000, 16000}, {0, LAB_SET, 0, 60000, 16000}, {0, LAB_PUT, 3, 1000},
                      {1 * MS, LAB_PUT, 0, 1000}, {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 1, 1000},
                      {4 * MS, LAB_PUT, 1, 500}),
        .sent = LIST({0, 3, 1000}, {500 * MS, 0, 1000}, {1 * S, 1, 1000}, {1250 * MS, 1, 500},
                     {1750 * MS, 0, 1000})),
    {.name = "cells that share the link share as their mobiles would",
     .sfq = BG_BIT,
     .queued_only = true, /* what passes the queue is not charged */
     .cell_of = {0, 0, 1},
     .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 3, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                   {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 1, 1000}, {4 * MS, LAB_PUT, 1, 1000},
                   {5 * MS, LAB_PUT, 2, 1000}, {6 * MS, LAB_PUT, 2, 1000}, {7 * MS, LAB_PUT, 2, 1000},
                   {8 * MS, LAB_PUT, 2, 1000}, {9 * MS, LAB_PUT, 0, 1000}, {10 * MS, LAB_PUT, 1, 1000}),
     .sent = LIST({0, 3, 1000}, {1 * S, 2, 1000}, {2 * S, 0, 1000}, {3 * S, 2, 1000}, {4 * S, 1, 1000},
                  {5 * S, 2, 1000}, {6 * S, 0, 1000}, {7 * S, 1, 1000}, {8 * S, 2, 1000}, {9 * S, 0, 1000},
                  {10 * S, 1, 1000})},
    ROW(.name = "another class in order of arrival changes nothing", .fifo = 1 << QCLASS_THP1, .sfq = BG_BIT,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 3, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 1, 1000}),
        .sent = LIST({0, 3, 1000}, {1 * S, 0, 1000}, {2 * S, 1, 1000}, {3 * S, 0, 1000})),
};

TEST_EACH(in_rows, lab_play, tags)

UNIT_MAIN(NULL, NULL)
