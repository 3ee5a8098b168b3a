/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/aqm.h"

void context_policy_default(struct context_policy *policy)
{
    *policy = (struct context_policy){
        .lifetime = {.mode = LIFETIME_SGSN_ONLY, .sgsn_max_ns = MOMENT_NEVER, .bss_max_ns = MOMENT_NEVER},
        .unitdata = {.tells_tlli_old = true},
    };
    sched_params_default(&policy->sched);
    gb_policy_default(&policy->gb);
}

static size_t octets_of(uint32_t count, size_t octets)
{
    return count * octets;
}

static void place_aqm(struct context *c)
{
    const struct sched_aqm_owners owners = {
        .mobiles = &c->mobiles->sched,
        .bvcs = &c->bvcs->sched,
        .links = &c->nses->sched,
        .ms_octets = sizeof(*c->mobiles),
        .bvc_octets = sizeof(*c->bvcs),
        .link_octets = sizeof(*c->nses),
    };
    sched_aqm_place(&c->sched, &owners);
}

static uint16_t ready_ticks(int64_t ready_ns)
{
    return ms_ticks(ready_ns + (INT64_C(1) << MS_TICK_BITS) - 1);
}

bool context_new(struct context *c, const struct context_limits *limits, const struct context_policy *policy)
{
    struct sched_params params = policy->sched;
    const struct sched_counts counts = {.mobiles = limits->mobiles,
                                        .extras = limits->extra_flows,
                                        .bvcs = limits->bvcs,
                                        .links = limits->nses,
                                        .flow_sets = limits->flow_sets,
                                        .pkts = limits->npdus};

    *c = (struct context){.limits = *limits,
                          .lifetime = policy->lifetime,
                          .gb_policy = policy->gb,
                          .unitdata = policy->unitdata,
                          .ready_ticks = ready_ticks(policy->ready_ns),
                          .flow_salt = policy->flow_salt};
    params.max_age_ns = lifetime_max_age_ns(&policy->lifetime);
    params.segmenting = ms_segmenting();
    c->nses = bigmem_new(octets_of(limits->nses, sizeof(*c->nses)));
    c->nsvcs = bigmem_new(octets_of(limits->nsvcs, sizeof(*c->nsvcs)));
    c->bvcs = bigmem_new(octets_of(limits->bvcs, sizeof(*c->bvcs)));
    c->counts = bigmem_new(octets_of(limits->bvcs, QCLASS_COUNT * sizeof(*c->counts)));
    c->mobiles = bigmem_new(octets_of(limits->mobiles, sizeof(*c->mobiles)));
    c->pdps = bigmem_new(octets_of(limits->pdps, sizeof(*c->pdps)));
    if (limits->has_elements)
        c->elements = bigmem_new(octets_of(limits->mobiles, sizeof(*c->elements)));
    if (c->nses && c->nsvcs && c->bvcs && c->counts && c->mobiles && c->pdps &&
        (c->elements || !limits->has_elements) && sched_new(&c->sched, &counts, &params)) {
        place_aqm(c);
        return true;
    }
    context_free(c);
    return false;
}

void context_free(struct context *c)
{
    sched_free(&c->sched);
    bigmem_free(c->nses, octets_of(c->limits.nses, sizeof(*c->nses)));
    bigmem_free(c->nsvcs, octets_of(c->limits.nsvcs, sizeof(*c->nsvcs)));
    bigmem_free(c->bvcs, octets_of(c->limits.bvcs, sizeof(*c->bvcs)));
    bigmem_free(c->counts, octets_of(c->limits.bvcs, QCLASS_COUNT * sizeof(*c->counts)));
    bigmem_free(c->mobiles, octets_of(c->limits.mobiles, sizeof(*c->mobiles)));
    bigmem_free(c->pdps, octets_of(c->limits.pdps, sizeof(*c->pdps)));
    bigmem_free(c->elements, octets_of(c->limits.mobiles, sizeof(*c->elements)));
    *c = (struct context){0};
}

void context_lifetime(struct context *c, const struct lifetime *lifetime)
{
    c->lifetime = *lifetime;
    sched_set_age(&c->sched, lifetime_max_age_ns(lifetime));
}

int context_ready(struct context *c, int64_t ready_ns)
{
    if (ready_ns < 0 || ready_ns > CONTEXT_MAX_READY_NS)
        return -1;
    c->ready_ticks = ready_ticks(ready_ns);
    return 0;
}
