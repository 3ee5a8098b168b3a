/* SPDX-License-Identifier: BSD-3-Clause */
/* NSEs, NS-VCs and cells; which NS-VC carries a mobile. */
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "tests/unit/dataplane/context/rig.h"
#include "tests/unit/unit.h"
#include "dataplane/sched/link.h"

TEST(memory)
{
    struct context c;
    struct context_policy policy;
    const struct context_limits small = {1, 1, 1, 1, 1};
    context_policy_default(&policy);
    assert_true(context_new(&c, &small, &policy));
    context_free(&c);
    assert_null(c.mobiles);
    context_free(&c);
}

#define RIG_TEST(name) TEST_IN(name, struct rig, rig, rig_open(rig), rig_close(rig))

RIG_TEST(double_adds)
{
    const struct gb_nsvc on[] = {{.params = {.nse = 0}}, {.params = {.nse = 2}}};
    const int got[] = {
        context_nse_add(&rig->c, 0, 1, rig->now),
        context_nse_add(&rig->c, RIG_NSES, 1, rig->now),
        context_nsvc_add(&rig->c, 0, &on[0]),
        context_nsvc_add(&rig->c, RIG_NSVCS, &on[0]),
        context_nsvc_add(&rig->c, 4, &on[1]),
        context_nsvc_use(&rig->c, 4, true),
        context_nsvc_use(&rig->c, RIG_NSVCS, true),
        context_bvc_add(&rig->c, 0, 1, 0, rig->now),
        context_bvc_add(&rig->c, RIG_BVCS, 1, 0, rig->now),
        context_bvc_add(&rig->c, 2, 1, 2, rig->now),
    };
    for (size_t i = 0; i < COUNT(got); i++)
        assert_int_equal(got[i], -1);
    assert_int_equal(rig->c.nses[0].nsei, 100);
    assert_int_equal(rig->c.nses[0].nsvc_count, 2);
    assert_int_equal(rig->c.bvcs[0].bvci, 7);
}

/* An NSE has 64 NS-VCs at most, and a new one is never usable, whatever its maker says. */
TEST(many_nsvcs)
{
    struct context c;
    struct context_policy policy;
    const struct context_limits limits = {1, GB_NSE_NSVCS + 1, 1, 1, 1};
    const struct gb_nsvc nsvc = {.usable = true};
    context_policy_default(&policy);
    assert_true(context_new(&c, &limits, &policy));
    assert_int_equal(context_nse_add(&c, 0, 1, 0), 0);
    for (uint16_t i = 0; i < GB_NSE_NSVCS; i++) {
        assert_int_equal(context_nsvc_add(&c, i, &nsvc), 0);
        assert_false(c.nsvcs[i].usable);
    }
    assert_int_equal(context_nsvc_add(&c, GB_NSE_NSVCS, &nsvc), -1);
    assert_false(c.nsvcs[GB_NSE_NSVCS].in_use);
    context_free(&c);
}

/* --- load sharing and fail-over --- */

struct share_row {
    bool up[4]; /* NS-VCs 0, 1 of NSE 0, then 2, 3 of NSE 1 */
    uint16_t bvc;
    uint32_t lsp;
    int want;
};

static const struct share_row shares[] = {
    {{1, 1, 1, 1}, 0, 0, 1}, /* (7 + 0) mod 2 */
    {{1, 1, 1, 1}, 0, 1, 0},  {{1, 1, 1, 1}, 0, 2, 1},          {{1, 1, 1, 1}, 1, 0, 2},
    {{1, 1, 1, 1}, 1, 1, 3},  {{1, 1, 1, 1}, 1, UINT32_MAX, 3}, {{0, 1, 1, 1}, 0, 0, 1},
    {{0, 1, 1, 1}, 0, 1, 1},  {{1, 0, 1, 1}, 0, 0, 0},          {{1, 0, 1, 1}, 0, 1, 0},
    {{0, 0, 1, 1}, 0, 0, -1}, {{0, 0, 1, 1}, 1, 0, 2},          {{1, 1, 0, 0}, 1, 5, -1},
};

