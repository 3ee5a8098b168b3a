/* SPDX-License-Identifier: BSD-3-Clause */
/* What the operator makes of flow control: caps on what lies in the BSS, a factor and clamps. */
#include "tests/unit/dataplane/context/play.h"
#include "tests/unit/dataplane/context/rig.h"
#include "tests/unit/unit.h"

#include "dataplane/base/rng.h"
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/context_pdp.h"
#include "dataplane/sched/ms.h"

#define MS INT64_C(1000000)

/* --- arithmetic --- */

TEST(policy_ms_octets)
{
    static const struct {
        int64_t target_ns;
        uint64_t announced, rate_bps;
        uint32_t pdu;
        uint64_t want;
    } rows[] = {
        {0, 25000, 20000, 1526, 25000},       /* off */
        {250 * MS, 25000, 20000, 506, 625},   /* 20 kbit/s in 250 ms */
        {250 * MS, 25000, 20000, 1526, 1526}, /* one LLC-PDU at least */
        {250 * MS, 600, 20000, 506, 600},     /* never more than announced */
        {250 * MS, 25000, 0, 506, 506},
        {250 * MS, 0, 20000, 506, 0},
        {1, 25000, 8000000000 - 1, 0, 0}, /* rounded down */
        {1, 25000, 8000000000, 0, 1},
        {INT64_MAX, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, 506, BUCKET_MAX_OCTETS},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gb_policy policy = {.bss_target_ns = rows[i].target_ns, .rate_percent = 100};
        uint64_t got = gb_policy_ms_octets(&policy, rows[i].announced, rows[i].rate_bps, rows[i].pdu);
        if (got != rows[i].want)
            fail_msg("row %zu: %llu", i, (unsigned long long)got);
    }
}

TEST(bvc_octets)
{
    static const struct {
        int64_t target_ns;
        uint64_t max_octets, announced, rate_bps, ms_rate_bps, want;
    } rows[] = {
        {0, 0, 100000, 80000, 20000, 100000},
        {0, 9000, 100000, 80000, 20000, 9000},
        {1, 0, 100000, 80000, 20000, 5 * 1526},
        {1, 0, 100000, 80001, 20000, 6 * 1526}, /* ceil */
        {1, 0, 100000, 80000, 80000, 2 * 1526},
        {1, 0, 100000, 80000, 800000, 2 * 1526},
        {1, 0, 7000, 80000, 20000, 7000},
        {1, 6000, 100000, 80000, 20000, 6000},
        {1, 0, 100000, 80000, 0, 100000}, /* any number of mobiles */
        {1, 0, 100000, 0, 20000, 1526},
        {1, 0, 10000000, 8000000, 8000000, 50000}, /* 50 ms */
        {1, 0, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, 1, BUCKET_MAX_OCTETS},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gb_policy policy = {
            .bss_target_ns = rows[i].target_ns, .max_octets = rows[i].max_octets, .rate_percent = 100};
        uint64_t got =
            gb_policy_bvc_octets(&policy, rows[i].announced, rows[i].rate_bps, rows[i].ms_rate_bps);
        if (got != rows[i].want)
            fail_msg("row %zu: %llu", i, (unsigned long long)got);
    }
}

TEST(rates)
{
    static const struct {
        uint32_t percent;
        uint64_t max_rate_bps, announced_bps, ms_bps, bvc_bps;
    } rows[] = {
        {100, 0, 8000, 8000, 8000},
        {50, 0, 8001, 4000, 4000},
        {150, 0, 8000, 12000, 12000},
        {100, 5000, 8000, 8000, 5000},
        {50, 5000, 8000, 4000, 4000},
        {1, 0, 99, 0, 0},
        {1000, 0, BUCKET_MAX_RATE_BPS, BUCKET_MAX_RATE_BPS, BUCKET_MAX_RATE_BPS},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gb_policy policy = {.max_rate_bps = rows[i].max_rate_bps, .rate_percent = rows[i].percent};
        assert_int_equal(gb_policy_rate(&policy, rows[i].announced_bps), rows[i].ms_bps);
        assert_int_equal(gb_policy_bvc_rate(&policy, rows[i].announced_bps), rows[i].bvc_bps);
    }
}

