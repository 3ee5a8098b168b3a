/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context.h"
#include "dataplane/context/context_parts.h"

enum { PFI_PREDEFINED_MAX = 3, PFI_DYNAMIC_MIN = 8, PFI_MAX = 127 };

bool context_pfi_is_valid(uint8_t pfi)
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
