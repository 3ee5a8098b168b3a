/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/sched/flow.h"

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"

#include <string.h>

#define CENTISECOND_NS (MOMENT_SECOND / 100)
#define WHOLE_PERMILLE 1000

int context_bvc_add(struct context *c, uint16_t index, uint16_t bvci, uint16_t nse, int64_t now)
{
    if (index >= c->limits.bvcs || c->bvcs[index].in_use)
        return -1;
    if (nse >= c->limits.nses || !c->nses[nse].in_use)
        return -1;
    struct gb_bvc *bvc = &c->bvcs[index];
    memset(context_counts(c, index, 0), 0, QCLASS_COUNT * sizeof(*c->counts));
    *bvc = (struct gb_bvc){.bvci = bvci,
                           .nse = nse,
                           .in_use = true,
                           .ms_head = MS_NONE,
                           .busy_head = MS_NONE,
                           .policy = c->gb_policy,
                           .announced = {.ratio_percent = -1}};
    sched_bvc_init(&bvc->sched, &c->nses[nse].sched, now);
    return 0;
}

int context_bvc_del(struct context *c, uint16_t index)
{
    struct gb_bvc *bvc = context_bvc_at(c, index);
    if (!bvc || bvc->ms_head != MS_NONE)
        return -1;
    sched_bvc_use(&c->sched, &bvc->sched, false);
    sched_bvc_fini(&c->sched, &bvc->sched);
    bvc->in_use = false;
    return 0;
}

/* Mobiles with queued N-PDUs take new defaults over at once. Others are removed from the list. */
static void tell_busy(struct context *c, const struct gb_bvc *bvc, int64_t now)
{
    for (uint32_t i = bvc->busy_head; i != MS_NONE;) {
        struct ms *ms = &c->mobiles[i];
        i = ms->busy.next;
        if (sched_ms_backlog(&c->sched, &ms->sched).pkts == 0) {
            context_busy_remove(c, ms);
        } else if (!ms->own_flow) {
            context_ms_catch_up(c, ms);
            sched_ms_changed(&c->sched, &ms->sched, now);
        }
    }
}

int context_bvc_reset(struct context *c, uint16_t index, int64_t now)
{
    struct gb_bvc *bvc = context_bvc_at(c, index);
    if (!bvc)
        return -1;
    bvc->unblocked = bvc->flow_known = false;
    bvc->announced = (struct gb_flow){.ratio_percent = -1};
    bvc->drained = (struct drained){0};
    context_bvc_refresh(c, bvc);
    bucket_init(&bvc->sched.bucket, 0, 0, now);
    gb_defaults_set(&bvc->defaults, 0, 0, now);
    for (uint32_t i = bvc->ms_head; i != MS_NONE; i = c->mobiles[i].in_bvc.next) {
        struct ms *ms = &c->mobiles[i];
        sched_ms_flush(&c->sched, &ms->sched, DROP_BVC_RESET);
        context_busy_remove(c, ms);
        bucket_init(&ms->sched.bucket, 0, 0, now);
        context_ms_follow(c, ms, now);
    }
    return 0;
}

int context_bvc_unblock(struct context *c, uint16_t index, bool unblocked)
{
    struct gb_bvc *bvc = context_bvc_at(c, index);
    if (!bvc)
        return -1;
    bvc->unblocked = unblocked;
    context_bvc_refresh(c, bvc);
    return 0;
}

static uint64_t share_of(const struct gb_flow *flow, uint64_t rate_bps)
{
    return flow->share_permille > 0 ? rate_bps * flow->share_permille / WHOLE_PERMILLE : rate_bps;
}

/* Sets Bmax and R of the cell and of its mobiles by announcement and policy. */
static void set_params(struct context *c, struct gb_bvc *bvc, int64_t now)
{
    const struct gb_flow *flow = &bvc->announced;
    bool is_in_doubt = bvc->drained.doubts > 0 && flow->rate_bps > 0;
    uint64_t counts_bps = is_in_doubt ? bvc->drained.rate_bps : share_of(flow, flow->rate_bps);
    uint64_t ms_counts_bps = is_in_doubt ? flow->ms_rate_bps : share_of(flow, flow->ms_rate_bps);
    uint64_t rate_bps = gb_policy_bvc_rate(&bvc->policy, counts_bps);
    uint64_t ms_rate_bps = gb_policy_rate(&bvc->policy, ms_counts_bps);
    uint64_t octets = gb_policy_bvc_octets(&bvc->policy, flow->bucket_octets, rate_bps, ms_rate_bps);

    gb_flow_set(&bvc->sched.bucket, flow, octets, rate_bps, now);
    bvc->sched.ms_rate_bps = ms_rate_bps;
    if (gb_defaults_set(&bvc->defaults, flow->ms_bucket_octets, ms_rate_bps, now))
        tell_busy(c, bvc, now);
}

/* Whether there is a target, and a measured delay to hold it with. */
static bool has_delay(const struct gb_bvc *bvc, const struct gb_flow *flow)
{
    return flow->has_delay && flow->delay_cs != GB_DELAY_INFINITE && flow->ratio_percent < 0 &&
           bvc->policy.bss_target_ns > 0;
}