/* --- in a cell --- */

static const struct play_row caps[] = {
    {"a target caps cell and mobiles at once, own values with the next FLOW-CONTROL-MS",
     LIST({0, FLOW_BVC, 0, 100000, 80000, 25000, 20000}, {0, FLOW_MS, 1, 30000, 40000},
          {0, POLICY, 0, 250, 100}, {0, IS_BVC, 0, 0, 7630, 80000}, {0, IS_MS, 0, 0, 1526, 20000},
          {0, IS_MS, 1, 0, 30000, 40000}, {0, FLOW_MS, 1, 30000, 80000}, {0, IS_MS, 1, 0, 2500, 80000},
          {0, TH_EXPIRES, 1}, {0, IS_MS, 1, 0, 1526, 20000}, {0, IS_MS, 2, 0, 700, 400},
          {0, POLICY, 0, 0, 100}, {0, IS_BVC, 0, 0, 100000, 80000}, {0, IS_MS, 0, 0, 25000, 20000})},
    {"the largest LLC-PDU is the mobile's",
     LIST({0, FLOW_BVC, 0, 100000, 80000, 25000, 20000}, {0, POLICY, 0, 250, 100}, {0, N201_U, 0, 500},
          {0, IS_MS, 0, 0, 625, 20000}, {0, N201_U, 0, 700}, {0, IS_MS, 0, 0, 706, 20000},
          {0, FLOW_MS, 0, 650, 20000}, {0, IS_MS, 0, 0, 650, 20000}, {0, N201_U, 0, 500},
          {0, IS_MS, 0, 0, 625, 20000}, {0, FLOW_MS, 0, 400, 20000}, {0, N201_U, 0, 600},
          {0, IS_MS, 0, 0, 400, 20000}, {0, N201_U | REFUSED, 0, 139}, {0, N201_U | REFUSED, 3, 500})},
    {"a cap holds mobiles back, and a level above it waits for leakage",
     LIST({0, FLOW_MS, 0, 25000, 8000}, {0, PUT, 0, 1000}, {0, PUT, 0, 1000}, {0, SENDS, 0, 2},
          {0, POLICY, 0, 200, 100}, {0, N201_U, 0, 500}, {0, FLOW_MS, 0, 25000, 8000},
          {0, IS_MS, 0, 2000, 506, 8000}, {0, PUT, 0, 506}, {0, SENDS, 0, 0},
          {0, WAKES, 0, UINT64_C(2000000000)})},
    {"a wider one lets them go",
     LIST({0, FLOW_BVC, 0, 100000, 80000, 25000, 8000}, {0, POLICY, 0, 200, 100}, {0, PUT, 0, 1500},
          {0, PUT, 0, 1500}, {0, SENDS, 0, 1}, {0, SENDS, 0, 0}, {0, POLICY, 0, 0, 100}, {0, SENDS, 0, 1})},
    {"N201-U of a mobile that missed changes of its defaults",
     LIST({0, PUT, 0, 500}, {0, SENDS, 0, 1}, {1000, FLOW_BVC, 0, 5000, 8000, 1000, 400},
          {2000, N201_U, 0, 500}, {2000, IS_MS, 0, 350, 1000, 400}, {3000, IS_MS, 0, 300, 1000, 400},
          {3000, FLOW_BVC, 0, 5000, 8000, 1000, 0}, {99000, N201_U, 0, 600},
          {99000, IS_MS, 0, 300, 1000, 0})},
    {"a move: the policy of the new cell",
     {{0, POLICY, 1, 1, 50}, {0, N201_U, 0, 500}, {0, TO_CELL, 0, 1}, {0, IS_MS, 0, 0, 506, 200}}},
    {"a factor on every R; Bmax stays",
     LIST({0, POLICY, 0, 0, 50}, {0, IS_BVC, 0, 0, 5000, 4000}, {0, IS_MS, 0, 0, 1000, 400},
          {0, FLOW_PFC, 0, 1, 300, 800}, {0, IS_PFC, 0, 0, 300, 400, 1}, {0, FLOW_MS, 0, 1000, 900},
          {0, IS_MS, 0, 0, 1000, 450}, {0, PUT, 1, 500}, {0, SENDS, 0, 1}, {1000, POLICY, 0, 0, 100},
          {1000, IS_MS, 1, 450, 1000, 800}, {2000, IS_MS, 1, 350, 1000, 800})},
    {"clamps are the cell's alone",
     LIST({0, POLICY, 0, 0, 100, 7000, 4000}, {0, IS_BVC, 0, 0, 4000, 7000}, {0, IS_MS, 0, 0, 1000, 800},
          {0, FLOW_BVC, 0, 3000, 6000, 5000, 8000}, {0, IS_BVC, 0, 0, 3000, 6000},
          {0, IS_MS, 0, 0, 5000, 8000})},
    {"refused, and nothing changes",
     LIST({0, POLICY | REFUSED, 0, 1, 0}, {0, POLICY | REFUSED, 0, 1, 1001},
          {0, POLICY | REFUSED, RIG_BVCS, 1, 100}, {0, IS_BVC, 0, 0, 5000, 8000})},
};

