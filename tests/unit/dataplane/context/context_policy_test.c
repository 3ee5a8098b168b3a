/* SPDX-License-Identifier: BSD-3-Clause */
/* What the operator makes of flow control: caps on what lies in the BSS, a factor and clamps. */
#include "tests/unit/dataplane/context/play.h"

#define MS INT64_C(1000000)

/* --- arithmetic --- */

TEST(ms_octets)
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

TEST(cap)
{
    play(caps, COUNT(caps));
}

TEST(belief)
{
    play(beliefs, COUNT(beliefs));
}

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

UNIT_MAIN(NULL, NULL)
