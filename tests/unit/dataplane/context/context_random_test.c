/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can happen to mobiles and cells, in any order and under load. After each event the lists
 * are sound and who is in them, every N-PDU is somewhere, and nobody follows defaults that are not his
 * cell's; at the end every N-PDU was sent or dropped, and every extra flow was given back.
 */
#include "dataplane/base/rng.h"
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/context_pdp.h"
#include "tests/unit/dataplane/context/rig.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"

#include <stdlib.h>

#define ROUNDS 60
#define EVENTS 3000
#define N_PDUS 512
#define CELLS  3

struct load {
    struct rig rig;
    struct rng rng;
    struct n_pdu n_pdus[N_PDUS];
    struct n_pdu *spare[N_PDUS];
    unsigned spare_count;
    uint64_t offered, refused, sent, dropped;
};

static uint64_t pick(struct load *l, uint64_t below)
{
    return rng_below(&l->rng, below);
}

static uint16_t pick_cell(struct load *l)
{
    return (uint16_t)pick(l, CELLS + 1); /* one is not there */
}

/* --- events --- */

static void give_back(struct load *l, struct n_pdu *n_pdu)
{
    l->spare[l->spare_count++] = n_pdu;
}

static void reap(struct load *l)
{
    struct n_pdu *n_pdu;
    for (; (n_pdu = n_pdu_list_take(&l->rig.c.sched.dropped)); l->dropped++)
        give_back(l, n_pdu);
}

static void send(struct load *l, unsigned most)
{
    struct sched_grant grant;
    sched_advance(&l->rig.c.sched, l->rig.now);
    for (unsigned i = 0; i < most && sched_pick(&l->rig.c.sched, &grant, l->rig.now); i++) {
        if (!grant.next.last)
            continue;
        give_back(l, grant.n_pdu);
        l->sent++;
    }
}

static void offer(struct load *l, uint32_t ms)
{
    static const uint8_t pfis[] = {N_PDU_NO_PFI, N_PDU_NO_PFI, 0, 1, 8, 9};
    struct context *c = &l->rig.c;
    struct sched_grant grants[SCHED_PASS_MAX];
    if (!c->mobiles[ms].in_use || l->spare_count == 0)
        return;
    struct n_pdu *n_pdu = l->spare[--l->spare_count];
    *n_pdu = (struct n_pdu){.octets = (uint16_t)(1 + pick(l, 1500)),
                            .pdp = ms,
                            .qclass = (uint8_t)(QCLASS_THP1 + pick(l, 4)),
                            .sapi = 3,
                            .pfi = pfis[pick(l, COUNT(pfis))],
                            .arrival_ns = l->rig.now};
    l->offered++;
    if (pick(l, 2) && context_pass(c, &c->mobiles[ms], n_pdu, grants, l->rig.now) > 0) {
        give_back(l, n_pdu);
        l->sent++;
    } else if (context_enqueue(c, &c->mobiles[ms], n_pdu, l->rig.now) != DROP_NONE) {
        give_back(l, n_pdu);
        l->refused++;
    }
}

static struct gb_flow pick_flow(struct load *l)
{
    struct gb_flow flow = rig_flow(pick(l, 20000), pick(l, 4) ? pick(l, 200000) : 0, pick(l, 8000),
                                   pick(l, 4) ? pick(l, 50000) : 0);
    flow.ratio_percent = pick(l, 3) ? -1 : (int32_t)pick(l, 200);
    flow.has_delay = pick(l, 2);
    flow.delay_cs = (uint16_t)pick(l, 200);
    return flow;
}

static void exist(struct load *l, uint32_t ms)
{
    struct context *c = &l->rig.c;
    struct ms_params params = rig_ms(pick_cell(l), ms);
    struct pdp_params pdp = rig_pdp(ms, 5);
    if (!c->mobiles[ms].in_use) {
        if (context_ms_add(c, ms, &params, l->rig.now) == 0)
            context_pdp_add(c, ms, &pdp);
    } else if (pick(l, 3) == 0) {
        context_ms_del(c, ms);
    } else if (pick(l, 2)) {
        context_pdp_del(c, ms, l->rig.now);
    } else {
        context_pdp_add(c, ms, &pdp);
    }
}

