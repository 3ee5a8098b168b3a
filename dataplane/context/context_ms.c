/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context.h"

#include "dataplane/base/drop.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <string.h>

static void link_to_bvc(struct context *c, uint32_t index, struct gb_bvc *bvc)
{
    struct ms *ms = &c->mobiles[index];
    ms->prev_in_bvc = MS_NONE;
    ms->next_in_bvc = bvc->ms_head;
    if (bvc->ms_head != MS_NONE)
        c->mobiles[bvc->ms_head].prev_in_bvc = index;
    bvc->ms_head = index;
}

static void unlink_from_bvc(struct context *c, const struct ms *ms)
{
    if (ms->prev_in_bvc != MS_NONE)
        c->mobiles[ms->prev_in_bvc].next_in_bvc = ms->next_in_bvc;
    else
        c->bvcs[ms->bvc].ms_head = ms->next_in_bvc;
    if (ms->next_in_bvc != MS_NONE)
        c->mobiles[ms->next_in_bvc].prev_in_bvc = ms->prev_in_bvc;
}

/* Whether headers have room for what stands in them, and segments their numbers. */
static bool can_be_framed(const struct ms_params *params)
{
    return params->n201_u >= SNDCP_N201_U_MIN_OCTETS && params->n201_u <= SNDCP_N201_U_MAX_OCTETS &&
           params->imsi_octets <= MS_IMSI_OCTETS;
}

int context_ms_add(struct context *c, uint32_t index, const struct ms_params *params, int64_t now)
{
    if (index >= c->limits.mobiles || c->mobiles[index].in_use)
        return -1;
    if (params->bvc >= c->limits.bvcs || !c->bvcs[params->bvc].in_use || !can_be_framed(params))
        return -1;
    struct ms *ms = &c->mobiles[index];
    struct gb_bvc *bvc = &c->bvcs[params->bvc];
    *ms = (struct ms){.tlli = params->tlli, .bvc = params->bvc, .in_use = true, .n201_u = params->n201_u};
    ms->imsi_octets = params->imsi_octets;
    memcpy(ms->imsi, params->imsi, MS_IMSI_OCTETS);
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        ms->pdp[i] = MS_PDP_NONE;
    sched_ms_init(&ms->sched, &bvc->sched, now);
    bucket_set(&ms->sched.bucket, bvc->ms_octets, bvc->ms_rate_bps, now);
    ms->sched.queue.limit_octets = params->queue_limit_octets;
    ms->sched.queue.segmenting = ms_segmenting(params->n201_u);
    ms->sched.queue.max_age_ns = lifetime_max_age_ns(&c->lifetime);
    link_to_bvc(c, index, bvc);
    return 0;
}

int context_ms_del(struct context *c, uint32_t index)
{
    if (index >= c->limits.mobiles || !c->mobiles[index].in_use)
        return -1;
    struct ms *ms = &c->mobiles[index];
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        if (ms->pdp[i] != MS_PDP_NONE)
            c->pdps[ms->pdp[i]].in_use = false;
    sched_ms_flush(&c->sched, &ms->sched, DROP_CONTEXT_DELETED);
    unlink_from_bvc(c, ms);
    ms->in_use = false;
    return 0;
}

static bool is_data_sapi(uint8_t sapi)
{
    return ms_sapi_index(sapi) >= 0 && sapi != LLC_SAPI_GMM && sapi != LLC_SAPI_SMS;
}

int context_pdp_add(struct context *c, uint32_t index, const struct pdp_params *params)
{
    if (index >= c->limits.pdps || c->pdps[index].in_use)
        return -1;
    if (params->ms >= c->limits.mobiles || !c->mobiles[params->ms].in_use)
        return -1;
    if (params->nsapi < SNDCP_NSAPI_MIN || params->nsapi > SNDCP_NSAPI_MAX || !is_data_sapi(params->sapi))
        return -1;
    struct ms *ms = &c->mobiles[params->ms];
    if (ms->pdp[params->nsapi] != MS_PDP_NONE)
        return -1;
    struct pdp *pdp = &c->pdps[index];
    *pdp = (struct pdp){.params = *params, .generation = pdp->generation + 1, .in_use = true};
    ms->pdp[params->nsapi] = index;
    return 0;
}

int context_pdp_del(struct context *c, uint32_t index)
{
    if (index >= c->limits.pdps || !c->pdps[index].in_use)
        return -1;
    struct pdp *pdp = &c->pdps[index];
    struct ms *ms = &c->mobiles[pdp->params.ms];
    sched_remove_pdp(&c->sched, &ms->sched, index);
    ms->pdp[pdp->params.nsapi] = MS_PDP_NONE;
    pdp->in_use = false;
    return 0;
}

uint64_t context_queued_pkts(const struct context *c)
{
    uint64_t pkts = 0;
    for (uint32_t i = 0; i < c->limits.mobiles; i++)
        if (c->mobiles[i].in_use)
            pkts += c->mobiles[i].sched.queue.pkts;
    return pkts;
}
