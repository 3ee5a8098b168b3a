/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/drop.h"
#include "dataplane/context/context_parts.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <string.h>

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
    *ms = (struct ms){.tlli = params->tlli, .bvc = params->bvc, .in_use = true, .heard_ticks = ms_ticks(now)};
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

int context_ms_elements(struct context *c, uint32_t index, const struct bssgp_elements *elements)
{
    struct ms *ms = context_ms_at(c, index);
    unsigned octets = bssgp_elements_octets(elements);
    if (!ms || (octets > 0 && !c->elements) || octets > BSSGP_ELEMENTS_OCTETS)
        return -1;
    const struct bssgp_elements *before = context_elements_of(c, ms);
    int more = (int)octets - (before ? (int)bssgp_elements_octets(before) : 0);
    unsigned old = ms->tells_tlli_old ? BSSGP_DL_TLLI_OLD_OCTETS : 0;
    ms->sched.link_octets =
        (uint8_t)(ms_link_octets_with((uint8_t)(ms->sched.link_octets - old), more) + old);
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
    return freeze(c, index, SCHED_MS_SUSPENDED, is_suspended, now);
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
