/* SPDX-License-Identifier: BSD-3-Clause */
/* NSEs and cells that go while packets wait: what is left of them, and what comes in their place. */
#include "tests/unit/dataplane/context/rig.h"

#include <string.h>

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

TEST(in_use)
{
    struct rig rig;
    open(&rig);
    assert_int_equal(context_bvc_del(&rig.c, 1), -1);
    assert_int_equal(context_bvc_del(&rig.c, 2), -1);
    assert_int_equal(context_bvc_del(&rig.c, RIG_BVCS), -1);
    assert_int_equal(context_ms_park(&rig.c, 1, 0, rig.now), 0);
    assert_int_equal(context_nse_del(&rig.c, 1), -1);
    assert_int_equal(context_bvc_del(&rig.c, 1), 0);
    assert_int_equal(context_bvc_del(&rig.c, 1), -1);
    assert_int_equal(context_nse_del(&rig.c, 1), -1);
    close_nse(&rig, 1);
    assert_int_equal(context_nse_del(&rig.c, 1), 0);
    assert_int_equal(context_nse_del(&rig.c, 1), -1);
    assert_int_equal(context_nse_del(&rig.c, RIG_NSES), -1);
    assert_int_equal(context_ms_park(&rig.c, 1, 1, rig.now), -1);
    assert_int_equal(context_ms_park(&rig.c, 3, 0, rig.now), -1);
    assert_int_equal(context_bvc_add(&rig.c, 1, 8, 1, rig.now), -1);
    rig_close(&rig);
}

/* Nothing goes in the other cell, though that is open, until the mobile is heard there or elsewhere. */
TEST(parked)
{
    struct rig rig;
    open(&rig);
    rig_put(&rig, 1, 0, OCTETS);
    assert_int_equal(context_ms_park(&rig.c, 1, 0, rig.now), 0);
    assert_int_equal(context_bvc_del(&rig.c, 1), 0);
    rig_put(&rig, 1, 0, OCTETS);
    assert_int_equal(rig_send(&rig), 0);
    rig.now += 5 * MOMENT_SECOND;
    assert_int_equal(rig_send(&rig), 0);
    assert_int_equal(context_queued_pkts(&rig.c), 2);
    context_ms_heard(&rig.c, &rig.c.mobiles[1], rig.now);
    assert_int_equal(rig_send(&rig), 2);
    rig_close(&rig);
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

TEST(a_thousand_rounds)
{
    struct rig rig;
    open(&rig);
    for (unsigned i = 0; i < ROUNDS; i++)
        round_of(&rig, i % 3 == 0);
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        for (uint16_t i = 0; i < RIG_NSES; i++)
            assert_int_equal(rig.c.nses[i].sched.classes[k].pkts + rig.c.nses[i].sched.classes[k].octets, 0);
    rig_close(&rig);
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
TEST(other_weights)
{
    struct rig rig;
    struct sched_grant grant;
    unsigned counts[2] = {0};
    const struct sched_limit any = {UINT64_MAX, UINT32_MAX};
    const struct gb_flow fast = rig_flow(1000000, 10000000, 1000000, 10000000);
    open(&rig);
    assert_int_equal(context_ms_move(&rig.c, 1, 0, rig.now), 0);
    assert_int_equal(context_bvc_flow(&rig.c, 0, &fast, rig.now), 0);
    assert_int_equal(sched_set_class(&rig.c.sched, QCLASS_THP1, 100, &any), 0);
    assert_int_equal(sched_set_class(&rig.c.sched, QCLASS_BACKGROUND, 300, &any), 0);
    for (uint32_t i = 0; i < 40; i++)
        rig_put_of(&rig, i % 2,
                   (struct n_pdu){.pfi = N_PDU_NO_PFI,
                                  .octets = OCTETS,
                                  .qclass = i % 2 ? QCLASS_BACKGROUND : QCLASS_THP1});
    for (unsigned i = 0; i < 20; i++) {
        assert_true(sched_pick(&rig.c.sched, &grant, rig.now));
        counts[grant.ms == &rig.c.mobiles[1].sched]++;
    }
    assert_in_range(counts[1], 14, 16);
    rig_close(&rig);
}

UNIT_MAIN(NULL, NULL)
