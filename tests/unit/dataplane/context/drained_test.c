/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell that announces less than it drains, or far more: a target costs no rate, and the delay stays short.
 */
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "tests/unit/dataplane/context/rig.h"

enum {
    MS_KBPS = 237, /* R_default_MS of osmo-pcu for four timeslots with MCS-9 */
    PDU_OCTETS = 506,
    STEP_NS = 10000000,
    STEPS = 100,    /* from one announcement to the next */
    STEP_MO = 1250, /* thousandths of an octet that 1 kbit/s drains in a step, 10 ms */
    BUCKET_S = 10,
    TARGET_MS = 250,
    SECONDS = 60,
    TRACE = 12,
};

/* A BSS that measures the mean delay of each second. */
struct cell {
    const char *what;
    uint32_t drains_kbps[2];   /* in the first and in the second half of the time */
    uint32_t says_kbps[TRACE]; /* R of each announcement, again and again; 0: the end */
    uint32_t least_percent;    /* of what it can drain, in the last third */
    uint32_t most_delay_cs;    /* that it measures there */
};

struct play {
    struct rig rig;
    const struct cell *cell;
    uint64_t queue_mo, drained_mo, could_mo, delay_cs;
    unsigned said;
};

static void announce(struct play *p, uint64_t delay_cs)
{
    const uint32_t *says = p->cell->says_kbps;
    if (p->said == TRACE || says[p->said] == 0)
        p->said = 0;
    uint64_t rate_bps = says[p->said++] * UINT64_C(1000), ms_rate_bps = MS_KBPS * UINT64_C(1000);
    struct gb_flow flow =
        rig_flow(rate_bps / 8 * BUCKET_S, rate_bps, ms_rate_bps / 8 * BUCKET_S, ms_rate_bps);
    flow.has_delay = true;
    flow.delay_cs = (uint16_t)delay_cs;
    assert_int_equal(context_bvc_flow(&p->rig.c, 0, &flow, p->rig.now), 0);
}

/* The node always has something to send. */
static void send(struct play *p)
{
    struct ms *ms = &p->rig.c.mobiles[0];
    while (bucket_can_take(&p->rig.c.bvcs[0].sched.bucket, PDU_OCTETS, p->rig.now) &&
           bucket_can_take(context_ms_bucket(&p->rig.c, ms), PDU_OCTETS, p->rig.now)) {
        context_ms_signal(ms, PDU_OCTETS, p->rig.now);
        p->queue_mo += PDU_OCTETS * 1000;
    }
}

static void drain(struct play *p, uint32_t rate_kbps)
{
    uint64_t most_mo = (uint64_t)rate_kbps * STEP_MO;
    uint64_t gone_mo = p->queue_mo < most_mo ? p->queue_mo : most_mo;
    p->delay_cs += p->queue_mo / most_mo;
    p->queue_mo -= gone_mo;
    p->drained_mo += gone_mo;
    p->could_mo += most_mo;
    p->rig.now += STEP_NS;
}

/* Returns the mean delay. */
static uint64_t second(struct play *p, uint32_t rate_kbps)
{
    p->delay_cs = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        send(p);
        drain(p, rate_kbps);
    }
    return p->delay_cs / STEPS;
}

static void open(struct play *p, const struct cell *cell)
{
    struct gb_policy policy = {.bss_target_ns = TARGET_MS * INT64_C(1000000), .rate_percent = 100};
    struct ms_params ms = rig_ms(0, 1);
    *p = (struct play){.cell = cell};
    rig_open(&p->rig);
    assert_int_equal(context_ms_add(&p->rig.c, 0, &ms, p->rig.now), 0);
    assert_int_equal(context_bvc_policy(&p->rig.c, 0, &policy, p->rig.now), 0);
    announce(p, 0);
}

static void play(const struct cell *cell)
{
    struct play p;
    uint64_t most_cs = 0;
    open(&p, cell);
    for (unsigned i = 0; i < SECONDS; i++) {
        uint64_t delay_cs = second(&p, cell->drains_kbps[i >= SECONDS / 2]);
        if (i == SECONDS * 2 / 3)
            p.drained_mo = p.could_mo = most_cs = 0;
        most_cs = delay_cs > most_cs ? delay_cs : most_cs;
        announce(&p, delay_cs);
    }
    uint64_t percent = p.drained_mo * 100 / p.could_mo;
    rig_close(&p.rig);
    if (percent < cell->least_percent || most_cs > cell->most_delay_cs)
        fail_msg("%s: %llu %% drained, delay %llu cs", cell->what, (unsigned long long)percent,
                 (unsigned long long)most_cs);
}

/* The R of osmo-pcu 1.1.0 with EGPRS, at its full cell and while the coding climbs. */
static const struct cell cells[] = {
    {"full cell, 6 to 21 kbit/s every second time", {220, 220}, {205, 15, 184, 18, 203, 6, 198, 21}, 97, 40},
    {"nothing but 6 to 21 kbit/s", {220, 220}, {21, 6, 15, 18, 11, 13}, 97, 40},
    {"a cell of 140 kbit/s", {140, 140}, {9, 18, 15, 137, 6, 21}, 97, 40},
    {"R wraps around", {220, 220}, {237, 6553, 11, 6553, 6553, 237, 2, 21, 6553}, 97, 40},
    {"R wraps around, and nothing else", {220, 220}, {6553}, 97, 40},
    {"it drains less all at once", {220, 60}, {205, 15, 6553, 18, 203, 6}, 97, 60},
    {"it drains more again", {60, 220}, {60, 15, 6553, 18, 55, 6}, 97, 40},
    {"R is right", {70, 70}, {80}, 97, 1000},
};

TEST(no_rate_is_lost)
{
    for (size_t i = 0; i < COUNT(cells); i++)
        play(&cells[i]);
}