static void announce(struct load *l, uint32_t ms)
{
    static const uint8_t pfis[] = {0, 1, 8, 9};
    struct context *c = &l->rig.c;
    struct gb_flow flow = pick_flow(l);
    uint8_t pfi = pfis[pick(l, COUNT(pfis))];
    switch (pick(l, 7)) {
    case 0:
    case 1:
        context_bvc_flow(c, pick_cell(l), &flow, l->rig.now);
        break;
    case 2:
        context_ms_flow(c, ms, &flow, l->rig.now);
        break;
    case 3:
        context_ms_defaults(c, ms, l->rig.now);
        break;
    case 4:
        context_ms_pfc_add(c, ms, pfi, l->rig.now);
        break;
    case 5:
        context_ms_pfc_flow(c, ms, pfi, &flow, l->rig.now);
        break;
    default:
        context_ms_pfc_del(c, ms, pfi, l->rig.now);
        break;
    }
}

static void correct(struct load *l, uint32_t ms)
{
    struct context *c = &l->rig.c;
    struct gb_discard discard = {.octets = pick(l, 3000), .ms = ms, .bvc = pick_cell(l), .pfi = 8};
    struct gb_flush flush = {.octets = pick(l, 3000), .ms = ms, .from = pick_cell(l), .to = pick_cell(l)};
    struct gb_policy policy = {.bss_target_ns = (int64_t)pick(l, 3) * 100000000,
                               .rate_percent = 50 + (uint32_t)pick(l, 100)};
    switch (pick(l, 4)) {
    case 0:
        context_bvc_discarded(c, &discard, l->rig.now);
        break;
    case 1:
        context_bvc_flushed(c, &flush, l->rig.now);
        break;
    case 2:
        context_bvc_policy(c, pick_cell(l), &policy, l->rig.now);
        break;
    default:
        context_ms_n201_u(c, ms, 140 + (uint32_t)pick(l, 1381), l->rig.now);
        break;
    }
}

static void change_state(struct load *l, uint32_t ms)
{
    struct context *c = &l->rig.c;
    struct sched_link_rate rate = {pick(l, 2) ? 1000 + pick(l, 100000) : 0, pick(l, 10000),
                                   1 + (uint32_t)pick(l, 100)};
    switch (pick(l, 8)) {
    case 0:
    case 1:
        context_ms_move(c, ms, pick_cell(l), l->rig.now);
        break;
    case 2:
        context_ms_stop(c, ms, MS_SUSPENDED, pick(l, 2), l->rig.now);
        break;
    case 3:
        context_ms_lost(c, ms, pick(l, 2), l->rig.now);
        break;
    case 4:
        context_nsvc_use(c, (uint16_t)pick(l, 4), pick(l, 8) > 0);
        break;
    case 5:
        context_nse_rate(c, (uint16_t)pick(l, RIG_NSES), &rate, l->rig.now);
        break;
    case 6:
        context_bvc_unblock(c, pick_cell(l), pick(l, 8) > 0);
        break;
    default:
        if (pick(l, 10) == 0)
            context_bvc_reset(c, pick_cell(l), l->rig.now);
        break;
    }
}

static void event(struct load *l)
{
    uint32_t ms = (uint32_t)pick(l, RIG_MOBILES);
    l->rig.now += (int64_t)pick(l, UINT64_C(1) << pick(l, 32));
    switch (pick(l, 12)) {
    case 0:
        exist(l, ms);
        break;
    case 1:
        announce(l, ms);
        break;
    case 2:
        correct(l, ms);
        break;
    case 3:
        change_state(l, ms);
        break;
    case 4:
    case 5:
        send(l, (unsigned)pick(l, 20));
        break;
    default:
        offer(l, ms);
        break;
    }
    reap(l);
}

