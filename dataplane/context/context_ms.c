/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/context.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <string.h>

static void context_follow_defaults(struct context *c, struct ms *ms, int64_t now);
static bool context_pfi_is_valid(uint8_t pfi);
static void context_catch_up(struct context *c, struct ms *ms);

/* Whether a mobile's values fit the headers, and its segments their numbers. */
static bool can_be_framed(const struct ms_params *params)
{
    return ms_can_n201_u(params->n201_u) && params->imsi_octets <= MS_IMSI_OCTETS;
}

int context_ms_add(struct context *c, uint32_t index, const struct ms_params *params, int64_t now)
{
    if (index >= c->limits.mobiles || c->mobiles[index].in_use)
        return -1;
    if (params->bvc >= c->limits.bvcs || !c->bvcs[params->bvc].in_use || !can_be_framed(params))
        return -1;
    struct ms *ms = &c->mobiles[index];
    struct gb_bvc *bvc = &c->bvcs[params->bvc];
    *ms = (struct ms){.tlli = params->tlli,
                      .bvc = params->bvc,
                      .in_use = true,
                      .stays_in_area = params->stays_in_area,
                      .drops_suspended = params->drops_suspended,
                      .heard_ticks = ms_ticks(now)};
    ms->imsi_octets = params->imsi_octets;
    memcpy(ms->imsi, params->imsi, MS_IMSI_OCTETS);
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        ms->pdp[i] = MS_PDP_NONE;
    sched_ms_init(&ms->sched, &bvc->sched, now);
    ms->sched.limit_octets = params->queue_limit_octets;
    ms->sched.n201_u = params->n201_u;
    ms->sched.link_octets = ms_link_octets_with(params->link_octets, 0);
    context_follow_defaults(c, ms, now);
    if (c->sched.aqm)
        sched_aqm_forget(&c->sched, &ms->sched.flow, now);
    context_list_add(c, ms);
    return 0;
}

int context_ms_limit(struct context *c, uint32_t index, uint32_t octets, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms)
        return -1;
    ms->sched.limit_octets = octets;
    sched_ms_look_again(&c->sched, &ms->sched, now);
    return 0;
}

int context_ms_del(struct context *c, uint32_t index)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms)
        return -1;
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        if (ms->pdp[i] != MS_PDP_NONE)
            c->pdps[ms->pdp[i]].in_use = false;
    sched_ms_flush(&c->sched, &ms->sched, DROP_CONTEXT_DELETED);
    context_busy_remove(c, ms);
    context_list_remove(c, ms);
    ms->in_use = false;
    return 0;
}

/* Whether its frames carry TLLI(old), which counts on the link, too. */
static void tell_tlli_old(struct ms *ms, bool tells)
{
    if (tells == ms->tells_tlli_old)
        return;
    ms->tells_tlli_old = tells;
    int octets = ms->sched.link_octets + (tells ? 1 : -1) * (int)BSSGP_DL_TLLI_OLD_OCTETS;
    ms->sched.link_octets = (uint8_t)octets;
}

int context_ms_tlli(struct context *c, uint32_t index, uint32_t tlli, bool keep_old)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms)
        return -1;
    bool is_other = tlli != ms->tlli;
    if (keep_old && is_other) {
        ms->tlli_old = ms->tlli;
        ms->has_tlli_old = true;
    }
    ms->has_tlli_old = ms->has_tlli_old && keep_old;
    ms->tlli = tlli;
    tell_tlli_old(ms, ms->has_tlli_old && (is_other ? c->unitdata.tells_tlli_old : ms->tells_tlli_old));
    return 0;
}

void context_ms_tlli_heard(struct ms *ms)
{
    tell_tlli_old(ms, false);
}

/* Elements that come or go count on the link; so does TLLI(old), which is not in the range of its limits. */
static void lengthen_header(struct ms *ms, int octets)
{
    unsigned old = ms->tells_tlli_old ? BSSGP_DL_TLLI_OLD_OCTETS : 0;
    ms->sched.link_octets =
        (uint8_t)(ms_link_octets_with((uint8_t)(ms->sched.link_octets - old), octets) + old);
}