static const struct play_row beliefs[] = {
    {"a ratio is one of the Bmax that was announced",
     LIST({0, POLICY, 0, 1, 100}, {0, N201_U, 0, 500}, {0, FLOW_MS, 0, 2000, 800, .e = 1 + 50},
          {0, IS_MS, 0, 1000, 506, 800}, {0, FLOW_BVC, 0, 100000, 8000, 1000, 8000, 1 + 10},
          {0, IS_BVC, 0, 10000, 3052, 8000}, {1000, POLICY, 0, 2, 100}, {1000, IS_BVC, 0, 9000, 3052, 8000})},
    {"a measured delay is what leaks in that time and a full air, up to Bmax",
     LIST({0, POLICY, 0, 1, 100}, {0, DELAY, 0, 5000, 8000, 1000, 8000, 50},
          {0, IS_BVC, 0, 500 + 1526, 3052, 8000}, {0, DELAY, 0, 5000, 8000, 1000, 8000, 347},
          {0, IS_BVC, 0, 3470 + 1526, 3052, 8000}, {0, DELAY, 0, 5000, 8000, 1000, 8000, 348},
          {0, IS_BVC, 0, 5000, 3052, 8000}, {0, DELAY, 0, 8000, 8000, 1000, 2700, 1},
          {0, IS_BVC, 0, 10 + 3 * 1526, 6104, 8000}, {0, DELAY, 0, 5000, 8000, 1000, 0, 50},
          {0, IS_BVC, 0, 500, 5000, 8000}, {0, DELAY, 0, 5000, 8000, 1000, 8000, 60000},
          {0, IS_BVC, 0, 5000, 3052, 8000}, {0, DELAY, 0, 5000, 8000, 1000, 8000, 0},
          {0, IS_BVC, 0, 0, 3052, 8000})},
    {"an infinite one says nothing, nor does any without a target",
     LIST({0, PUT, 0, 200}, {0, SENDS, 0, 1}, {0, DELAY, 0, 5000, 8000, 1000, 8000, 50},
          {0, IS_BVC, 0, 200, 5000, 8000}, {0, POLICY, 0, 1, 100},
          {0, DELAY, 0, 5000, 8000, 1000, 8000, GB_DELAY_INFINITE}, {0, IS_BVC, 0, 200, 3052, 8000},
          {0, IS_MS, 0, 200, 1000, 8000})},
    {"it is reckoned with the R that is used",
     LIST({0, POLICY, 0, 1, 50}, {0, DELAY, 0, 5000, 8000, 1000, 8000, 50},
          {0, IS_BVC, 0, 250 + 1526, 3052, 4000})},
};