TEST(load_sharing)
{
    for (size_t i = 0; i < COUNT(shares); i++) {
        struct rig rig;
        rig_open(&rig);
        for (uint16_t k = 0; k < 4; k++)
            assert_int_equal(context_nsvc_use(&rig.c, k, shares[i].up[k]), 0);
        int got = context_nsvc_for(&rig.c, &rig.c.bvcs[shares[i].bvc], shares[i].lsp);
        if (got != shares[i].want)
            fail_msg("row %zu: %d", i, got);
        rig_close(&rig);
    }
}

/* Every NS-VC carries the same number of mobiles, and a mobile keeps its own. */
RIG_TEST(even_shares)
{
    unsigned carried[RIG_NSVCS] = {0};
    const struct gb_nsvc nsvc = {.params = {.nse = 0, .data_weight = 1}};
    assert_int_equal(context_nsvc_add(&rig->c, 4, &nsvc), 0);
    assert_int_equal(context_nsvc_use(&rig->c, 4, true), 0);
    for (uint32_t lsp = 0; lsp < 300; lsp++) {
        int first = context_nsvc_for(&rig->c, &rig->c.bvcs[0], lsp);
        assert_int_equal(context_nsvc_for(&rig->c, &rig->c.bvcs[0], lsp), first);
        carried[first]++;
    }
    assert_true(carried[0] == 100 && carried[1] == 100 && carried[4] == 100);
}

/* Data weights share by weight; 0 carries nothing; what goes leaves its share to the others. */
struct weight_row {
    uint8_t weights[3]; /* of NS-VCs 0, 1 and 4, of NSE 0 */
    int down;           /* one that is not usable, -1: none */
    int gone;           /* one that is deleted, -1: none */
    unsigned want[3];   /* of 600 mobiles */
};

static const struct weight_row weights[] = {
    {{1, 1, 1}, -1, -1, {200, 200, 200}}, {{3, 2, 1}, -1, -1, {300, 200, 100}},
    {{0, 1, 1}, -1, -1, {0, 300, 300}},   {{2, 0, 1}, -1, -1, {400, 0, 200}},
    {{3, 2, 1}, 0, -1, {0, 400, 200}},    {{3, 2, 1}, -1, 1, {450, 0, 150}},
    {{255, 0, 45}, -1, -1, {510, 0, 90}}, {{0, 0, 1}, 4, -1, {0, 0, 0}},
    {{0, 0, 0}, -1, -1, {0, 0, 0}},       {{1, 0, 0}, -1, 0, {0, 0, 0}},
};

static void play_weights(const struct weight_row *row)
{
    static const uint16_t nsvcs[] = {0, 1, 4};
    struct rig rig;
    unsigned carried[RIG_NSVCS] = {0};
    const struct gb_nsvc nsvc = {.params = {.nse = 0, .data_weight = 1}};
    rig_open(&rig);
    assert_int_equal(context_nsvc_add(&rig.c, 4, &nsvc), 0);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(context_nsvc_weight(&rig.c, nsvcs[k], row->weights[k]), 0);
        assert_int_equal(context_nsvc_use(&rig.c, nsvcs[k], nsvcs[k] != row->down), 0);
    }
    if (row->gone >= 0)
        assert_int_equal(context_nsvc_del(&rig.c, (uint16_t)row->gone), 0);
    for (uint32_t lsp = 0; lsp < 600; lsp++) {
        int got = context_nsvc_for(&rig.c, &rig.c.bvcs[0], lsp);
        if (got >= 0)
            carried[got]++;
    }
    for (unsigned k = 0; k < 3; k++)
        if (carried[nsvcs[k]] != row->want[k])
            fail_msg("row %td: NS-VC %u carries %u", row - weights, nsvcs[k], carried[nsvcs[k]]);
    rig_close(&rig);
}

TEST_EACH(weighted_shares, play_weights, weights)