int context_ms_imsi(struct context *c, uint32_t index, const struct ms_imsi *imsi)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || imsi->octets > MS_IMSI_OCTETS)
        return -1;
    lengthen_header(ms, (int)bssgp_dl_imsi_octets(imsi->octets) - (int)bssgp_dl_imsi_octets(ms->imsi_octets));
    ms->imsi_octets = imsi->octets;
    memcpy(ms->imsi, imsi->value, MS_IMSI_OCTETS);
    return 0;
}

int context_ms_elements(struct context *c, uint32_t index, const struct bssgp_elements *elements)
{
    struct ms *ms = context_ms_at(c, index);
    unsigned octets = bssgp_elements_octets(elements);
    if (!ms || (octets > 0 && !c->elements) || octets > BSSGP_ELEMENTS_OCTETS)
        return -1;
    const struct bssgp_elements *before = context_elements_of(c, ms);
    lengthen_header(ms, (int)octets - (before ? (int)bssgp_elements_octets(before) : 0));
    ms->has_elements = octets > 0;
    if (ms->has_elements)
        c->elements[index] = *elements;
    return 0;
}

static void go_to(struct context *c, struct ms *ms, uint16_t bvc, int64_t now)
{
    bool was_busy = ms->is_busy;
    context_busy_remove(c, ms);
    context_list_remove(c, ms);
    ms->bvc = bvc;
    ms->told_bvci = 0;
    context_list_add(c, ms);
    if (was_busy)
        context_busy_add(c, ms);
    context_follow_defaults(c, ms, now);
    sched_ms_move(&c->sched, &ms->sched, &c->bvcs[bvc].sched, now);
}

int context_ms_move(struct context *c, uint32_t index, uint16_t bvc, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !context_bvc_at(c, bvc))
        return -1;
    go_to(c, ms, bvc, now);
    context_ms_heard(c, ms, now);
    return 0;
}

int context_ms_park(struct context *c, uint32_t index, uint16_t bvc, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !context_bvc_at(c, bvc))
        return -1;
    sched_ms_freeze(&c->sched, &ms->sched, SCHED_MS_LOST);
    go_to(c, ms, bvc, now);
    return 0;
}

static int freeze(struct context *c, uint32_t index, uint8_t flag, bool is_frozen, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms)
        return -1;
    if (is_frozen)
        sched_ms_freeze(&c->sched, &ms->sched, flag);
    else
        sched_ms_thaw(&c->sched, &ms->sched, flag, now);
    return 0;
}

int context_ms_suspend(struct context *c, uint32_t index, bool is_suspended, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    bool was_suspended = ms && ms->sched.flags & SCHED_MS_SUSPENDED;
    if (was_suspended && !is_suspended)
        sched_ms_spare(&c->sched, &ms->sched, c->suspended_ns[index], now);
    if (ms && !was_suspended)
        c->suspended_ns[index] = now;
    if (freeze(c, index, SCHED_MS_SUSPENDED, is_suspended, now) < 0)
        return -1;
    if (is_suspended && ms->drops_suspended) {
        sched_ms_flush(&c->sched, &ms->sched, DROP_SUSPENDED);
        context_busy_remove(c, ms);
    }
    return 0;
}

int context_ms_lost(struct context *c, uint32_t index, bool is_lost, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (ms && !is_lost)
        ms->heard_ticks = ms_ticks(now);
    return freeze(c, index, SCHED_MS_LOST, is_lost, now);
}

static bool is_data_sapi(uint8_t sapi)
{
    return ms_sapi_index(sapi) >= 0 && sapi != LLC_SAPI_GMM && sapi != LLC_SAPI_SMS;
}

static bool is_pfi_or_none(uint8_t pfi)
{
    return pfi == N_PDU_NO_PFI || context_pfi_is_valid(pfi);
}

int context_pdp_add(struct context *c, uint32_t index, const struct pdp_params *params)
{
    if (index >= c->limits.pdps || c->pdps[index].in_use)
        return -1;
    if (params->ms >= c->limits.mobiles || !c->mobiles[params->ms].in_use)
        return -1;
    if (params->nsapi < SNDCP_NSAPI_MIN || params->nsapi > SNDCP_NSAPI_MAX || !is_data_sapi(params->sapi) ||
        !is_pfi_or_none(params->pfi))
        return -1;
    struct ms *ms = &c->mobiles[params->ms];
    if (ms_pdp(ms, params->nsapi) != MS_PDP_NONE)
        return -1;
    struct pdp *pdp = &c->pdps[index];
    *pdp = (struct pdp){.params = *params, .generation = pdp->generation + 1, .in_use = true};
    ms->pdp[params->nsapi - MS_NSAPI_MIN] = index;
    return 0;
}