TEST_CALL(cap, play(caps, COUNT(caps)))
TEST_CALL(belief, play(beliefs, COUNT(beliefs)))

/* The policy of the context is that of a new cell. */
TEST(of_context)
{
    struct context c;
    struct context_policy policy;
    const struct context_limits limits = {1, 1, 1, 1, 1};
    struct gb_flow flow = rig_flow(100000, 80000, 25000, 20000);

    context_policy_default(&policy);
    policy.gb.bss_target_ns = 250 * MS;
    assert_true(context_new(&c, &limits, &policy));
    assert_int_equal(context_nse_add(&c, 0, 1, 0), 0);
    assert_int_equal(context_bvc_add(&c, 0, 7, 0, 0), 0);
    assert_int_equal(context_bvc_flow(&c, 0, &flow, 0), 0);
    assert_int_equal(c.bvcs[0].sched.bucket.max_octets, 7630);
    context_free(&c);
}

/*
 * Defaults that mobiles take over late, against mobiles that are told at once: the same changes, the same
 * LLC-PDUs and corrections at random instants; every bucket is the same to the last bit whenever somebody
 * looks.
 */

#define ROUNDS 300
#define EVENTS 400

struct twin {
    struct rig rig;
    struct bucket told[RIG_MOBILES]; /* as each bucket is if it follows every change at its instant */
    bool own[RIG_MOBILES];
    struct rng rng;
    uint64_t octets, rate_bps; /* defaults */
};

static uint64_t pick(struct twin *t, uint64_t below)
{
    return rng_below(&t->rng, below);
}

/* Magnitudes of 0 to the largest, each as likely. */
static uint64_t pick_rate(struct twin *t)
{
    uint64_t most = UINT64_C(1) << pick(t, 33);
    return pick(t, 8) == 0 ? 0 : pick(t, most < BUCKET_MAX_RATE_BPS ? most : BUCKET_MAX_RATE_BPS);
}

static void change(struct twin *t)
{
    struct gb_flow flow = rig_flow(BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, t->octets, t->rate_bps);
    if (pick(t, 3) > 0) /* else the same as before */
        flow.ms_bucket_octets = t->octets = 2000 + pick(t, 100000);
    if (pick(t, 3) > 0)
        flow.ms_rate_bps = t->rate_bps = pick_rate(t);
    assert_int_equal(context_bvc_flow(&t->rig.c, 0, &flow, t->rig.now), 0);
    for (unsigned i = 0; i < RIG_MOBILES; i++)
        if (!t->own[i] && (t->told[i].max_octets != t->octets || t->told[i].rate_bps != t->rate_bps))
            bucket_set(&t->told[i], t->octets, t->rate_bps, t->rig.now);
}

/* An LLC-PDU that both let go, or neither. */
static void send(struct twin *t, unsigned i)
{
    struct n_pdu n_pdu = {
        .pfi = N_PDU_NO_PFI, .octets = (uint16_t)(1 + pick(t, 480)), .arrival_ns = t->rig.now};
    struct ms *ms = &t->rig.c.mobiles[i];
    uint32_t llc_octets = n_pdu.octets + 10u;

    assert_int_equal(context_enqueue(&t->rig.c, ms, &n_pdu, t->rig.now), DROP_NONE);
    bool goes = bucket_can_take(&t->told[i], llc_octets, t->rig.now);
    assert_int_equal(rig_send(&t->rig), goes);
    if (goes)
        bucket_take(&t->told[i], llc_octets, t->rig.now);
    else
        sched_ms_flush(&t->rig.c.sched, &ms->sched, DROP_LIFETIME);
    rig_dropped(&t->rig, DROP_LIFETIME);
}