/* A deleted NS-VC is gone for every order, and its index is free; the cells stop with the last weight. */
RIG_TEST(deleted_nsvcs)
{
    const struct gb_nsvc nsvc = {.params = {.nse = 0, .data_weight = 1}};
    const struct gb_flow flow = rig_flow(5000, 8000, 5000, 8000);
    assert_int_equal(context_bvc_flow(&rig->c, 0, &flow, rig->now), 0);
    assert_int_equal(context_nsvc_del(&rig->c, RIG_NSVCS), -1);
    assert_int_equal(context_nsvc_weight(&rig->c, RIG_NSVCS, 1), -1);
    assert_int_equal(context_nsvc_del(&rig->c, 1), 0);
    assert_int_equal(context_nsvc_del(&rig->c, 1), -1);
    assert_int_equal(context_nsvc_use(&rig->c, 1, true), -1);
    assert_int_equal(context_nsvc_weight(&rig->c, 1, 1), -1);
    assert_true(rig_is_usable(rig, 0));
    assert_int_equal(context_nsvc_weight(&rig->c, 0, 0), 0);
    assert_false(rig_is_usable(rig, 0));
    assert_int_equal(context_nsvc_add(&rig->c, 1, &nsvc), 0);
    assert_int_equal(context_nsvc_use(&rig->c, 1, true), 0);
    assert_true(rig_is_usable(rig, 0));
}

/* --- when a cell may send --- */

enum step_op { FLOW, RESET, UNBLOCK, BLOCK, UP_0, UP_1, DOWN_0, DOWN_1, OTHER_DOWN };

static void do_step(struct rig *rig, enum step_op op)
{
    struct context *c = &rig->c;
    struct gb_flow flow = rig_flow(5000, 8000, 5000, 8000);
    const uint16_t nsvc = op == UP_1 || op == DOWN_1;
    switch (op) {
    case FLOW:
        assert_int_equal(context_bvc_flow(c, 0, &flow, rig->now), 0);
        break;
    case RESET:
        assert_int_equal(context_bvc_reset(c, 0, rig->now), 0);
        break;
    case UNBLOCK:
    case BLOCK:
        assert_int_equal(context_bvc_unblock(c, 0, op == UNBLOCK), 0);
        break;
    case UP_0:
    case UP_1:
    case DOWN_0:
    case DOWN_1:
        assert_int_equal(context_nsvc_use(c, nsvc, op == UP_0 || op == UP_1), 0);
        break;
    case OTHER_DOWN:
        assert_int_equal(context_nsvc_use(c, 2, false), 0);
        assert_int_equal(context_nsvc_use(c, 3, false), 0);
        break;
    }
}

/* One cell through its life: unblocked with two NS-VCs, then these. */
static const struct {
    enum step_op op;
    bool usable;
} steps[] = {
    {BLOCK, false}, {FLOW, false},   {UNBLOCK, true}, {UNBLOCK, true}, {BLOCK, false},   {UNBLOCK, true},
    {DOWN_0, true}, {DOWN_1, false}, {FLOW, false},   {UP_0, true},    {UP_1, true},     {OTHER_DOWN, true},
    {RESET, false}, {FLOW, false},   {UNBLOCK, true}, {RESET, false},  {UNBLOCK, false}, {FLOW, true},
};

RIG_TEST(usable)
{
    assert_false(rig_is_usable(rig, 0));
    for (size_t i = 0; i < COUNT(steps); i++) {
        do_step(rig, steps[i].op);
        if (rig_is_usable(rig, 0) != steps[i].usable)
            fail_msg("after step %zu", i);
    }
}

/* What waits while a cell is blocked or its NS-VCs are down leaves when it may. */
TEST(waits_and_leaves)
{
    static const enum step_op stops[][2] = {{BLOCK, UNBLOCK}, {DOWN_0, UP_0}};
    for (size_t i = 0; i < COUNT(stops); i++) {
        struct rig rig;
        struct ms_params ms = rig_ms(0, 1);
        rig_open(&rig);
        do_step(&rig, FLOW);
        do_step(&rig, DOWN_1);
        assert_int_equal(context_ms_add(&rig.c, 0, &ms, rig.now), 0);
        do_step(&rig, stops[i][0]);
        rig_put(&rig, 0, 0, 100);
        assert_int_equal(rig_send(&rig), 0);
        assert_true(sched_next_ns(&rig.c.sched) == MOMENT_NEVER);
        do_step(&rig, stops[i][1]);
        assert_int_equal(rig_send(&rig), 1);
        rig_close(&rig);
    }
}