int context_pdp_del(struct context *c, uint32_t index, int64_t now)
{
    if (index >= c->limits.pdps || !c->pdps[index].in_use)
        return -1;
    struct pdp *pdp = &c->pdps[index];
    struct ms *ms = &c->mobiles[pdp->params.ms];
    sched_ms_remove_pdp(&c->sched, &ms->sched, index, now);
    ms->pdp[pdp->params.nsapi - MS_NSAPI_MIN] = MS_PDP_NONE;
    pdp->in_use = false;
    return 0;
}

int context_pdp_pfi(struct context *c, uint32_t index, uint8_t pfi)
{
    if (index >= c->limits.pdps || !c->pdps[index].in_use || !is_pfi_or_none(pfi))
        return -1;
    c->pdps[index].params.pfi = pfi;
    return 0;
}

int context_pdp_qclass(struct context *c, uint32_t index, uint8_t qclass)
{
    if (index >= c->limits.pdps || !c->pdps[index].in_use || qclass >= QCLASS_COUNT)
        return -1;
    c->pdps[index].params.qclass = qclass;
    return 0;
}

void context_ms_attend(struct context *c, struct ms *ms)
{
    context_catch_up(c, ms);
    context_busy_add(c, ms);
}

uint64_t context_queued_pkts(const struct context *c)
{
    return c->sched.pkts;
}

#define CENTISECOND_NS    (MOMENT_SECOND / 100)
#define RATIO_MAX_PERCENT 255

static bool context_flow_is_valid(const struct gb_flow *flow)
{
    return flow->bucket_octets <= BUCKET_MAX_OCTETS && flow->rate_bps <= BUCKET_MAX_RATE_BPS &&
           flow->ms_bucket_octets <= BUCKET_MAX_OCTETS && flow->ms_rate_bps <= BUCKET_MAX_RATE_BPS &&
           flow->ratio_percent <= RATIO_MAX_PERCENT;
}

/* New parameters from now on; the ratio is relative to the announced Bmax. */
static void context_set_bucket(struct bucket *bucket, const struct gb_flow *flow, uint64_t octets,
                               uint64_t rate_bps, int64_t now)
{
    if (flow->ratio_percent >= 0) {
        bucket_set(bucket, flow->bucket_octets, rate_bps, now);
        bucket_set_ratio(bucket, (uint32_t)flow->ratio_percent, now);
    }
    bucket_set(bucket, octets, rate_bps, now);
}

/* --- defaults of a cell --- */

static uint64_t octets_of_ms(const struct context *c, const struct ms *ms, uint64_t announced_octets,
                             uint64_t rate_bps)
{
    return gb_policy_ms_octets(&c->bvcs[ms->bvc].policy, announced_octets, rate_bps, ms_largest_pdu(ms));
}

/* A mobile that is new in its cell, or whose own announcement ended, follows the defaults from now on; its
 * level stays. */
static void context_follow_defaults(struct context *c, struct ms *ms, int64_t now)
{
    const struct defaults *d = &c->bvcs[ms->bvc].defaults;
    ms->own_flow = false;
    ms->epoch = d->epoch;
    ms->offset_nbit = d->offset_nbit;
    bucket_set(&ms->sched.bucket, octets_of_ms(c, ms, d->max_octets, d->rate_bps), d->rate_bps, now);
    sched_ms_rate_set(&ms->sched);
}

/* Brings a mobile's bucket to its state at the last change of the defaults that it follows, if that is
 * later. */
static void context_catch_up(struct context *c, struct ms *ms)
{
    const struct defaults *d = &c->bvcs[ms->bvc].defaults;
    if (ms->own_flow || ms->epoch == d->epoch)
        return;
    defaults_leak(d, &ms->sched.bucket, ms->offset_nbit);
    context_follow_defaults(c, ms, d->since_ns);
}

const struct bucket *context_ms_bucket(struct context *c, struct ms *ms)
{
    context_catch_up(c, ms);
    return &ms->sched.bucket;
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
            context_catch_up(c, ms);
            sched_ms_changed(&c->sched, &ms->sched, now);
        }
    }
}

/* --- cells --- */