/* --- what holds --- */

static void check_mobile(struct load *l, struct ms *ms)
{
    const struct context *c = &l->rig.c;
    const struct defaults *d = &c->bvcs[ms->bvc].defaults;
    uint32_t waiting = sched_ms_backlog(&c->sched, &ms->sched).pkts;
    assert_ptr_equal(ms->sched.bvc, &c->bvcs[ms->bvc].sched);
    if (waiting > 0)
        assert_true(ms->is_busy);
    if (ms->is_busy && !ms->own_flow) {
        assert_int_equal(ms->epoch, d->epoch);
        assert_int_equal(ms->sched.bucket.rate_bps, d->rate_bps);
    }
}

/* How many are in a cell's list, each once and of this cell. */
static unsigned count_list(const struct load *l, uint16_t cell, bool are_busy)
{
    const struct gb_bvc *bvc = &l->rig.c.bvcs[cell];
    uint32_t i = are_busy ? bvc->busy_head : bvc->ms_head, before = MS_NONE;
    unsigned count = 0;
    for (; i != MS_NONE && count <= RIG_MOBILES; count++) {
        const struct ms *ms = &l->rig.c.mobiles[i];
        const struct ms_link *link = are_busy ? &ms->busy : &ms->in_bvc;
        assert_true(ms->in_use && ms->bvc == cell && link->prev == before && (!are_busy || ms->is_busy));
        before = i;
        i = link->next;
    }
    return count;
}

static void check(struct load *l)
{
    struct context *c = &l->rig.c;
    unsigned in_use = 0, busy = 0, listed = 0, listed_busy = 0;
    uint64_t waiting = 0;
    for (unsigned i = 0; i < RIG_MOBILES; i++) {
        struct ms *ms = &c->mobiles[i];
        if (!ms->in_use)
            continue;
        check_mobile(l, ms);
        in_use++;
        busy += ms->is_busy;
        waiting += sched_ms_backlog(&c->sched, &ms->sched).pkts;
    }
    for (uint16_t cell = 0; cell < CELLS; cell++) {
        listed += count_list(l, cell, false);
        listed_busy += count_list(l, cell, true);
    }
    assert_int_equal(listed, in_use);
    assert_int_equal(listed_busy, busy);
    assert_int_equal(context_queued_pkts(c), waiting);
    assert_int_equal(l->offered, l->refused + l->sent + l->dropped + waiting);
}

static unsigned free_extras(const struct sched *s)
{
    unsigned count = 0;
    for (uint32_t i = s->extras_free; i != SCHED_NO_EXTRA; i = s->extras[i].flow.more)
        count++;
    return count;
}

/* One round; how many N-PDUs were sent. */
static uint64_t play_round(struct load *l, uint64_t seed)
{
    *l = (struct load){0};
    rng_init(&l->rng, seed, 1);
    rig_open(&l->rig);
    assert_int_equal(context_bvc_add(&l->rig.c, 2, 9, 0, l->rig.now), 0);
    for (unsigned i = 0; i < N_PDUS; i++)
        give_back(l, &l->n_pdus[i]);
    for (unsigned i = 0; i < EVENTS; i++) {
        event(l);
        check(l);
    }
    for (uint32_t i = 0; i < RIG_MOBILES; i++)
        context_ms_del(&l->rig.c, i);
    reap(l);
    check(l);
    assert_int_equal(l->spare_count, N_PDUS);
    assert_int_equal(free_extras(&l->rig.c.sched), RIG_PDPS);
    rig_close(&l->rig);
    return l->sent;
}

TEST(anything)
{
    struct load *l = calloc(1, sizeof(*l));
    uint64_t sent = 0;
    assert_non_null(l);
    for (uint64_t seed = 0; seed < ROUNDS; seed++)
        sent += play_round(l, seed);
    assert_true(sent > UINT64_C(100) * ROUNDS);
    free(l);
}

UNIT_MAIN(NULL, NULL)