static void observe(struct gb_bvc *bvc, const struct gb_flow *flow, int64_t now)
{
    const struct drained_report report = {.rate_bps = flow->rate_bps,
                                          .ms_rate_bps = flow->ms_rate_bps,
                                          .bucket_octets = flow->bucket_octets,
                                          .sent_octets = bvc->sched.sent_octets,
                                          .level_octets = bucket_level_octets(&bvc->sched.bucket, now),
                                          .delay_ns = flow->delay_cs * CENTISECOND_NS,
                                          .target_ns = bvc->policy.bss_target_ns};
    if (has_delay(bvc, flow))
        drained_observe(&bvc->drained, &report, now);
    else
        bvc->drained = (struct drained){0};
}

/* With a target, a measured delay gives the octets queued in the BSS; if it is not 0, the octets on the air
 * are added. At most the announced Bmax. */
static void believe_delay(struct gb_bvc *bvc, const struct gb_flow *flow, int64_t now)
{
    struct bucket *bucket = &bvc->sched.bucket;
    if (!has_delay(bvc, flow))
        return;
    uint64_t delay_ns = (uint64_t)flow->delay_cs * CENTISECOND_NS;
    uint64_t begun_octets = delay_ns > 0 ? gb_policy_air_octets(bucket->rate_bps, bvc->defaults.rate_bps) : 0;
    bucket_nbit level =
        (bucket_nbit)bucket->rate_bps * delay_ns + (bucket_nbit)begun_octets * BUCKET_NBIT_PER_OCTET;
    bucket_nbit most = (bucket_nbit)flow->bucket_octets * BUCKET_NBIT_PER_OCTET;
    bucket_put(bucket, level < most ? level : most, now);
}

int context_bvc_flow(struct context *c, uint16_t index, const struct gb_flow *flow, int64_t now)
{
    struct gb_bvc *bvc = context_bvc_at(c, index);
    if (!bvc || !gb_flow_is_valid(flow))
        return -1;
    bvc->announced = *flow;
    observe(bvc, flow, now);
    set_params(c, bvc, now);
    believe_delay(bvc, flow, now);
    bvc->announced.ratio_percent = -1; /* valid at its instant only */
    bvc->flow_known = true;
    context_bvc_refresh(c, bvc);
    sched_bvc_changed(&c->sched, &bvc->sched);
    return 0;
}

int context_bvc_policy(struct context *c, uint16_t index, const struct gb_policy *policy, int64_t now)
{
    struct gb_bvc *bvc = context_bvc_at(c, index);
    if (!bvc || !gb_policy_is_valid(policy))
        return -1;
    bvc->policy = *policy;
    if (policy->bss_target_ns == 0)
        bvc->drained = (struct drained){0};
    set_params(c, bvc, now);
    gb_defaults_renew(&bvc->defaults, now); /* caps may have changed though the defaults are the same */
    tell_busy(c, bvc, now);
    sched_bvc_changed(&c->sched, &bvc->sched);
    return 0;
}

/* --- corrections --- */

static void discard_of_bvc(struct context *c, struct gb_bvc *bvc, uint64_t octets, int64_t now)
{
    bucket_discard(&bvc->sched.bucket, octets, now);
    bvc->sched.sent_octets -= octets;
    sched_bvc_changed(&c->sched, &bvc->sched);
}

static void discard_of_ms(struct context *c, struct ms *ms, const struct gb_discard *discard, int64_t now)
{
    context_ms_catch_up(c, ms);
    bucket_discard(&ms->sched.bucket, discard->octets, now);
    struct sched_extra *pfc = sched_pfc_get(&c->sched, &ms->sched, discard->pfi);
    if (pfc && pfc->has_bucket) {
        bucket_discard(&pfc->bucket, discard->octets, now);
        sched_pfc_changed(&c->sched, pfc, now);
    }
    sched_ms_changed(&c->sched, &ms->sched, now);
}

int context_bvc_discarded(struct context *c, const struct gb_discard *discard, int64_t now)
{
    struct ms *ms = context_ms_at(c, discard->ms);
    uint16_t index = discard->bvc == GB_BVC_NONE && ms ? ms->bvc : discard->bvc;
    struct gb_bvc *bvc = context_bvc_at(c, index);
    if (!bvc)
        return -1;
    discard_of_bvc(c, bvc, discard->octets, now);
    if (ms && ms->bvc == index)
        discard_of_ms(c, ms, discard, now);
    return 0;
}

/* Octets that were added to the BSS's queues of a cell and its mobile without a frame from here. */
static void fill(struct context *c, struct gb_bvc *bvc, struct ms *ms, uint32_t octets, int64_t now)
{
    bucket_take(&bvc->sched.bucket, octets, now);
    bvc->sched.sent_octets += octets;
    if (!ms || ms->sched.bvc != &bvc->sched)
        return;
    context_ms_catch_up(c, ms);
    bucket_take(&ms->sched.bucket, octets, now);
    sched_ms_changed(&c->sched, &ms->sched, now);
}

int context_bvc_flushed(struct context *c, const struct gb_flush *flush, int64_t now)
{
    struct gb_bvc *from = flush->from == GB_BVC_NONE ? NULL : context_bvc_at(c, flush->from);
    struct gb_bvc *to = flush->to == GB_BVC_NONE ? NULL : context_bvc_at(c, flush->to);
    if ((!from && flush->from != GB_BVC_NONE) || (!to && flush->to != GB_BVC_NONE) ||
        flush->octets > UINT32_MAX)
        return -1;
    if (from)
        discard_of_bvc(c, from, flush->octets, now);
    if (to)
        fill(c, to, context_ms_at(c, flush->ms), (uint32_t)flush->octets, now);
    return 0;
}
