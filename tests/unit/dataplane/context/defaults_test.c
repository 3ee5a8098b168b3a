/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defaults that mobiles take over late, against mobiles that are told at once: the same changes, the same
 * LLC-PDUs and corrections at random instants; every bucket is the same to the last bit whenever somebody
 * looks.
 */
#include "dataplane/base/rng.h"
#include "tests/unit/dataplane/context/rig.h"

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

UNIT_MAIN(NULL, NULL)
