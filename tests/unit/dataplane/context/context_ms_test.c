/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles and their PDP contexts: slots, lists, what goes with whom. */
#include "tests/unit/dataplane/context/rig.h"
#include "tests/unit/unit.h"

#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/context_pdp.h"
#include "dataplane/context/ms.h"
#include "dataplane/sched/link.h"
#include "dataplane/wire/llc.h"

#include <string.h>

static int add_ms(struct rig *rig, uint32_t index, struct ms_params params)
{
    return context_ms_add(&rig->c, index, &params, rig->now);
}

static int add_pdp(struct rig *rig, uint32_t index, struct pdp_params params)
{
    return context_pdp_add(&rig->c, index, &params);
}

TEST_IN(refused_mobiles, struct rig, rig, rig_open(rig), rig_close(rig))
{
    assert_int_equal(add_ms(rig, 0, rig_ms(0, 1)), 0);
    const struct {
        uint32_t index;
        uint16_t bvc, n201_u;
        uint8_t imsi_octets;
        int want;
    } rows[] = {
        {0, 0, 500, 0, -1}, {RIG_MOBILES, 0, 500, 0, -1}, {1, 2, 500, 0, -1}, {1, RIG_BVCS, 500, 0, -1},
        {1, 0, 139, 0, -1}, {1, 0, 1521, 0, -1},          {1, 0, 500, 9, -1}, {1, 0, 0, 0, -1},
        {1, 0, 140, 8, 0},  {2, 1, 1520, 0, 0},           {3, 1, 500, 1, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ms_params ms = rig_ms(rows[i].bvc, 7);
        ms.n201_u = rows[i].n201_u;
        ms.imsi_octets = rows[i].imsi_octets;
        if (add_ms(rig, rows[i].index, ms) != rows[i].want)
            fail_msg("row %zu", i);
    }
}

TEST_IN(refused_contexts, struct rig, rig, rig_open(rig), rig_close(rig))
{
    assert_int_equal(add_ms(rig, 0, rig_ms(0, 1)), 0);
    assert_int_equal(add_pdp(rig, 0, rig_pdp(0, 5)), 0);
    const struct {
        uint32_t index, ms;
        uint8_t nsapi, sapi;
        int want;
    } rows[] = {
        {0, 0, 6, 3, -1},   {RIG_PDPS, 0, 6, 3, -1}, {1, 1, 6, 3, -1},  {1, RIG_MOBILES, 6, 3, -1},
        {1, 0, 5, 3, -1},   {1, 0, 4, 3, -1},        {1, 0, 0, 3, -1},  {1, 0, 16, 3, -1},
        {1, 0, 255, 3, -1}, {1, 0, 6, 0, -1},        {1, 0, 6, 1, -1},  {1, 0, 6, 2, -1},
        {1, 0, 6, 7, -1},   {1, 0, 6, 8, -1},        {1, 0, 6, 13, -1}, {1, 0, 6, 5, 0},
        {2, 0, 15, 9, 0},   {3, 0, 7, 11, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pdp_params pdp = rig_pdp(rows[i].ms, rows[i].nsapi);
        pdp.sapi = rows[i].sapi;
        if (add_pdp(rig, rows[i].index, pdp) != rows[i].want)
            fail_msg("row %zu", i);
    }
}

/* A slot filled again is another context: generation grows, numbers begin anew. */
TEST_IN(generations, struct rig, rig, rig_open(rig), rig_close(rig))
{
    assert_int_equal(add_ms(rig, 0, rig_ms(0, 1)), 0);
    for (uint32_t generation = 1; generation <= 3; generation++) {
        assert_int_equal(add_pdp(rig, 2, rig_pdp(0, 5)), 0);
        assert_int_equal(rig->c.pdps[2].generation, generation);
        assert_int_equal(pdp_take_number(&rig->c.pdps[2]), 0);
        if (generation == 2) {
            assert_int_equal(context_ms_del(&rig->c, 0), 0);
            assert_int_equal(add_ms(rig, 0, rig_ms(0, 1)), 0);
        } else {
            assert_int_equal(context_pdp_del(&rig->c, 2, rig->now), 0);
        }
        assert_int_equal(context_pdp_del(&rig->c, 2, rig->now), -1);
    }
    assert_int_equal(context_pdp_del(&rig->c, RIG_PDPS, rig->now), -1);
}

TEST(numbers)
{
    struct pdp pdp = {.next_number = 4094};
    static const uint16_t want[] = {4094, 4095, 0, 1};
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(pdp_take_number(&pdp), want[i]);
}

/* Only the deleted context's N-PDUs go; the one in service counts as partial. */
TEST(delete_context)
{
    struct rig rig;
    struct gb_flow flow = rig_flow(510, 0, 510, 0);
    struct n_pdu *n_pdu;

    rig_open(&rig);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    assert_int_equal(add_pdp(&rig, 0, rig_pdp(0, 5)), 0);
    assert_int_equal(add_pdp(&rig, 1, rig_pdp(0, 6)), 0);
    assert_int_equal(context_bvc_flow(&rig.c, 0, &flow, rig.now), 0);
    rig_put(&rig, 0, 0, 600);
    rig_put(&rig, 0, 1, 50);
    rig_put(&rig, 0, 0, 60);
    assert_int_equal(rig_send(&rig), 1);
    assert_int_equal(context_pdp_del(&rig.c, 0, rig.now), 0);
    assert_int_equal(context_queued_pkts(&rig.c), 1);
    n_pdu = n_pdu_list_take(&rig.c.sched.dropped);
    assert_int_equal(n_pdu->drop_reason, DROP_PARTIAL);
    assert_int_equal(rig_dropped(&rig, DROP_CONTEXT_DELETED), 1);
    assert_int_equal(ms_pdp(&rig.c.mobiles[0], 5), MS_PDP_NONE);
    assert_int_equal(ms_pdp(&rig.c.mobiles[0], 6), 1);
    rig_close(&rig);
}

/* A mobile goes with its contexts and its queue, also one that waits on a timer, and leaves nothing there. */
TEST(delete_mobile)
{
    struct rig rig;
    struct gb_flow flow = rig_flow(5000, 8000, 150, 800);

    rig_open(&rig);
    assert_int_equal(context_bvc_flow(&rig.c, 0, &flow, rig.now), 0);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    assert_int_equal(add_pdp(&rig, 0, rig_pdp(0, 5)), 0);
    assert_int_equal(add_pdp(&rig, 3, rig_pdp(0, 15)), 0);
    rig_put(&rig, 0, 0, 100);
    rig_put(&rig, 0, 3, 100);
    assert_int_equal(rig_send(&rig), 1);
    assert_true(sched_next_ns(&rig.c.sched) < MOMENT_NEVER);
    assert_int_equal(context_ms_del(&rig.c, 0), 0);
    assert_int_equal(rig_dropped(&rig, DROP_CONTEXT_DELETED), 1);
    rig.now = sched_next_ns(&rig.c.sched); /* the wheel forgets nothing, its entry means nothing */
    assert_int_equal(rig_send(&rig), 0);
    assert_true(sched_next_ns(&rig.c.sched) == MOMENT_NEVER);
    assert_int_equal(context_queued_pkts(&rig.c), 0);
    assert_int_equal(context_ms_del(&rig.c, 0), -1);
    assert_int_equal(context_ms_del(&rig.c, RIG_MOBILES), -1);
    assert_int_equal(context_pdp_del(&rig.c, 0, rig.now), -1);
    assert_int_equal(context_pdp_del(&rig.c, 3, rig.now), -1);

    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    assert_int_equal(add_pdp(&rig, 0, rig_pdp(0, 15)), 0);
    rig_put(&rig, 0, 0, 100);
    assert_int_equal(rig_send(&rig), 1);
    rig_close(&rig);
}

/* --- the list of a cell --- */

/* The members of one of two lists; that they are linked well. */
static unsigned members(const struct rig *rig, uint32_t head, bool are_busy)
{
    unsigned mask = 0;
    uint32_t before = MS_NONE;
    for (uint32_t i = head; i != MS_NONE;) {
        const struct ms *ms = &rig->c.mobiles[i];
        const struct ms_link *link = are_busy ? &ms->busy : &ms->in_bvc;
        assert_int_equal(link->prev, before);
        assert_false(mask >> i & 1);
        mask |= 1u << i;
        before = i;
        i = link->next;
    }
    return mask;
}

/* Of all of its mobiles; all of them are busy, too. */
static unsigned list_mask(const struct rig *rig, uint16_t bvc)
{
    unsigned mask = members(rig, rig->c.bvcs[bvc].ms_head, false);
    assert_int_equal(members(rig, rig->c.bvcs[bvc].busy_head, true), mask);
    return mask;
}

static int add_busy(struct rig *rig, uint32_t i, uint16_t bvc)
{
    if (add_ms(rig, i, rig_ms(bvc, 100 + i)) < 0)
        return -1;
    rig_put(rig, i, 0, 10);
    return 0;
}

/* Deleted in every order, the others stay linked. */
TEST(lists)
{
    for (unsigned order = 0; order < 64; order++) {
        struct rig rig;
        const uint32_t gone[] = {order & 3, order >> 2 & 3, order >> 4 & 3};
        unsigned want = 15;
        rig_open(&rig);
        for (uint32_t i = 0; i < RIG_MOBILES; i++)
            assert_int_equal(add_busy(&rig, i, 0), 0);
        for (unsigned k = 0; k < COUNT(gone); k++) {
            assert_int_equal(context_ms_del(&rig.c, gone[k]), want >> gone[k] & 1 ? 0 : -1);
            want &= ~(1u << gone[k]);
            assert_int_equal(list_mask(&rig, 0), want);
        }
        assert_int_equal(add_busy(&rig, gone[0], 1), 0);
        assert_int_equal(list_mask(&rig, 0), want);
        assert_int_equal(list_mask(&rig, 1), 1u << gone[0]);
        rig_close(&rig);
    }
}

/* Moved in every order, some twice: each is in the lists of one cell. */
TEST(moved_lists)
{
    for (unsigned order = 0; order < 64; order++) {
        struct rig rig;
        const uint32_t movers[] = {order & 3, order >> 2 & 3, order >> 4 & 3};
        unsigned there = 0;
        rig_open(&rig);
        for (uint32_t i = 0; i < RIG_MOBILES; i++)
            assert_int_equal(add_busy(&rig, i, 0), 0);
        for (unsigned k = 0; k < COUNT(movers); k++) {
            there ^= 1u << movers[k];
            assert_int_equal(context_ms_move(&rig.c, movers[k], there >> movers[k] & 1, rig.now), 0);
            assert_int_equal(list_mask(&rig, 0), 15 & ~there);
            assert_int_equal(list_mask(&rig, 1), there);
        }
        rig_close(&rig);
    }
}

/* --- TLLIs --- */

TEST(tllis)
{
    static const struct {
        uint32_t tlli;
        bool keep;
        bool has_old;
        uint32_t old;
    } rows[] = {{1, true, false, 0}, {2, true, true, 1},   {2, true, true, 1},  {1, true, true, 2},
                {3, true, true, 1},  {3, false, false, 0}, {4, false, false, 0}};
    struct rig rig;
    rig_open(&rig);
    assert_int_equal(add_ms(&rig, 0, rig_ms(0, 1)), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(context_ms_tlli(&rig.c, 0, rows[i].tlli, rows[i].keep), 0);
        const struct ms *ms = &rig.c.mobiles[0];
        assert_int_equal(ms->tlli, rows[i].tlli);
        assert_int_equal(ms->has_tlli_old, rows[i].has_old);
        if (rows[i].has_old)
            assert_int_equal(ms->tlli_old, rows[i].old);
    }
    assert_int_equal(context_ms_tlli(&rig.c, 1, 1, true), -1);
    rig_close(&rig);
}

/* --- what is in ms.c --- */

/* NS-UNITDATA header 4, BSSGP 12, LLC-PDU's identifier and length 3, IMSI 2 and its octets, PFI 3; BSSGP's
 * part in front of the LLC-PDU filled up to a multiple of four, by two at least. */
TEST(link_octets)
{
    static const struct {
        struct ms_link_header header;
        int overhead, want;
    } rows[] = {{{0, false, false}, 0, 19},     {{8, false, false}, 0, 29},   {{8, true, false}, 0, 32},
                {{0, true, false}, 28, 50},     {{0, false, false}, -5, 14},  {{0, false, false}, -19, 0},
                {{0, false, false}, -9999, 0},  {{8, true, false}, 217, 249}, {{8, true, false}, 218, 249},
                {{0, false, false}, 1500, 249}, {{0, false, true}, 0, 19},    {{8, false, true}, 0, 31},
                {{8, true, true}, 0, 35},       {{0, true, true}, 0, 27}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(ms_link_octets(&rows[i].header, rows[i].overhead), rows[i].want);
}

TEST(sapis)
{
    static const int want[] = {-1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, -1, -1, -1};
    for (unsigned sapi = 0; sapi < 256; sapi++)
        assert_int_equal(ms_sapi_index((uint8_t)sapi), sapi < COUNT(want) ? want[sapi] : -1);
}

/* --- NSEs and cells that go while packets wait: what is left of them, and what comes in their place --- */

#define ROUNDS 1000
#define OCTETS 90
#define PKTS   8
#define AT(bvcs_)                                                                                            \
    (struct gb_nsvc)                                                                                         \
    {                                                                                                        \
        .params = {.nse = (bvcs_), .data_weight = 1 }                                                        \
    }

static const struct sched_link_rate slow = {.rate_bps = 8000, .max_octets = 3200, .signalling_percent = 50};

/* Both NSEs with a link of their own rate, each with a mobile that may send. */
static void open(struct rig *rig)
{
    const struct gb_flow flow = rig_flow(400, 8000, 400, 8000);
    rig_open(rig);
    for (uint16_t i = 0; i < RIG_NSES; i++) {
        const struct ms_params ms = rig_ms(i, 0xc0000001u + i);
        assert_int_equal(context_nse_rate(&rig->c, i, &slow, rig->now), 0);
        assert_int_equal(context_bvc_flow(&rig->c, i, &flow, rig->now), 0);
        assert_int_equal(context_ms_add(&rig->c, i, &ms, rig->now), 0);
    }
}

static void close_nse(struct rig *rig, uint16_t nse)
{
    assert_int_equal(context_nsvc_del(&rig->c, 2 * nse), 0);
    assert_int_equal(context_nsvc_del(&rig->c, 2 * nse + 1), 0);
}

static void open_nse(struct rig *rig, uint16_t nse)
{
    const struct gb_flow flow = rig_flow(400, 8000, 400, 8000);
    const struct gb_nsvc nsvc = AT(nse);
    assert_int_equal(context_nse_add(&rig->c, nse, 100 + nse, rig->now), 0);
    assert_int_equal(context_nse_rate(&rig->c, nse, &slow, rig->now), 0);
    for (uint16_t k = 0; k < 2; k++) {
        assert_int_equal(context_nsvc_add(&rig->c, 2 * nse + k, &nsvc), 0);
        assert_int_equal(context_nsvc_use(&rig->c, 2 * nse + k, true), 0);
    }
    assert_int_equal(context_bvc_add(&rig->c, nse, 7 + nse, nse, rig->now), 0);
    assert_int_equal(context_bvc_unblock(&rig->c, nse, true), 0);
    assert_int_equal(context_bvc_flow(&rig->c, nse, &flow, rig->now), 0);
}

#define RIG_TEST(name) TEST_IN(name, struct rig, rig, open(rig), rig_close(rig))

RIG_TEST(in_use)
{
    assert_int_equal(context_bvc_del(&rig->c, 1), -1);
    assert_int_equal(context_bvc_del(&rig->c, 2), -1);
    assert_int_equal(context_bvc_del(&rig->c, RIG_BVCS), -1);
    assert_int_equal(context_ms_park(&rig->c, 1, 0, rig->now), 0);
    assert_int_equal(context_nse_del(&rig->c, 1), -1);
    assert_int_equal(context_bvc_del(&rig->c, 1), 0);
    assert_int_equal(context_bvc_del(&rig->c, 1), -1);
    assert_int_equal(context_nse_del(&rig->c, 1), -1);
    close_nse(rig, 1);
    assert_int_equal(context_nse_del(&rig->c, 1), 0);
    assert_int_equal(context_nse_del(&rig->c, 1), -1);
    assert_int_equal(context_nse_del(&rig->c, RIG_NSES), -1);
    assert_int_equal(context_ms_park(&rig->c, 1, 1, rig->now), -1);
    assert_int_equal(context_ms_park(&rig->c, 3, 0, rig->now), -1);
    assert_int_equal(context_bvc_add(&rig->c, 1, 8, 1, rig->now), -1);
}

/* Nothing goes in the other cell, though that is open, until the mobile is heard there or elsewhere. */
RIG_TEST(parked)
{
    rig_put(rig, 1, 0, OCTETS);
    assert_int_equal(context_ms_park(&rig->c, 1, 0, rig->now), 0);
    assert_int_equal(context_bvc_del(&rig->c, 1), 0);
    rig_put(rig, 1, 0, OCTETS);
    assert_int_equal(rig_send(rig), 0);
    rig->now += 5 * MOMENT_SECOND;
    assert_int_equal(rig_send(rig), 0);
    assert_int_equal(context_queued_pkts(&rig->c), 2);
    context_ms_heard(&rig->c, &rig->c.mobiles[1], rig->now);
    assert_int_equal(rig_send(rig), 2);
}

/* Everything is on the wheel, waits for its turn or is in a list when it goes: closed buckets of mobile, cell
 * and link. */
static void round_of(struct rig *rig, uint16_t gone)
{
    uint16_t stays = !gone;
    rig->used = 0;
    for (unsigned i = 0; i < PKTS; i++)
        rig_put(rig, gone, 0, OCTETS);
    rig_put(rig, stays, 0, OCTETS);
    unsigned sent = rig_send(rig);
    assert_true(sent > 1 && sent < PKTS);
    assert_int_equal(context_ms_park(&rig->c, gone, stays, rig->now), 0);
    close_nse(rig, gone);
    assert_int_equal(context_bvc_del(&rig->c, gone), 0);
    assert_int_equal(context_nse_del(&rig->c, gone), 0);
    memset(&rig->c.nses[gone].sched.next, 0x55, sizeof(rig->c.nses[gone].sched.next)); /* nobody looks */
    rig_put(rig, stays, 0, OCTETS);
    rig_send(rig);
    open_nse(rig, gone);
    assert_int_equal(context_ms_move(&rig->c, gone, gone, rig->now), 0);
    for (unsigned i = 0; i < 100 && context_queued_pkts(&rig->c) > 0; i++) {
        rig->now += MOMENT_SECOND / 10;
        sent += rig_send(rig);
    }
    assert_int_equal(context_queued_pkts(&rig->c), 0);
    assert_int_equal(rig_dropped(rig, DROP_NONE), 0);
    rig->now += 2 * MOMENT_SECOND;
    rig_send(rig);
    assert_int_equal(sched_next_ns(&rig->c.sched), MOMENT_NEVER);
}

RIG_TEST(a_thousand_rounds)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        round_of(rig, i % 3 == 0);
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        for (uint16_t i = 0; i < RIG_NSES; i++)
            assert_int_equal(rig->c.nses[i].sched.classes[k].pkts + rig->c.nses[i].sched.classes[k].octets,
                             0);
}

/* It stands before the other in the list of those that have something to send. */
TEST(gone_while_its_turn_is_next)
{
    for (uint16_t gone = 0; gone < RIG_NSES; gone++) {
        struct rig rig;
        open(&rig);
        rig_put(&rig, 1, 0, OCTETS);
        rig_put(&rig, 0, 0, OCTETS);
        assert_int_equal(context_ms_park(&rig.c, gone, !gone, rig.now), 0);
        close_nse(&rig, gone);
        assert_int_equal(context_bvc_del(&rig.c, gone), 0);
        assert_int_equal(context_nse_del(&rig.c, gone), 0);
        open_nse(&rig, gone);
        assert_int_equal(rig_send(&rig), 1);
        rig_put(&rig, !gone, 0, OCTETS);
        assert_int_equal(rig_send(&rig), 1);
        context_ms_heard(&rig.c, &rig.c.mobiles[gone], rig.now);
        assert_int_equal(rig_send(&rig), 1);
        rig_close(&rig);
    }
}

/* --- limits that change while packets wait --- */

static bool has_bounds(const struct sched *s, const struct sched_bounds *bounds)
{
    const struct sched_params *params = &s->params;
    return params->ms_limit_pkts == bounds->ms_limit_pkts && params->budget_pkts == bounds->budget_pkts &&
           params->reserve_pkts == bounds->reserve_pkts &&
           params->flow_quantum_octets == bounds->flow_quantum_octets &&
           s->flow_sets.quantum_octets == bounds->flow_quantum_octets;
}

TEST(limits)
{
    static const struct {
        int status;
        struct sched_bounds bounds;
    } rows[] = {
        {0, {10, 20, 5, 300}},
        {0, {FLOW_QUEUE_MAX_PKTS, 0, 100, 1500}},
        {-1, {FLOW_QUEUE_MAX_PKTS + 1, 20, 5, 300}},
        {-1, {10, 101, 0, 300}},
        {-1, {10, 100, 1, 300}},
        {-1, {10, 20, 5, FLOW_SETS_MIN_QUANTUM_OCTETS - 1}},
    };
    const struct sched_bounds *holds = &rows[0].bounds;
    struct context_policy policy;
    struct context c;
    const struct context_limits small = {
        .nses = 1, .nsvcs = 1, .bvcs = 1, .mobiles = 1, .pdps = 1, .npdus = 100};
    context_policy_default(&policy);
    policy.sched.budget_pkts = policy.sched.reserve_pkts = 1;
    assert_true(context_new(&c, &small, &policy));
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(sched_set_bounds(&c.sched, &rows[i].bounds), rows[i].status);
        if (rows[i].status == 0)
            holds = &rows[i].bounds;
        assert_true(has_bounds(&c.sched, holds));
    }
    assert_int_equal(sched_set_class(&c.sched, QCLASS_COUNT, 1, &(struct sched_limit){1, 1}), -1);
    assert_int_equal(sched_set_class(&c.sched, 0, 0, &(struct sched_limit){1, 1}), -1);
    assert_int_equal(sched_set_class(&c.sched, 0, UINT16_MAX + 1, &(struct sched_limit){1, 1}), -1);
    assert_int_equal(context_ready(&c, -1), -1);
    assert_int_equal(context_ready(&c, CONTEXT_MAX_READY_NS + 1), -1);
    assert_int_equal(context_ready(&c, CONTEXT_MAX_READY_NS), 0);
    assert_int_equal(context_ms_limit(&c, 0, 1, 0), -1);
    context_free(&c);
}

/* What waits grows old by the lifetime that holds now, also when none did. */
TEST(another_lifetime)
{
    const struct lifetime second = {
        .mode = LIFETIME_SGSN_ONLY, .sgsn_max_ns = MOMENT_SECOND, .bss_max_ns = MOMENT_NEVER};
    struct lifetime minute = second;
    struct rig rig;
    minute.sgsn_max_ns = 60 * MOMENT_SECOND;
    open(&rig);
    assert_int_equal(context_bvc_unblock(&rig.c, 0, false), 0);
    rig_put(&rig, 0, 0, OCTETS);
    rig.now += MOMENT_SECOND / 2;
    rig_put(&rig, 0, 0, OCTETS);
    context_lifetime(&rig.c, &second);
    assert_int_equal(context_ms_limit(&rig.c, 0, 10000, rig.now), 0);
    rig.now += MOMENT_SECOND / 2 + 1;
    rig_send(&rig);
    assert_int_equal(rig_dropped(&rig, DROP_LIFETIME), 1);
    context_lifetime(&rig.c, &minute);
    assert_int_equal(context_ms_limit(&rig.c, 0, 10000, rig.now), 0);
    rig.now += 50 * MOMENT_SECOND;
    rig_send(&rig);
    assert_int_equal(rig_dropped(&rig, DROP_NONE), 0);
    context_lifetime(&rig.c, &second);
    assert_int_equal(context_ms_limit(&rig.c, 0, 10000, rig.now), 0);
    assert_int_equal(rig_dropped(&rig, DROP_LIFETIME), 1);
    assert_int_equal(context_queued_pkts(&rig.c), 0);
    rig_close(&rig);
}

/* From the next packet on by the new weights. */
RIG_TEST(other_weights)
{
    struct sched_grant grant;
    unsigned counts[2] = {0};
    const struct sched_limit any = {UINT64_MAX, UINT32_MAX};
    const struct gb_flow fast = rig_flow(1000000, 10000000, 1000000, 10000000);
    assert_int_equal(context_ms_move(&rig->c, 1, 0, rig->now), 0);
    assert_int_equal(context_bvc_flow(&rig->c, 0, &fast, rig->now), 0);
    assert_int_equal(sched_set_class(&rig->c.sched, QCLASS_THP1, 100, &any), 0);
    assert_int_equal(sched_set_class(&rig->c.sched, QCLASS_BACKGROUND, 300, &any), 0);
    for (uint32_t i = 0; i < 40; i++)
        rig_put_of(rig, i % 2,
                   (struct n_pdu){.pfi = N_PDU_NO_PFI,
                                  .octets = OCTETS,
                                  .qclass = i % 2 ? QCLASS_BACKGROUND : QCLASS_THP1});
    for (unsigned i = 0; i < 20; i++) {
        assert_true(sched_pick(&rig->c.sched, &grant, rig->now));
        counts[grant.ms == &rig->c.mobiles[1].sched]++;
    }
    assert_in_range(counts[1], 14, 16);
}

/* A mobile that control knows by a frame has had that frame; others of the SAPI, and of other SAPIs, are new.
 */
TEST_IN(first_frame, struct rig, rig, rig_open(rig), rig_close(rig))
{
    const uint16_t numbers[] = {0, 5, 63, 64, 157, 511};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct ms_params params = rig_ms((uint16_t)0, 1);
        params.first_sapi = LLC_SAPI_GMM;
        params.first_nu = numbers[i];
        assert_int_equal(add_ms(rig, 0, params), 0);
        struct llc_entity *gmm = &rig->c.mobiles[0].llc[ms_sapi_index(LLC_SAPI_GMM)];
        struct llc_entity *sms = &rig->c.mobiles[0].llc[ms_sapi_index(LLC_SAPI_SMS)];
        assert_false(llc_entity_accept(gmm, llc_entity_count(gmm, numbers[i])));
        assert_true(llc_entity_accept(gmm, llc_entity_count(gmm, (uint16_t)((numbers[i] + 1) % 512))));
        assert_true(llc_entity_accept(sms, llc_entity_count(sms, numbers[i])));
        assert_int_equal(llc_entity_begins_astray(numbers[i]),
                         numbers[i] >= LLC_ENTITY_ASTRAY && numbers[i] < 480);
        assert_int_equal(context_ms_del(&rig->c, 0), 0);
    }
}

UNIT_MAIN(NULL, NULL)