void context_bvc_refresh(struct context *c, struct gb_bvc *bvc)
{
    sched_bvc_use(&c->sched, &bvc->sched, bvc->unblocked && bvc->flow_known && c->nses[bvc->nse].weight > 0);
}

int context_bvc_reset(struct context *c, uint16_t index, int64_t now)
{
    struct gb_bvc *bvc = context_bvc_at(c, index);
    if (!bvc)
        return -1;
    bvc->unblocked = bvc->flow_known = false;
    bvc->announced = (struct gb_flow){.ratio_percent = -1};
    context_bvc_refresh(c, bvc);
    bucket_init(&bvc->sched.bucket, 0, 0, now);
    defaults_set(&bvc->defaults, 0, 0, now);
    for (uint32_t i = bvc->ms_head; i != MS_NONE; i = c->mobiles[i].in_bvc.next) {
        struct ms *ms = &c->mobiles[i];
        sched_ms_flush(&c->sched, &ms->sched, DROP_BVC_RESET);
        context_busy_remove(c, ms);
        bucket_init(&ms->sched.bucket, 0, 0, now);
        context_follow_defaults(c, ms, now);
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

/* Sets Bmax and R of the cell and of its mobiles by announcement and policy. */
static void set_params(struct context *c, struct gb_bvc *bvc, int64_t now)
{
    const struct gb_flow *flow = &bvc->announced;
    uint64_t rate_bps = gb_policy_bvc_rate(&bvc->policy, flow->rate_bps);
    uint64_t ms_rate_bps = gb_policy_rate(&bvc->policy, flow->ms_rate_bps);
    uint64_t octets = gb_policy_bvc_octets(&bvc->policy, flow->bucket_octets, rate_bps, ms_rate_bps);

    context_set_bucket(&bvc->sched.bucket, flow, octets, rate_bps, now);
    if (defaults_set(&bvc->defaults, flow->ms_bucket_octets, ms_rate_bps, now))
        tell_busy(c, bvc, now);
}

/* With a target, a measured delay gives the octets queued in the BSS; if it is not 0, the octets on the air
 * are added. At most the announced Bmax. */
static void believe_delay(struct gb_bvc *bvc, const struct gb_flow *flow, int64_t now)
{
    struct bucket *bucket = &bvc->sched.bucket;
    if (!flow->has_delay || flow->delay_cs == GB_DELAY_INFINITE || flow->ratio_percent >= 0 ||
        bvc->policy.bss_target_ns == 0)
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
    if (!bvc || !context_flow_is_valid(flow))
        return -1;
    bvc->announced = *flow;
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
    set_params(c, bvc, now);
    defaults_renew(&bvc->defaults, now); /* caps may have changed though the defaults are the same */
    tell_busy(c, bvc, now);
    sched_bvc_changed(&c->sched, &bvc->sched);
    return 0;
}

/* --- mobiles --- */

int context_ms_flow(struct context *c, uint32_t index, const struct gb_flow *flow, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !context_flow_is_valid(flow))
        return -1;
    uint64_t rate_bps = gb_policy_rate(&c->bvcs[ms->bvc].policy, flow->rate_bps);

    context_catch_up(c, ms);
    ms->own_flow = true;
    ms->own = (struct ms_own_flow){.octets = flow->bucket_octets, .rate_bps = flow->rate_bps};
    context_set_bucket(&ms->sched.bucket, flow, octets_of_ms(c, ms, flow->bucket_octets, rate_bps), rate_bps,
                       now);
    sched_ms_changed(&c->sched, &ms->sched, now);
    return 0;
}

int context_ms_defaults(struct context *c, uint32_t index, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms)
        return -1;
    context_catch_up(c, ms);
    context_follow_defaults(c, ms, now);
    sched_ms_changed(&c->sched, &ms->sched, now);
    return 0;
}

int context_ms_n201_u(struct context *c, uint32_t index, uint32_t octets, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !ms_can_n201_u(octets))
        return -1;
    context_catch_up(c, ms);
    ms->sched.n201_u = (uint16_t)octets;
    uint64_t announced_octets = ms->own_flow ? ms->own.octets : c->bvcs[ms->bvc].defaults.max_octets;
    struct bucket *bucket = &ms->sched.bucket;
    bucket_set(bucket, octets_of_ms(c, ms, announced_octets, bucket->rate_bps), bucket->rate_bps, now);
    sched_ms_changed(&c->sched, &ms->sched, now);
    return 0;
}