static void pass(struct twin *t, unsigned i)
{
    struct n_pdu n_pdu = {
        .pfi = N_PDU_NO_PFI, .octets = (uint16_t)(1 + pick(t, 480)), .arrival_ns = t->rig.now};
    struct sched_grant grant;
    uint32_t llc_octets = n_pdu.octets + 10u;
    rig_send(&t->rig); /* what is stale on the wheel */
    bool goes = bucket_can_take(&t->told[i], llc_octets, t->rig.now);
    assert_int_equal(context_pass(&t->rig.c, &t->rig.c.mobiles[i], &n_pdu, &grant, t->rig.now),
                     goes ? 1 : -1);
    if (goes)
        bucket_take(&t->told[i], llc_octets, t->rig.now);
}

static void announce(struct twin *t, unsigned i)
{
    struct gb_flow flow = rig_flow(2000 + pick(t, 50000), pick_rate(t), 0, 0);
    flow.ratio_percent = pick(t, 2) ? -1 : (int32_t)pick(t, 256);
    assert_int_equal(context_ms_flow(&t->rig.c, i, &flow, t->rig.now), 0);
    bucket_set(&t->told[i], flow.bucket_octets, flow.rate_bps, t->rig.now);
    if (flow.ratio_percent >= 0)
        bucket_set_ratio(&t->told[i], (uint32_t)flow.ratio_percent, t->rig.now);
    t->own[i] = true;
}

static void expire(struct twin *t, unsigned i)
{
    assert_int_equal(context_ms_defaults(&t->rig.c, i, t->rig.now), 0);
    bucket_set(&t->told[i], t->octets, t->rate_bps, t->rig.now);
    t->own[i] = false;
}

static void throw_away(struct twin *t, unsigned i)
{
    uint64_t octets = pick(t, 1000);
    assert_int_equal(rig_discard(&t->rig, i, octets), 0);
    bucket_discard(&t->told[i], octets, t->rig.now);
}

static void compare(struct twin *t, unsigned i)
{
    const struct bucket *got = context_ms_bucket(&t->rig.c, &t->rig.c.mobiles[i]);
    const struct bucket *want = &t->told[i];
    assert_int_equal(got->rate_bps, want->rate_bps);
    assert_int_equal(got->max_octets, want->max_octets);
    assert_true(bucket_level_nbit(got) == bucket_level_nbit(want));
    assert_int_equal(got->t_ns, want->t_ns);
}

static void event(struct twin *t)
{
    unsigned i = (unsigned)pick(t, RIG_MOBILES);
    t->rig.now += (int64_t)pick(t, UINT64_C(1) << pick(t, 36));
    switch (pick(t, 10)) {
    case 0:
    case 1:
    case 2:
        change(t);
        break;
    case 3:
    case 4:
        send(t, i);
        break;
    case 5:
        pass(t, i);
        break;
    case 6:
        announce(t, i);
        break;
    case 7:
        expire(t, i);
        break;
    case 8:
        throw_away(t, i);
        break;
    default:
        compare(t, i);
        break;
    }
}

static void open(struct twin *t, uint64_t seed)
{
    *t = (struct twin){.octets = 3000, .rate_bps = 8000};
    rng_init(&t->rng, seed, 0);
    rig_open(&t->rig);
    for (uint32_t i = 0; i < RIG_MOBILES; i++) {
        struct ms_params ms = rig_ms(0, i);
        assert_int_equal(context_ms_add(&t->rig.c, i, &ms, t->rig.now), 0);
        bucket_init(&t->told[i], 0, 0, t->rig.now);
    }
    struct gb_flow flow = rig_flow(BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, t->octets, t->rate_bps);
    assert_int_equal(context_bvc_flow(&t->rig.c, 0, &flow, t->rig.now), 0);
    for (uint32_t i = 0; i < RIG_MOBILES; i++)
        bucket_set(&t->told[i], t->octets, t->rate_bps, t->rig.now);
}

TEST(as_if_told)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct twin t;
        open(&t, seed);
        for (unsigned k = 0; k < EVENTS; k++)
            event(&t);
        for (unsigned i = 0; i < RIG_MOBILES; i++)
            compare(&t, i);
        rig_close(&t.rig);
    }
}

