/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/context/play.h"

#include "dataplane/context/context.h"
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_look.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/ms.h"

#define LLC_OVERHEAD_OCTETS 10 /* of a first segment: SNDCP 4, LLC 3, FCS 3 */
#define N201_U_OCTETS       1520

/* A step about to be made, and where it stands. */
struct now {
    struct rig *rig;
    const struct play_step *step;
    const char *what;
    size_t number;
};

static void differ(const struct now *now, const char *which, uint64_t got, uint64_t want)
{
    fail_msg("%s: step %zu: %s is %llu, not %llu", now->what, now->number, which, (unsigned long long)got,
             (unsigned long long)want);
}

static void expect(const struct now *now, const char *which, uint64_t got, uint64_t want)
{
    if (got != want)
        differ(now, which, got, want);
}

/* --- what is to be found --- */

static int sends(const struct now *now)
{
    expect(now, "LLC-PDUs", rig_send(now->rig), now->step->a);
    return 0;
}

static int drops(const struct now *now)
{
    expect(now, "drops", rig_dropped(now->rig, (enum drop)now->step->b), now->step->a);
    return 0;
}

static int waits(const struct now *now)
{
    expect(now, "queue", context_queued_pkts(&now->rig->c), now->step->a);
    return 0;
}

static int wakes(const struct now *now)
{
    int64_t want_ns = now->step->a > 0 ? MOMENT_SECOND + (int64_t)now->step->a : MOMENT_NEVER;
    expect(now, "deadline", (uint64_t)sched_next_ns(&now->rig->c.sched), (uint64_t)want_ns);
    return 0;
}

static void check_bucket(const struct now *now, const struct bucket *b)
{
    expect(now, "level", bucket_level_octets(b, now->rig->now), now->step->a);
    expect(now, "Bmax", b->max_octets, now->step->b);
    expect(now, "R", b->rate_bps, now->step->c);
}

/* Another thread sees the same bucket, also one that has not applied the cell's latest defaults yet. */
static void check_look(const struct now *now, const struct context_look *look)
{
    expect(now, "level of another thread", look->level_octets, now->step->a);
    expect(now, "Bmax of another thread", look->max_octets, now->step->b);
    expect(now, "R of another thread", look->rate_bps, now->step->c);
}

static int is_bvc(const struct now *now)
{
    struct context_look look, queued[QCLASS_COUNT];
    assert_true(context_look_bvc(&now->rig->c, (uint16_t)now->step->who, now->rig->now, &look, queued));
    check_look(now, &look);
    check_bucket(now, &now->rig->c.bvcs[now->step->who].sched.bucket);
    return 0;
}

static int is_ms(const struct now *now)
{
    struct context *c = &now->rig->c;
    struct context_look look;
    assert_true(context_look_ms(c, now->step->who, now->rig->now, &look));
    check_look(now, &look);
    expect(now, "queued N-PDUs", look.queued_pkts,
           sched_ms_backlog(&c->sched, &c->mobiles[now->step->who].sched).pkts);
    check_bucket(now, context_ms_bucket(c, &c->mobiles[now->step->who]));
    return 0;
}

static struct sched_extra *pfc_of(const struct now *now, uint64_t pfi)
{
    struct context *c = &now->rig->c;
    return sched_pfc_get(&c->sched, &c->mobiles[now->step->who].sched, (uint8_t)pfi);
}

static int is_pfc(const struct now *now)
{
    const struct sched_extra *pfc = pfc_of(now, now->step->d);
    expect(now, "bucket", pfc && pfc->has_bucket, true);
    check_bucket(now, &pfc->bucket);
    return 0;
}

static int no_pfc(const struct now *now)
{
    const struct sched_extra *pfc = pfc_of(now, now->step->a);
    expect(now, "bucket", pfc && pfc->has_bucket, false);
    return 0;
}

/* --- events --- */

static struct gb_flow flow_of(uint64_t octets, uint64_t rate_bps, uint64_t ratio_and_one)
{
    return (struct gb_flow){
        .bucket_octets = octets, .rate_bps = rate_bps, .ratio_percent = (int32_t)ratio_and_one - 1};
}

static int flow_bvc(const struct now *now)
{
    const struct play_step *s = now->step;
    struct gb_flow flow = flow_of(s->a, s->b, (s->op & ~REFUSED) == DELAY ? 0 : s->e);
    flow.ms_bucket_octets = s->c;
    flow.ms_rate_bps = s->d;
    flow.has_delay = (s->op & ~REFUSED) == DELAY;
    flow.delay_cs = flow.has_delay ? (uint16_t)s->e : 0;
    return context_bvc_flow(&now->rig->c, (uint16_t)s->who, &flow, now->rig->now);
}

static int flow_ms(const struct now *now)
{
    const struct play_step *s = now->step;
    struct gb_flow flow = flow_of(s->a, s->b, s->e);
    return context_ms_flow(&now->rig->c, s->who, &flow, now->rig->now);
}

static int flow_pfc(const struct now *now)
{
    const struct play_step *s = now->step;
    struct gb_flow flow = flow_of(s->b, s->c, s->e);
    return context_ms_pfc_flow(&now->rig->c, s->who, (uint8_t)s->a, &flow, now->rig->now);
}

static int pfc_add(const struct now *now)
{
    return context_ms_pfc_add(&now->rig->c, now->step->who, (uint8_t)now->step->a, now->rig->now);
}

static int pfc_del(const struct now *now)
{
    return context_ms_pfc_del(&now->rig->c, now->step->who, (uint8_t)now->step->a, now->rig->now);
}

