/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles of a worker's context: added, moved, limited, deleted; their buckets. */
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/context.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/flow.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <string.h>

/* --- defaults of a cell --- */

static uint64_t octets_of_ms(const struct context *c, const struct ms *ms, uint64_t announced_octets,
                             uint64_t rate_bps)
{
    return gb_policy_ms_octets(&c->bvcs[ms->bvc].policy, announced_octets, rate_bps, ms_largest_pdu(ms));
}

void context_ms_follow(struct context *c, struct ms *ms, int64_t now)
{
    const struct defaults *d = &c->bvcs[ms->bvc].defaults;
    if (ms->own_flow)
        th_stop(&c->ths, (uint32_t)(ms - c->mobiles));
    ms->own_flow = false;
    ms->epoch = d->epoch;
    ms->offset_nbit = d->offset_nbit;
    bucket_set(&ms->sched.bucket, octets_of_ms(c, ms, d->max_octets, d->rate_bps), d->rate_bps, now);
    sched_ms_rate_set(&ms->sched);
}

void context_ms_catch_up(struct context *c, struct ms *ms)
{
    const struct defaults *d = &c->bvcs[ms->bvc].defaults;
    if (ms->own_flow || ms->epoch == d->epoch)
        return;
    gb_defaults_leak(d, &ms->sched.bucket, ms->offset_nbit);
    context_ms_follow(c, ms, d->since_ns);
}

/* --- mobiles --- */

/* Whether a mobile's values fit the headers, and its segments their numbers. */
static bool can_be_framed(const struct ms_params *params)
{
    return ms_can_n201_u(params->n201_u) && params->imsi_octets <= MS_IMSI_OCTETS;
}

/* The N(U) of the frame by which control knows the mobile, as of any other UI frame. */
static void accept_first(struct ms *ms, const struct ms_params *params)
{
    int sapi = ms_sapi_index(params->first_sapi);
    if (sapi < 0)
        return;
    struct llc_entity *entity = &ms->llc[sapi];
    uint32_t count = llc_entity_count(entity, params->first_nu);
    if (params->first_sapi == LLC_SAPI_GMM && llc_entity_is_astray(entity, count))
        llc_entity_leave_last(entity);
    llc_entity_accept(entity, count);
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
    for (unsigned i = 0; i < MS_SAPIS; i++)
        ms->llc[i].vu = params->first_down[i];
    accept_first(ms, params);
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        ms->pdp[i] = MS_PDP_NONE;
    sched_ms_init(&ms->sched, &bvc->sched, now);
    ms->sched.limit_octets = params->queue_limit_octets;
    ms->sched.n201_u = params->n201_u;
    ms->sched.link_octets = ms_link_octets_with(params->link_octets, 0);
    context_ms_follow(c, ms, now);
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
    th_stop(&c->ths, index);
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
    c->are_elements_used |= ms->has_elements;
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
    ms->changed_cell = true;
    context_list_add(c, ms);
    if (was_busy)
        context_busy_add(c, ms);
    context_ms_follow(c, ms, now);
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

static void freeze(struct context *c, struct ms *ms, uint8_t flag, bool is_frozen, int64_t now)
{
    if (is_frozen)
        sched_ms_freeze(&c->sched, &ms->sched, flag);
    else
        sched_ms_thaw(&c->sched, &ms->sched, flag, now);
}

/* Whether N-PDUs of a mobile in SCHED_MS_SUSPENDED are dropped. */
static bool drops(const struct ms *ms)
{
    return ms->drops_suspended && (ms->stops & (MS_SUSPENDED | MS_HELD)) == MS_SUSPENDED;
}

int context_enqueue_stopped(struct context *c, struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    if (drops(ms))
        return DROP_SUSPENDED;
    if (!ms->is_busy)
        context_ms_attend(c, ms);
    if (c->sched.flow_sets.queues > 0)
        n_pdu->flow_hash = flow_hash_of(c->flow_salt, n_pdu->data, n_pdu->octets);
    if (ms->stops & MS_HELD)
        return sched_enqueue_held(&c->sched, &ms->sched, n_pdu, now);
    return sched_enqueue(&c->sched, &ms->sched, n_pdu, now);
}

int context_ms_stop(struct context *c, uint32_t index, enum ms_stop why, bool is_stopped, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms)
        return -1;
    bool was_stopped = ms->stops;
    ms->stops = (ms->stops & ~why) | (is_stopped ? why : 0);
    if (was_stopped && !ms->stops)
        sched_ms_spare(&c->sched, &ms->sched, c->suspended_ns[index], now);
    if (!was_stopped)
        c->suspended_ns[index] = now;
    freeze(c, ms, SCHED_MS_SUSPENDED, ms->stops, now);
    if (drops(ms)) {
        sched_ms_flush(&c->sched, &ms->sched, DROP_SUSPENDED);
        context_busy_remove(c, ms);
    }
    return 0;
}

int context_ms_lost(struct context *c, uint32_t index, bool is_lost, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms)
        return -1;
    if (!is_lost)
        ms->heard_ticks = ms_ticks(now);
    freeze(c, ms, SCHED_MS_LOST, is_lost, now);
    return 0;
}

void context_ms_attend(struct context *c, struct ms *ms)
{
    context_ms_catch_up(c, ms);
    context_busy_add(c, ms);
}