/* A change touches nobody of whom nothing waits: their buckets lie as they were. */
TEST(costs_nothing)
{
    struct twin t;
    open(&t, 1);
    send(&t, 0);
    send(&t, 1);
    t.rig.now += MOMENT_SECOND;
    t.octets = 9000; /* leave the list */
    change(&t);
    struct bucket before = t.rig.c.mobiles[0].sched.bucket;
    assert_int_equal(t.rig.c.bvcs[0].busy_head, MS_NONE);
    t.rig.now += MOMENT_SECOND;
    t.rate_bps = 100;
    change(&t);
    assert_memory_equal(&before, &t.rig.c.mobiles[0].sched.bucket, sizeof(before));
    compare(&t, 0);
    compare(&t, 1);
    rig_close(&t.rig);
}

/* --- What DL-UNITDATA says of a mobile, and what signalling to it takes of its buckets --- */

static void add_ms(struct rig *rig, uint8_t link_octets)
{
    struct ms_params params = rig_ms(0, 1);
    params.link_octets = link_octets;
    assert_int_equal(context_ms_add(&rig->c, 0, &params, rig->now), 0);
}

/* --- what is counted for TLLI(old) and elements --- */

static struct bssgp_elements elements_of(uint8_t front, uint8_t back)
{
    return (struct bssgp_elements){.front_octets = front, .back_octets = back};
}

TEST_IN(counted_on_the_link, struct rig, rig, rig_open_with(rig, true), rig_close(rig))
{
    add_ms(rig, 30);
    struct ms *ms = &rig->c.mobiles[0];
    const struct {
        uint32_t tlli;
        bool keep, is_heard;
        uint8_t front, back, want;
    } rows[] = {
        {1, true, false, 0, 0, 30},  {2, true, false, 0, 0, 36},    {2, true, false, 0, 0, 36},
        {3, true, false, 50, 3, 89}, {3, true, true, 50, 3, 83},    {3, true, false, 7, 0, 37},
        {4, false, false, 7, 0, 37}, {5, true, false, 190, 0, 226}, {5, false, false, 190, 0, 220},
        {6, true, true, 0, 0, 30},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bssgp_elements elements = elements_of(rows[i].front, rows[i].back);
        assert_int_equal(context_ms_tlli(&rig->c, 0, rows[i].tlli, rows[i].keep), 0);
        if (rows[i].is_heard)
            context_ms_tlli_heard(ms);
        assert_int_equal(context_ms_elements(&rig->c, 0, &elements), 0);
        assert_int_equal(ms->has_elements, rows[i].front + rows[i].back > 0);
        assert_int_equal(ms->sched.link_octets, rows[i].want);
    }
}

/* No such mobile, more than there is room for, no table. */
TEST(elements_refused)
{
    struct bssgp_elements good = elements_of(3, 4), none = elements_of(0, 0), bad = elements_of(180, 11);
    for (unsigned has_table = 0; has_table < 2; has_table++) {
        struct rig rig;
        rig_open_with(&rig, has_table);
        add_ms(&rig, 0);
        assert_int_equal(context_ms_elements(&rig.c, 0, &good), has_table ? 0 : -1);
        assert_int_equal(context_ms_elements(&rig.c, 0, &none), 0);
        assert_int_equal(context_ms_elements(&rig.c, 0, &bad), -1);
        assert_int_equal(context_ms_elements(&rig.c, 1, &good), -1);
        assert_int_equal(context_ms_elements(&rig.c, UINT32_MAX, &good), -1);
        assert_null(context_elements_of(&rig.c, &rig.c.mobiles[0]));
        rig_close(&rig);
    }
}

/* --- signalling --- */

enum { DEBT = SCHED_SIGNAL_DEBT_OCTETS };

static void unitdata_flow(struct rig *rig, uint64_t octets, uint64_t ms_octets)
{
    struct gb_flow announced = rig_flow(octets, 8000, ms_octets, 8000);
    assert_int_equal(context_bvc_flow(&rig->c, 0, &announced, rig->now), 0);
}