/* --- the link's rate --- */

TEST(link_rates)
{
    static const struct {
        uint16_t nse;
        struct sched_link_rate rate;
        int want;
    } rows[] = {
        {0, {0, 0, 0}, 0},
        {1, {8000, 1000, 100}, 0},
        {0, {CONTEXT_LINK_MAX_RATE_BPS, BUCKET_MAX_OCTETS, 10}, 0},
        {0, {100, 1000, 1}, 0},
        {0, {99, 1000, 1}, -1}, /* nothing of it would be signalling's */
        {0, {8000, 1000, 0}, -1},
        {0, {8000, 1000, 101}, -1},
        {0, {CONTEXT_LINK_MAX_RATE_BPS + 1, 1000, 10}, -1},
        {0, {8000, BUCKET_MAX_OCTETS + 1, 10}, -1},
        {RIG_NSES, {8000, 1000, 10}, -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        rig_open(&rig);
        assert_int_equal(context_nse_rate(&rig.c, rows[i].nse, &rows[i].rate, rig.now), rows[i].want);
        for (unsigned k = 0; k < RIG_NSES; k++) {
            bool is_set = k == rows[i].nse && rows[i].want == 0;
            assert_int_equal(rig.c.nses[k].sched.bucket.rate_bps, is_set ? rows[i].rate.rate_bps : 0);
        }
        rig_close(&rig);
    }
}

/* Users' frames count with their headers, for their own NSE. */
RIG_TEST(link_limits)
{
    const struct sched_link_rate rate = {8000, 1000, 10};
    struct gb_flow flow = rig_flow(100000, 1000000, 100000, 1000000);
    assert_int_equal(context_nse_rate(&rig->c, 0, &rate, rig->now), 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct ms_params ms = rig_ms((uint16_t)i, i);
        ms.link_octets = 40;
        assert_int_equal(context_ms_add(&rig->c, i, &ms, rig->now), 0);
        assert_int_equal(context_bvc_flow(&rig->c, (uint16_t)i, &flow, rig->now), 0);
        for (unsigned k = 0; k < 3; k++)
            rig_put(rig, i, 0, 450); /* 460 of LLC: 500 on the link */
    }
    assert_int_equal(rig_send(rig), 2 + 3);
    assert_true(sched_next_ns(&rig->c.sched) == rig->now + MOMENT_SECOND / 2);
    rig->now += MOMENT_SECOND / 2;
    assert_int_equal(rig_send(rig), 1);
}

/* --- What announcements do to the buckets of a cell and of its mobiles --- */

/* Two mobiles in cell 0, one in cell 1; cell 0 announces 5000 octets and 8 kbit/s, 1000 and 800 for mobiles.
 */
static void open(struct rig *rig)
{
    struct gb_flow flow = rig_flow(5000, 8000, 1000, 800);
    rig_open(rig);
    for (uint32_t i = 0; i < 3; i++) {
        struct ms_params ms = rig_ms(i / 2, 10 + i);
        assert_int_equal(context_ms_add(&rig->c, i, &ms, rig->now), 0);
    }
    assert_int_equal(context_bvc_flow(&rig->c, 0, &flow, rig->now), 0);
}

static const struct bucket *ms_bucket(struct rig *rig, uint32_t i)
{
    return context_ms_bucket(&rig->c, &rig->c.mobiles[i]);
}

static void assert_bucket(const struct rig *rig, const struct bucket *b, uint64_t max, uint64_t rate_bps,
                          uint64_t level)
{
    assert_int_equal(b->max_octets, max);
    assert_int_equal(b->rate_bps, rate_bps);
    assert_int_equal(bucket_level_octets(b, rig->now), level);
}

#define OPEN_TEST(name) TEST_IN(name, struct rig, rig, open(rig), rig_close(rig))

OPEN_TEST(announced)
{
    assert_bucket(rig, &rig->c.bvcs[0].sched.bucket, 5000, 8000, 0);
    assert_bucket(rig, &rig->c.bvcs[1].sched.bucket, 0, 0, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_bucket(rig, ms_bucket(rig, i), i < 2 ? 1000 : 0, i < 2 ? 800 : 0, 0);
    struct ms_params late = rig_ms(0, 99);
    assert_int_equal(context_ms_add(&rig->c, 3, &late, rig->now), 0);
    assert_bucket(rig, ms_bucket(rig, 3), 1000, 800, 0);
}

/* New defaults reach only mobiles without values of their own, and no level moves. */
OPEN_TEST(defaults_change)
{
    struct gb_flow own = rig_flow(3000, 2400, 0, 0), cell = rig_flow(6000, 16000, 700, 400);
    assert_int_equal(context_ms_flow(&rig->c, 0, &own, rig->now), 0);
    rig_put(rig, 0, 0, 190);
    rig_put(rig, 1, 1, 90);
    assert_int_equal(rig_send(rig), 2);
    rig->now += 500 * 1000000;
    assert_bucket(rig, ms_bucket(rig, 0), 3000, 2400, 50);
    assert_bucket(rig, ms_bucket(rig, 1), 1000, 800, 50);
    assert_int_equal(context_bvc_flow(&rig->c, 0, &cell, rig->now), 0);
    assert_bucket(rig, ms_bucket(rig, 0), 3000, 2400, 50);
    assert_bucket(rig, ms_bucket(rig, 1), 700, 400, 50);
    assert_bucket(rig, &rig->c.bvcs[0].sched.bucket, 6000, 16000, 0);
    rig->now += 500 * 1000000;
    assert_bucket(rig, ms_bucket(rig, 1), 700, 400, 25);
}

/* Th expired: the defaults of now, not those of the announcement before; the level stays. */
OPEN_TEST(own_values_expire)
{
    struct gb_flow own = rig_flow(3000, 0, 0, 0), cell = rig_flow(6000, 16000, 700, 400);
    assert_int_equal(context_ms_flow(&rig->c, 0, &own, rig->now), 0);
    rig_put(rig, 0, 0, 190);
    assert_int_equal(rig_send(rig), 1);
    assert_int_equal(context_bvc_flow(&rig->c, 0, &cell, rig->now), 0);
    assert_int_equal(context_ms_defaults(&rig->c, 0, rig->now), 0);
    assert_bucket(rig, ms_bucket(rig, 0), 700, 400, 200);
    assert_false(rig->c.mobiles[0].own_flow);
    cell.ms_rate_bps = 800;
    assert_int_equal(context_bvc_flow(&rig->c, 0, &cell, rig->now), 0);
    assert_bucket(rig, ms_bucket(rig, 0), 700, 800, 200);
}

/* A mobile that waits for its bucket goes on as soon as an announcement lets it. */
TEST(waiting_mobile)
{
    const struct gb_flow wider = rig_flow(6000, 16000, 2000, 800), own = rig_flow(2000, 800, 0, 0);
    for (unsigned row = 0; row < 3; row++) {
        struct rig rig;
        open(&rig);
        rig_put(&rig, 0, 0, 900);
        rig_put(&rig, 0, 0, 400);
        assert_int_equal(rig_send(&rig), 2);
        assert_int_equal(rig_send(&rig), 0);
        if (row == 0)
            assert_int_equal(context_bvc_flow(&rig.c, 0, &wider, rig.now), 0);
        else if (row == 1)
            assert_int_equal(context_ms_flow(&rig.c, 0, &own, rig.now), 0);
        else
            assert_int_equal(rig_discard(&rig, 0, 500), 0);
        assert_int_equal(rig_send(&rig), 1);
        rig_close(&rig);
    }
}

TEST(ratios)
{
    static const struct {
        int32_t percent;
        uint64_t level;
    } rows[] = {{-1, 200}, {0, 0}, {50, 500}, {100, 1000}, {150, 1500}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        struct gb_flow flow = rig_flow(1000, 800, 1000, 800);
        flow.ratio_percent = rows[i].percent;
        open(&rig);
        rig_put(&rig, 0, 0, 190);
        assert_int_equal(rig_send(&rig), 1);
        assert_int_equal(context_ms_flow(&rig.c, 0, &flow, rig.now), 0);
        assert_bucket(&rig, ms_bucket(&rig, 0), 1000, 800, rows[i].level);
        assert_int_equal(context_bvc_flow(&rig.c, 0, &flow, rig.now), 0);
        assert_bucket(&rig, &rig.c.bvcs[0].sched.bucket, 1000, 800, rows[i].level);
        assert_bucket(&rig, ms_bucket(&rig, 1), 1000, 800, 0);
        rig_close(&rig);
    }
}

/* LLC-DISCARDED empties both buckets, neither below nothing. */
TEST(discarded)
{
    static const struct {
        uint64_t octets, ms_level, bvc_level;
    } rows[] = {{0, 200, 300}, {50, 150, 250}, {200, 0, 100}, {250, 0, 50}, {1000000, 0, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        open(&rig);
        rig_put(&rig, 0, 0, 190);
        rig_put(&rig, 1, 0, 90);
        assert_int_equal(rig_send(&rig), 2);
        assert_int_equal(rig_discard(&rig, 0, rows[i].octets), 0);
        assert_bucket(&rig, ms_bucket(&rig, 0), 1000, 800, rows[i].ms_level);
        assert_bucket(&rig, ms_bucket(&rig, 1), 1000, 800, 100);
        assert_bucket(&rig, &rig.c.bvcs[0].sched.bucket, 5000, 8000, rows[i].bvc_level);
        rig_close(&rig);
    }
}

/* BVC-RESET: buckets empty and unknown, own values forgotten, queues dropped; the other cell notices nothing.
 */
OPEN_TEST(reset)
{
    struct gb_flow own = rig_flow(300, 0, 0, 0), cell = rig_flow(5000, 8000, 1000, 800);
    assert_int_equal(context_bvc_flow(&rig->c, 1, &cell, rig->now), 0);
    assert_int_equal(context_ms_flow(&rig->c, 0, &own, rig->now), 0);
    rig_put(rig, 0, 0, 190);
    assert_int_equal(rig_send(rig), 1);
    rig_put(rig, 0, 0, 190);
    rig_put(rig, 1, 1, 100);
    rig_put(rig, 2, 2, 100);
    assert_int_equal(context_queued_pkts(&rig->c), 3);
    assert_int_equal(context_bvc_reset(&rig->c, 0, rig->now), 0);
    assert_int_equal(rig_dropped(rig, DROP_BVC_RESET), 2);
    assert_int_equal(context_queued_pkts(&rig->c), 1);
    assert_bucket(rig, ms_bucket(rig, 0), 0, 0, 0);
    assert_bucket(rig, &rig->c.bvcs[0].sched.bucket, 0, 0, 0);
    assert_int_equal(rig_send(rig), 1);

    rig_put(rig, 0, 0, 190);
    assert_int_equal(context_bvc_unblock(&rig->c, 0, true), 0);
    assert_int_equal(rig_send(rig), 0);
    assert_int_equal(context_bvc_flow(&rig->c, 0, &cell, rig->now), 0);
    assert_bucket(rig, ms_bucket(rig, 0), 1000, 800, 0);
    assert_int_equal(rig_send(rig), 1);
}

OPEN_TEST(nobody)
{
    struct gb_flow flow = rig_flow(1, 1, 1, 1);
    const uint32_t indices[] = {2, RIG_BVCS, 3, RIG_MOBILES};
    for (size_t i = 0; i < COUNT(indices); i++) {
        uint32_t n = indices[i];
        const int got[] = {
            context_bvc_reset(&rig->c, (uint16_t)n, rig->now),
            context_bvc_unblock(&rig->c, (uint16_t)n, true),
            context_bvc_flow(&rig->c, (uint16_t)n, &flow, rig->now),
            context_ms_flow(&rig->c, n, &flow, rig->now),
            context_ms_defaults(&rig->c, n, rig->now),
            rig_discard(rig, n, 1),
        };
        for (size_t k = 0; k < COUNT(got); k++)
            assert_int_equal(got[k], k >= 3 && n < 3 ? 0 : -1);
    }
}

UNIT_MAIN(NULL, NULL)