const struct bucket *context_ms_bucket(struct context *c, struct ms *ms)
{
    context_ms_catch_up(c, ms);
    return &ms->sched.bucket;
}

/* --- their flow control --- */

int context_ms_flow(struct context *c, uint32_t index, const struct gb_flow *flow, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !gb_flow_is_valid(flow))
        return -1;
    uint64_t rate_bps = gb_policy_rate(&c->bvcs[ms->bvc].policy, flow->rate_bps);

    context_ms_catch_up(c, ms);
    ms->own_flow = true;
    ms->own = (struct ms_own_flow){.octets = flow->bucket_octets, .rate_bps = flow->rate_bps};
    gb_flow_set(&ms->sched.bucket, flow, octets_of_ms(c, ms, flow->bucket_octets, rate_bps), rate_bps, now);
    if (flow->th_ns > 0)
        th_start(&c->ths, index, moment_add(now, flow->th_ns));
    sched_ms_changed(&c->sched, &ms->sched, now);
    return 0;
}

int context_ms_defaults(struct context *c, uint32_t index, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms)
        return -1;
    context_ms_catch_up(c, ms);
    context_ms_follow(c, ms, now);
    sched_ms_changed(&c->sched, &ms->sched, now);
    return 0;
}

unsigned context_ms_expire(struct context *c, int64_t now)
{
    unsigned count = 0;
    for (; c->ths.first_ns <= now; count++) {
        struct ms *ms = &c->mobiles[c->ths.first];
        context_ms_follow(c, ms, c->ths.first_ns); /* takes it off the list */
        sched_ms_changed(&c->sched, &ms->sched, now);
    }
    return count;
}

int context_ms_n201_u(struct context *c, uint32_t index, uint32_t octets, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !ms_can_n201_u(octets))
        return -1;
    context_ms_catch_up(c, ms);
    ms->sched.n201_u = (uint16_t)octets;
    uint64_t announced_octets = ms->own_flow ? ms->own.octets : c->bvcs[ms->bvc].defaults.max_octets;
    struct bucket *bucket = &ms->sched.bucket;
    bucket_set(bucket, octets_of_ms(c, ms, announced_octets, bucket->rate_bps), bucket->rate_bps, now);
    sched_ms_changed(&c->sched, &ms->sched, now);
    return 0;
}

bool context_ms_can_signal(struct context *c, struct ms *ms, uint32_t octets, int64_t now)
{
    context_ms_catch_up(c, ms);
    return sched_ms_can_signal(&ms->sched, octets, now);
}

void context_ms_signal(struct ms *ms, uint32_t octets, int64_t now)
{
    sched_ms_signal(&ms->sched, octets, now);
}

/* --- their packet flows --- */

enum { PFI_PREDEFINED_MAX = 3, PFI_DYNAMIC_MIN = 8, PFI_MAX = 127 };

bool context_ms_can_pfi(uint8_t pfi)
{
    return pfi <= PFI_PREDEFINED_MAX || (pfi >= PFI_DYNAMIC_MIN && pfi <= PFI_MAX);
}

bool context_ms_is_predefined(uint8_t pfi)
{
    return pfi <= PFI_PREDEFINED_MAX;
}

/* Its contexts' later N-PDUs belong to no packet flow. */
static void leave_pfc(struct context *c, struct ms *ms, uint8_t pfi)
{
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        if (ms->pdp[i] != MS_PDP_NONE && c->pdps[ms->pdp[i]].params.pfi == pfi)
            c->pdps[ms->pdp[i]].params.pfi = N_PDU_NO_PFI;
}

int context_ms_pfc_add(struct context *c, uint32_t index, uint8_t pfi, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !context_ms_can_pfi(pfi))
        return -1;
    return sched_pfc_add(&c->sched, &ms->sched, pfi, now);
}

int context_ms_pfc_flow(struct context *c, uint32_t index, uint8_t pfi, const struct gb_flow *flow,
                        int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !gb_flow_is_valid(flow))
        return -1;
    struct sched_extra *pfc = sched_pfc_get(&c->sched, &ms->sched, pfi);
    if (!pfc && context_ms_is_predefined(pfi) && sched_pfc_add(&c->sched, &ms->sched, pfi, now) == 0)
        pfc = sched_pfc_get(&c->sched, &ms->sched, pfi);
    if (!pfc) {
        leave_pfc(c, ms, pfi);
        return -1;
    }
    uint64_t rate_bps = gb_policy_rate(&c->bvcs[ms->bvc].policy, flow->rate_bps);
    /* Before its first parameters a packet flow has no bucket, so nothing has been charged. */
    if (!pfc->has_bucket)
        bucket_init(&pfc->bucket, 0, 0, now);
    gb_flow_set(&pfc->bucket, flow, flow->bucket_octets, rate_bps, now);
    sched_pfc_changed(&c->sched, pfc, now);
    return 0;
}

int context_ms_pfc_del(struct context *c, uint32_t index, uint8_t pfi, int64_t now)
{
    struct ms *ms = context_ms_at(c, index);
    if (!ms || !sched_pfc_get(&c->sched, &ms->sched, pfi))
        return -1;
    sched_pfc_del(&c->sched, &ms->sched, pfi, now);
    return 0;
}