static uint64_t level(const struct bucket *bucket, int64_t now)
{
    return bucket_level_octets(bucket, now);
}

/* Both buckets may be overdrawn up to the same debt, whichever comes to it first; leakage pays it off. */
TEST(debt)
{
    static const struct {
        uint64_t bvc, ms; /* Bmax */
        uint32_t octets;  /* that go first */
        int64_t later_ms; /* at 1 octet per ms */
        uint32_t then;
        bool can;
    } rows[] = {
        {0, 0, 0, 0, DEBT, true},
        {0, 0, 0, 0, DEBT + 1, false},
        {5000, 1000, DEBT, 0, 1000, true},
        {5000, 1000, DEBT, 0, 1001, false},
        {1000, 5000, DEBT, 0, 1000, true},
        {1000, 5000, DEBT, 0, 1001, false},
        {500, 500, DEBT, 700, 1200, true},
        {500, 500, DEBT, 700, 1201, false},
        {500, 500, 100, 5000, DEBT + 500, true},
        {500, 500, 100, 5000, DEBT + 501, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        rig_open(&rig);
        add_ms(&rig, 0);
        struct ms *ms = &rig.c.mobiles[0];
        unitdata_flow(&rig, rows[i].bvc, rows[i].ms);
        assert_true(context_ms_can_signal(&rig.c, ms, rows[i].octets, rig.now));
        context_ms_signal(ms, rows[i].octets, rig.now);
        assert_int_equal(level(&ms->sched.bucket, rig.now), rows[i].octets);
        assert_int_equal(level(&rig.c.bvcs[0].sched.bucket, rig.now), rows[i].octets);
        rig.now += rows[i].later_ms * 1000000;
        assert_int_equal(context_ms_can_signal(&rig.c, ms, rows[i].then, rig.now), rows[i].can);
        rig_close(&rig);
    }
}

/* Defaults announced since the mobile was last looked at hold for it. */
TEST_IN(debt_under_new_defaults, struct rig, rig, rig_open(rig), rig_close(rig))
{
    add_ms(rig, 0);
    unitdata_flow(rig, 100000, 1000);
    struct ms *ms = &rig->c.mobiles[0];
    assert_true(context_ms_can_signal(&rig->c, ms, DEBT + 1000, rig->now));
    unitdata_flow(rig, 100000, 3000);
    assert_true(context_ms_can_signal(&rig->c, ms, DEBT + 3000, rig->now));
    assert_false(context_ms_can_signal(&rig->c, ms, DEBT + 3001, rig->now));
}

/* What waits waits longer, to the nanosecond, for the mobile's bucket or the cell's, and does not sleep on.
 */
TEST(who_waits_pays)
{
    for (unsigned is_cells = 0; is_cells < 2; is_cells++) {
        struct rig rig;
        struct pdp_params pdp = rig_pdp(0, 5);
        rig_open(&rig);
        add_ms(&rig, 0);
        assert_int_equal(context_pdp_add(&rig.c, 0, &pdp), 0);
        unitdata_flow(&rig, is_cells ? 500 : 100000, is_cells ? 100000 : 500);
        rig_put(&rig, 0, 0, 400);
        rig_put(&rig, 0, 0, 390);
        assert_int_equal(rig_send(&rig), 1);
        int64_t start_ns = rig.now, due_ns = start_ns + (410 + 400 - 500) * INT64_C(1000000);
        assert_int_equal(sched_next_ns(&rig.c.sched), due_ns);
        context_ms_signal(&rig.c.mobiles[0], 200, rig.now);
        rig.now = due_ns;
        assert_int_equal(rig_send(&rig), 0);
        assert_int_equal(sched_next_ns(&rig.c.sched), due_ns + 200 * INT64_C(1000000));
        rig.now = due_ns + 200 * INT64_C(1000000);
        assert_int_equal(rig_send(&rig), 1);
        rig_close(&rig);
    }
}

UNIT_MAIN(NULL, NULL)
