/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context_pdp.h"
#include "dataplane/context/context_ms.h"

#include "dataplane/sched/flow.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

static bool is_data_sapi(uint8_t sapi)
{
    return ms_sapi_index(sapi) >= 0 && sapi != LLC_SAPI_GMM && sapi != LLC_SAPI_SMS;
}

static bool is_pfi_or_none(uint8_t pfi)
{
    return pfi == N_PDU_NO_PFI || context_ms_can_pfi(pfi);
}

/* The packet flow that the N-PDUs of a context name: none that has no bucket here. */
static uint8_t pfi_of(struct context *c, uint32_t ms, uint8_t pfi)
{
    bool is_known = context_ms_is_predefined(pfi) || sched_pfc_get(&c->sched, &c->mobiles[ms].sched, pfi);
    return is_known ? pfi : N_PDU_NO_PFI;
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
    pdp->params.pfi = pfi_of(c, params->ms, params->pfi);
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
    struct pdp_params *params = &c->pdps[index].params;
    params->pfi = pfi_of(c, params->ms, pfi);
    return 0;
}

int context_pdp_qclass(struct context *c, uint32_t index, uint8_t qclass)
{
    if (index >= c->limits.pdps || !c->pdps[index].in_use || qclass >= QCLASS_COUNT)
        return -1;
    c->pdps[index].params.qclass = qclass;
    return 0;
}
