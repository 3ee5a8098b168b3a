/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context.h"

#include "dataplane/base/drop.h"

static struct gb_bvc *bvc_at(struct context *c, uint16_t index)
{
    return index < c->limits.bvcs && c->bvcs[index].in_use ? &c->bvcs[index] : NULL;
}

static struct ms *ms_at(struct context *c, uint32_t index)
{
    return index < c->limits.mobiles && c->mobiles[index].in_use ? &c->mobiles[index] : NULL;
}

void context_bvc_refresh(struct context *c, struct gb_bvc *bvc)
{
    bool usable = bvc->unblocked && bvc->flow_known && context_nsvc_for(c, bvc, 0) >= 0;
    if (usable != bvc->sched.usable)
        sched_bvc_use(&c->sched, &bvc->sched, usable);
}

static void set_params(struct context *c, struct ms *ms, uint64_t octets, uint64_t rate_bps, int64_t now)
{
    struct bucket *bucket = &ms->sched.bucket;
    if (bucket->max_octets == octets && bucket->rate_bps == rate_bps)
        return;
    bucket_set(bucket, octets, rate_bps, now);
    sched_ms_changed(&c->sched, &ms->sched);
}

int context_bvc_reset(struct context *c, uint16_t index, int64_t now)
{
    struct gb_bvc *bvc = bvc_at(c, index);
    if (!bvc)
        return -1;
    bvc->unblocked = bvc->flow_known = false;
    bvc->ms_octets = bvc->ms_rate_bps = 0;
    context_bvc_refresh(c, bvc);
    bucket_init(&bvc->sched.bucket, 0, 0, now);
    for (uint32_t i = bvc->ms_head; i != MS_NONE; i = c->mobiles[i].next_in_bvc) {
        struct ms *ms = &c->mobiles[i];
        ms->own_flow = false;
        sched_ms_flush(&c->sched, &ms->sched, DROP_BVC_RESET);
        bucket_init(&ms->sched.bucket, 0, 0, now);
    }
    return 0;
}

int context_bvc_unblock(struct context *c, uint16_t index, bool unblocked)
{
    struct gb_bvc *bvc = bvc_at(c, index);
    if (!bvc)
        return -1;
    bvc->unblocked = unblocked;
    context_bvc_refresh(c, bvc);
    return 0;
}

int context_bvc_flow(struct context *c, uint16_t index, const struct gb_flow *flow, int64_t now)
{
    struct gb_bvc *bvc = bvc_at(c, index);
    if (!bvc)
        return -1;
    bucket_set(&bvc->sched.bucket, flow->bucket_octets, flow->rate_bps, now);
    if (flow->ratio_percent >= 0)
        bucket_set_ratio(&bvc->sched.bucket, (uint32_t)flow->ratio_percent, now);
    bvc->ms_octets = flow->ms_bucket_octets;
    bvc->ms_rate_bps = flow->ms_rate_bps;
    for (uint32_t i = bvc->ms_head; i != MS_NONE; i = c->mobiles[i].next_in_bvc)
        if (!c->mobiles[i].own_flow)
            set_params(c, &c->mobiles[i], bvc->ms_octets, bvc->ms_rate_bps, now);
    bvc->flow_known = true;
    context_bvc_refresh(c, bvc);
    sched_bvc_changed(&c->sched, &bvc->sched);
    return 0;
}

int context_ms_flow(struct context *c, uint32_t index, const struct gb_flow *flow, int64_t now)
{
    struct ms *ms = ms_at(c, index);
    if (!ms)
        return -1;
    ms->own_flow = true;
    bucket_set(&ms->sched.bucket, flow->bucket_octets, flow->rate_bps, now);
    if (flow->ratio_percent >= 0)
        bucket_set_ratio(&ms->sched.bucket, (uint32_t)flow->ratio_percent, now);
    sched_ms_changed(&c->sched, &ms->sched);
    return 0;
}

int context_ms_defaults(struct context *c, uint32_t index, int64_t now)
{
    struct ms *ms = ms_at(c, index);
    if (!ms)
        return -1;
    ms->own_flow = false;
    set_params(c, ms, c->bvcs[ms->bvc].ms_octets, c->bvcs[ms->bvc].ms_rate_bps, now);
    return 0;
}

int context_ms_discarded(struct context *c, uint32_t index, uint64_t octets, int64_t now)
{
    struct ms *ms = ms_at(c, index);
    if (!ms)
        return -1;
    struct gb_bvc *bvc = &c->bvcs[ms->bvc];
    bucket_discard(&ms->sched.bucket, octets, now);
    bucket_discard(&bvc->sched.bucket, octets, now);
    sched_ms_changed(&c->sched, &ms->sched);
    sched_bvc_changed(&c->sched, &bvc->sched);
    return 0;
}