static int th_expires(const struct now *now)
{
    return context_ms_defaults(&now->rig->c, now->step->who, now->rig->now);
}

static int discarded(const struct now *now)
{
    const struct play_step *s = now->step;
    struct gb_discard discard = {
        .octets = s->a, .ms = s->who, .bvc = (uint16_t)s->b, .pfi = (uint8_t)(s->c - 1)};
    return context_bvc_discarded(&now->rig->c, &discard, now->rig->now);
}

static int flushed(const struct now *now)
{
    const struct play_step *s = now->step;
    uint16_t to = (s->op & ~REFUSED) == TRANSFERRED ? (uint16_t)s->c : GB_BVC_NONE;
    struct gb_flush flush = {.octets = s->a, .ms = s->who, .from = (uint16_t)s->b, .to = to};
    return context_bvc_flushed(&now->rig->c, &flush, now->rig->now);
}

static int suspend(const struct now *now)
{
    return context_ms_stop(&now->rig->c, now->step->who, MS_SUSPENDED, now->step->a, now->rig->now);
}

static int radio_status(const struct now *now)
{
    return context_ms_lost(&now->rig->c, now->step->who, now->step->a, now->rig->now);
}

static int heard(const struct now *now)
{
    context_ms_heard(&now->rig->c, &now->rig->c.mobiles[now->step->who], now->rig->now);
    return 0;
}

static int to_cell(const struct now *now)
{
    return context_ms_move(&now->rig->c, now->step->who, (uint16_t)now->step->a, now->rig->now);
}

static int reset(const struct now *now)
{
    return context_bvc_reset(&now->rig->c, (uint16_t)now->step->who, now->rig->now);
}

static int unblock(const struct now *now)
{
    return context_bvc_unblock(&now->rig->c, (uint16_t)now->step->who, now->step->a);
}

static int ns_vcs(const struct now *now)
{
    uint16_t first = (uint16_t)(2 * now->step->who);
    return context_nsvc_use(&now->rig->c, first, now->step->a) |
           context_nsvc_use(&now->rig->c, first + 1, now->step->a);
}

static int ms_del(const struct now *now)
{
    return context_ms_del(&now->rig->c, now->step->who);
}

static int n201_u(const struct now *now)
{
    return context_ms_n201_u(&now->rig->c, now->step->who, (uint32_t)now->step->a, now->rig->now);
}

static int policy(const struct now *now)
{
    const struct play_step *s = now->step;
    struct gb_policy gb = {.bss_target_ns = (int64_t)s->a * 1000000,
                           .rate_percent = (uint32_t)s->b,
                           .max_rate_bps = s->c,
                           .max_octets = s->d};
    return context_bvc_policy(&now->rig->c, (uint16_t)s->who, &gb, now->rig->now);
}

static int put(const struct now *now)
{
    const struct play_step *s = now->step;
    rig_put_of(now->rig, s->who,
               (struct n_pdu){.octets = (uint16_t)(s->a - LLC_OVERHEAD_OCTETS), .pfi = (uint8_t)(s->b - 1)});
    return 0;
}

/* --- the play --- */

static int (*const acts[PLAY_OPS])(const struct now *now) = {
    [FLOW_BVC] = flow_bvc, [DELAY] = flow_bvc,      [FLOW_MS] = flow_ms,       [FLOW_PFC] = flow_pfc,
    [PFC_ADD] = pfc_add,   [PFC_DEL] = pfc_del,     [TH_EXPIRES] = th_expires, [DISCARDED] = discarded,
    [DELETED] = flushed,   [TRANSFERRED] = flushed, [SUSPEND] = suspend,       [RADIO_STATUS] = radio_status,
    [HEARD] = heard,       [TO_CELL] = to_cell,     [RESET] = reset,           [UNBLOCK] = unblock,
    [NS_VCS] = ns_vcs,     [MS_DEL] = ms_del,       [N201_U] = n201_u,         [POLICY] = policy,
    [PUT] = put,           [SENDS] = sends,         [DROPS] = drops,           [WAITS] = waits,
    [WAKES] = wakes,       [IS_BVC] = is_bvc,       [IS_MS] = is_ms,           [IS_PFC] = is_pfc,
    [NO_PFC] = no_pfc,
};

static void open(struct rig *rig)
{
    rig_open(rig);
    assert_int_equal(context_bvc_add(&rig->c, 2, 9, 0, rig->now), 0);
    assert_int_equal(context_bvc_unblock(&rig->c, 2, true), 0);
    for (uint16_t i = 0; i < 3; i++) {
        struct ms_params ms = rig_ms(i / 2, 10 + i);
        struct gb_flow flow = i == 0 ? rig_flow(5000, 8000, 1000, 800) : rig_flow(6000, 16000, 700, 400);
        ms.n201_u = N201_U_OCTETS;
        assert_int_equal(context_ms_add(&rig->c, i, &ms, rig->now), 0);
        assert_int_equal(context_bvc_flow(&rig->c, i, &flow, rig->now), 0);
    }
}

static void play_row(const struct play_row *row)
{
    struct rig rig;
    open(&rig);
    for (size_t i = 0; i < PLAY_STEPS && row->steps[i].op != PLAY_END; i++) {
        const struct play_step *step = &row->steps[i];
        struct now now = {&rig, step, row->what, i};
        rig.now = MOMENT_SECOND + step->at_ms * 1000000;
        int status = acts[step->op & ~REFUSED](&now);
        expect(&now, "status", (uint64_t)-status, (step->op & REFUSED) != 0);
    }
    rig_close(&rig);
}

void play(const struct play_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        play_row(&rows[i]);
}