bool context_ms_can_signal(struct context *c, struct ms *ms, uint32_t octets, int64_t now)
{
    context_catch_up(c, ms);
    return sched_ms_can_signal(&ms->sched, octets, now);
}

void context_ms_signal(struct ms *ms, uint32_t octets, int64_t now)
{
    sched_ms_signal(&ms->sched, octets, now);
}

/* --- corrections --- */

static void discard_of_bvc(struct context *c, struct gb_bvc *bvc, uint64_t octets, int64_t now)
{
    bucket_discard(&bvc->sched.bucket, octets, now);
    sched_bvc_changed(&c->sched, &bvc->sched);
}

static void discard_of_ms(struct context *c, struct ms *ms, const struct gb_discard *discard, int64_t now)
{
    context_catch_up(c, ms);
    bucket_discard(&ms->sched.bucket, discard->octets, now);
    struct sched_extra *pfc = sched_pfc_get(&c->sched, &ms->sched, discard->pfi);
    if (pfc && pfc->has_bucket) {
        bucket_discard(&pfc->bucket, discard->octets, now);
        sched_pfc_changed(&c->sched, pfc, now);
    }
    sched_ms_changed(&c->sched, &ms->sched, now);
}

int context_discarded(struct context *c, const struct gb_discard *discard, int64_t now)
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
static void context_ms_fill(struct context *c, struct gb_bvc *bvc, struct ms *ms, uint32_t octets,
                            int64_t now)
{
    bucket_take(&bvc->sched.bucket, octets, now);
    if (!ms || ms->sched.bvc != &bvc->sched)
        return;
    context_catch_up(c, ms);
    bucket_take(&ms->sched.bucket, octets, now);
    sched_ms_changed(&c->sched, &ms->sched, now);
}

int context_flushed(struct context *c, const struct gb_flush *flush, int64_t now)
{
    struct gb_bvc *from = flush->from == GB_BVC_NONE ? NULL : context_bvc_at(c, flush->from);
    struct gb_bvc *to = flush->to == GB_BVC_NONE ? NULL : context_bvc_at(c, flush->to);
    if ((!from && flush->from != GB_BVC_NONE) || (!to && flush->to != GB_BVC_NONE) ||
        flush->octets > UINT32_MAX)
        return -1;
    if (from)
        discard_of_bvc(c, from, flush->octets, now);
    if (to)
        context_ms_fill(c, to, context_ms_at(c, flush->ms), (uint32_t)flush->octets, now);
    return 0;
}

enum { PFI_PREDEFINED_MAX = 3, PFI_DYNAMIC_MIN = 8, PFI_MAX = 127 };

static bool context_pfi_is_valid(uint8_t pfi)
{
    return pfi <= PFI_PREDEFINED_MAX || (pfi >= PFI_DYNAMIC_MIN && pfi <= PFI_MAX);
}

int context_pfc_add(struct context *c, uint32_t index, uint8_t pfi, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !context_pfi_is_valid(pfi))
        return -1;
    return sched_pfc_add(&c->sched, &ms->sched, pfi, now);
}

int context_pfc_flow(struct context *c, uint32_t index, uint8_t pfi, const struct gb_flow *flow, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !context_flow_is_valid(flow))
        return -1;
    struct sched_extra *pfc = sched_pfc_get(&c->sched, &ms->sched, pfi);
    if (!pfc && pfi <= PFI_PREDEFINED_MAX && sched_pfc_add(&c->sched, &ms->sched, pfi, now) == 0)
        pfc = sched_pfc_get(&c->sched, &ms->sched, pfi);
    if (!pfc)
        return -1;
    uint64_t rate_bps = gb_policy_rate(&c->bvcs[ms->bvc].policy, flow->rate_bps);
    /* Before its first parameters a packet flow has no bucket, so nothing has been charged. */
    if (!pfc->has_bucket)
        bucket_init(&pfc->bucket, 0, 0, now);
    context_set_bucket(&pfc->bucket, flow, flow->bucket_octets, rate_bps, now);
    sched_pfc_changed(&c->sched, pfc, now);
    return 0;
}

int context_pfc_del(struct context *c, uint32_t index, uint8_t pfi, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !sched_pfc_get(&c->sched, &ms->sched, pfi))
        return -1;
    sched_pfc_del(&c->sched, &ms->sched, pfi, now);
    return 0;
}