/* A BSS loses timeslots to calls and says so a second before: it is never sent what it cannot drain. */
TEST(a_drop_of_r_is_believed)
{
    static const struct cell cell = {
        "", {200, 20}, {200, 200, 200, 20, 20, 20, 20, 20, 20, 20, 20, 20}, 0, 0};
    struct play p;
    uint64_t most_mo = 0;
    open(&p, &cell);
    for (unsigned i = 0; i < TRACE - 1; i++) {
        announce(&p, second(&p, cell.drains_kbps[i > 3]));
        most_mo = i > 3 && p.queue_mo > most_mo ? p.queue_mo : most_mo;
    }
    rig_close(&p.rig);
    assert_true(most_mo <= 20 * STEP_MO * STEPS * UINT64_C(2)); /* two seconds' */
}

/* --- light load --- */

struct alone {
    struct drained drained;
    struct drained_report report;
    int64_t now;
};

/* Returns the rate that counts. */
static uint64_t observe(struct alone *a, uint64_t octets, int64_t delay_ns)
{
    a->now += MOMENT_SECOND;
    a->report.sent_octets += octets;
    a->report.delay_ns = delay_ns;
    drained_observe(&a->drained, &a->report, a->now);
    return a->drained.doubts > 0 ? a->drained.rate_bps : a->report.rate_bps;
}

static struct alone alone(uint64_t rate_bps, int64_t target_ns)
{
    struct alone a = {.report = {.rate_bps = rate_bps,
                                 .ms_rate_bps = 237000,
                                 .bucket_octets = rate_bps / 8 * BUCKET_S,
                                 .target_ns = target_ns},
                      .now = MOMENT_SECOND};
    observe(&a, 0, 0);
    return a;
}

/* A TBF's set-up delays the only LLC-PDU of a second. */
TEST(a_delay_without_a_queue)
{
    struct alone a = alone(6000, TARGET_MS * INT64_C(1000000));
    assert_int_equal(observe(&a, 1500, 0), 6000);
    for (unsigned i = 0; i < DRAINED_DOUBTS + 2; i++)
        assert_true(observe(&a, i % 3 == 0 ? 200 : 0, MOMENT_SECOND / 5) >= 6000);
}

/* The first contradiction of R grows nothing, and a target of 1 ns divides nothing by 0. */
TEST(the_first_doubt)
{
    struct alone a = alone(100, 1);
    assert_int_equal(observe(&a, 1000000, 0), 100);
    assert_true(observe(&a, 1000000, 0) > 0);
}

/* --- which rate counts --- */

static uint64_t counts_bps(const struct play *p)
{
    return p->rig.c.bvcs[0].sched.bucket.rate_bps;
}

TEST_IN(a_share, struct rig, rig, rig_open(rig), rig_close(rig))
{
    struct gb_flow flow = rig_flow(100000, 6553400000, 25000, 20000);
    flow.share_permille = 600;
    assert_int_equal(context_bvc_flow(&rig->c, 0, &flow, rig->now), 0);
    assert_int_equal(rig->c.bvcs[0].sched.bucket.rate_bps, 3932040000);
    assert_int_equal(rig->c.bvcs[0].sched.ms_rate_bps, 12000);
}

/* A cell whose R is in doubt: 15 kbit/s are said, and far more count. */
static void open_in_doubt(struct play *p)
{
    static const struct cell cell = {"", {220, 220}, {205, 15, 205, 15}, 0, 0};
    open(p, &cell);
    for (unsigned i = 0; i < 3; i++)
        announce(p, second(p, 220));
    assert_true(counts_bps(p) > 180000);
}

#define IN_DOUBT_TEST(name) TEST_IN(name, struct play, p, open_in_doubt(p), rig_close(&p->rig))

IN_DOUBT_TEST(no_measurement_no_doubt)
{
    struct gb_flow flow = rig_flow(100000, 15000, 25000, 237000);
    p->rig.now += MOMENT_SECOND;
    assert_int_equal(context_bvc_flow(&p->rig.c, 0, &flow, p->rig.now), 0);
    assert_int_equal(counts_bps(p), 15000);
}

IN_DOUBT_TEST(no_target_no_doubt)
{
    const struct gb_policy policy = {.rate_percent = 100};
    assert_int_equal(context_bvc_policy(&p->rig.c, 0, &policy, p->rig.now), 0);
    assert_int_equal(counts_bps(p), 15000);
}

IN_DOUBT_TEST(begins_again_with_a_reset)
{
    assert_int_equal(context_bvc_reset(&p->rig.c, 0, p->rig.now), 0);
    p->said = 3;
    announce(p, 0);
    assert_int_equal(counts_bps(p), 15000);
}

/* R = 0 stops the cell; the next one is judged as before. */
IN_DOUBT_TEST(a_stop_holds)
{
    struct gb_flow flow = rig_flow(100000, 0, 25000, 237000);
    flow.has_delay = true;
    p->rig.now += MOMENT_SECOND;
    assert_int_equal(context_bvc_flow(&p->rig.c, 0, &flow, p->rig.now), 0);
    assert_int_equal(counts_bps(p), 0);
    p->said = 3;
    announce(p, 0);
    assert_true(counts_bps(p) > 180000);
}

/* The clamp and the factor of the operator count as with any R. */
IN_DOUBT_TEST(the_operators_limit)
{
    const struct gb_policy policy = {
        .bss_target_ns = TARGET_MS * INT64_C(1000000), .rate_percent = 100, .max_rate_bps = 90000};
    assert_int_equal(context_bvc_policy(&p->rig.c, 0, &policy, p->rig.now), 0);
    assert_int_equal(counts_bps(p), 90000);
}

UNIT_MAIN(NULL, NULL)
