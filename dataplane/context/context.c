/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/sched.h"

#include <string.h>

/* The entry in use at an index, or NULL. */
static inline struct gb_nse *context_nse_at(struct context *c, uint16_t index)
{
    return index < c->limits.nses && c->nses[index].in_use ? &c->nses[index] : NULL;
}

void context_policy_default(struct context_policy *policy)
{
    *policy = (struct context_policy){
        .lifetime = {.mode = LIFETIME_SGSN_ONLY, .sgsn_max_ns = MOMENT_NEVER, .bss_max_ns = MOMENT_NEVER},
        .unitdata = {.tells_tlli_old = true},
    };
    sched_params_default(&policy->sched);
    gb_policy_default(&policy->gb);
}

static size_t context_octets_of(uint32_t count, size_t octets)
{
    return count * octets;
}

static struct sched_aqm_owners owners_of(const struct context *c)
{
    return (struct sched_aqm_owners){
        .mobiles = &c->mobiles->sched,
        .bvcs = &c->bvcs->sched,
        .links = &c->nses->sched,
        .ms_octets = sizeof(*c->mobiles),
        .bvc_octets = sizeof(*c->bvcs),
        .link_octets = sizeof(*c->nses),
    };
}

static void place_aqm(struct context *c)
{
    const struct sched_aqm_owners owners = owners_of(c);
    sched_aqm_place(&c->sched, &owners);
}

void context_aqm(struct context *c, struct sched_aqm **aqm, int64_t now)
{
    const struct sched_aqm_owners owners = owners_of(c);
    sched_aqm_exchange(&c->sched, aqm, &owners, now);
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
    params.segmenting = ms_segmenting(false);
    params.acknowledged = ms_segmenting(true);
    c->nses = bigmem_new(context_octets_of(limits->nses, sizeof(*c->nses)));
    c->nsvcs = bigmem_new(context_octets_of(limits->nsvcs, sizeof(*c->nsvcs)));
    c->bvcs = bigmem_new(context_octets_of(limits->bvcs, sizeof(*c->bvcs)));
    c->counts = bigmem_new(context_octets_of(limits->bvcs, QCLASS_COUNT * sizeof(*c->counts)));
    c->mobiles = bigmem_new(context_octets_of(limits->mobiles, sizeof(*c->mobiles)));
    c->suspended_ns = bigmem_new(context_octets_of(limits->mobiles, sizeof(*c->suspended_ns)));
    bool has_ths = th_new(&c->ths, limits->mobiles);
    c->pdps = bigmem_new(context_octets_of(limits->pdps, sizeof(*c->pdps)));
    if (limits->has_elements)
        c->elements = bigmem_new(context_octets_of(limits->mobiles, sizeof(*c->elements)));
    if (limits->has_volumes)
        c->volumes = bigmem_new(context_octets_of(limits->pdps, sizeof(*c->volumes)));
    if (c->nses && c->nsvcs && c->bvcs && c->counts && c->mobiles && c->suspended_ns && has_ths && c->pdps &&
        (c->elements || !limits->has_elements) && (c->volumes || !limits->has_volumes) &&
        sched_new(&c->sched, &counts, &params)) {
        place_aqm(c);
        return true;
    }
    context_free(c);
    return false;
}

void context_free(struct context *c)
{
    sched_free(&c->sched);
    bigmem_free(c->nses, context_octets_of(c->limits.nses, sizeof(*c->nses)));
    bigmem_free(c->nsvcs, context_octets_of(c->limits.nsvcs, sizeof(*c->nsvcs)));
    bigmem_free(c->bvcs, context_octets_of(c->limits.bvcs, sizeof(*c->bvcs)));
    bigmem_free(c->counts, context_octets_of(c->limits.bvcs, QCLASS_COUNT * sizeof(*c->counts)));
    bigmem_free(c->mobiles, context_octets_of(c->limits.mobiles, sizeof(*c->mobiles)));
    bigmem_free(c->suspended_ns, context_octets_of(c->limits.mobiles, sizeof(*c->suspended_ns)));
    th_free(&c->ths, c->limits.mobiles);
    bigmem_free(c->pdps, context_octets_of(c->limits.pdps, sizeof(*c->pdps)));
    bigmem_free(c->volumes, context_octets_of(c->limits.pdps, sizeof(*c->volumes)));
    bigmem_free(c->elements, context_octets_of(c->limits.mobiles, sizeof(*c->elements)));
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

/* Selects a list by its link in struct ms. */
typedef struct ms_link *(*link_of)(struct ms *ms);

static struct ms_link *in_bvc(struct ms *ms)
{
    return &ms->in_bvc;
}

static struct ms_link *in_busy(struct ms *ms)
{
    return &ms->busy;
}

static inline void link_add(struct ms *mobiles, uint32_t *head, struct ms *ms, link_of link)
{
    uint32_t index = (uint32_t)(ms - mobiles);
    *link(ms) = (struct ms_link){.prev = MS_NONE, .next = *head};
    if (*head != MS_NONE)
        link(&mobiles[*head])->prev = index;
    *head = index;
}

static inline void link_take(struct ms *mobiles, uint32_t *head, struct ms *ms, link_of link)
{
    struct ms_link *own = link(ms);
    if (own->prev != MS_NONE)
        link(&mobiles[own->prev])->next = own->next;
    else
        *head = own->next;
    if (own->next != MS_NONE)
        link(&mobiles[own->next])->prev = own->prev;
}

void context_list_add(struct context *c, struct ms *ms)
{
    link_add(c->mobiles, &c->bvcs[ms->bvc].ms_head, ms, in_bvc);
}

void context_list_remove(struct context *c, struct ms *ms)
{
    link_take(c->mobiles, &c->bvcs[ms->bvc].ms_head, ms, in_bvc);
}

void context_busy_add(struct context *c, struct ms *ms)
{
    if (ms->is_busy)
        return;
    ms->is_busy = true;
    link_add(c->mobiles, &c->bvcs[ms->bvc].busy_head, ms, in_busy);
}

void context_busy_remove(struct context *c, struct ms *ms)
{
    if (!ms->is_busy)
        return;
    ms->is_busy = false;
    link_take(c->mobiles, &c->bvcs[ms->bvc].busy_head, ms, in_busy);
}

int context_nse_add(struct context *c, uint16_t index, uint16_t nsei, int64_t now)
{
    if (index >= c->limits.nses || c->nses[index].in_use)
        return -1;
    c->nses[index] = (struct gb_nse){.nsei = nsei, .in_use = true};
    sched_link_init(&c->nses[index].sched, now);
    return 0;
}

bool context_nse_has_cells(const struct context *c, uint16_t index)
{
    for (uint32_t i = 0; i < c->limits.bvcs; i++)
        if (c->bvcs[i].in_use && c->bvcs[i].nse == index)
            return true;
    return false;
}

int context_nse_del(struct context *c, uint16_t index)
{
    struct gb_nse *nse = context_nse_at(c, index);
    if (!nse || nse->nsvc_count > 0 || context_nse_has_cells(c, index))
        return -1;
    sched_link_fini(&c->sched, &nse->sched);
    nse->in_use = false;
    return 0;
}

/* Whether signalling has a share of 1 bit/s to 100 percent. */
static bool is_shared(const struct sched_link_rate *rate)
{
    return rate->signalling_percent <= 100 && rate->rate_bps * rate->signalling_percent >= 100;
}

int context_nse_rate(struct context *c, uint16_t index, const struct sched_link_rate *rate, int64_t now)
{
    struct gb_nse *nse = context_nse_at(c, index);
    if (!nse || rate->rate_bps > CONTEXT_LINK_MAX_RATE_BPS || rate->max_octets > BUCKET_MAX_OCTETS ||
        (rate->rate_bps > 0 && !is_shared(rate)))
        return -1;
    sched_link_set(&c->sched, &nse->sched, rate, now);
    nse->signal_ns = now;
    return 0;
}

int context_nse_frame(struct context *c, uint16_t index, struct sched_link_frame frame)
{
    struct gb_nse *nse = context_nse_at(c, index);
    if (!nse)
        return -1;
    sched_link_set_frame(&c->sched, &nse->sched, frame);
    return 0;
}

/* --- NS-VCs --- */

static struct gb_nsvc *nsvc_at(struct context *c, uint16_t index)
{
    return index < c->limits.nsvcs && c->nsvcs[index].in_use ? &c->nsvcs[index] : NULL;
}

/* Recomputes the shares of an NSE's NS-VCs; its cells may send while one is usable. */
static void deal_shares(struct context *c, struct gb_nse *nse)
{
    bool was_up = nse->weight > 0;
    nse->weight = 0;
    nse->is_even = true;
    for (unsigned i = 0; i < nse->nsvc_count; i++) {
        const struct gb_nsvc *nsvc = &c->nsvcs[nse->nsvc[i]];
        nse->share[i] = nsvc->usable ? nsvc->params.data_weight : 0;
        nse->weight += nse->share[i];
        nse->is_even = nse->is_even && nse->share[i] == 1;
    }
    if (was_up == (nse->weight > 0))
        return;
    for (uint32_t i = 0; i < c->limits.bvcs; i++)
        if (c->bvcs[i].in_use && &c->nses[c->bvcs[i].nse] == nse)
            context_bvc_refresh(c, &c->bvcs[i]);
}

int context_nsvc_add(struct context *c, uint16_t index, const struct gb_nsvc *nsvc)
{
    struct gb_nse *nse = context_nse_at(c, nsvc->params.nse);
    if (index >= c->limits.nsvcs || c->nsvcs[index].in_use || !nse || nse->nsvc_count == GB_NSE_NSVCS)
        return -1;
    nse->nsvc[nse->nsvc_count++] = index;
    c->nsvcs[index] = *nsvc;
    c->nsvcs[index].in_use = true;
    c->nsvcs[index].usable = false;
    deal_shares(c, nse);
    return 0;
}

int context_nsvc_del(struct context *c, uint16_t index)
{
    struct gb_nsvc *nsvc = nsvc_at(c, index);
    unsigned kept = 0;
    if (!nsvc)
        return -1;
    struct gb_nse *nse = &c->nses[nsvc->params.nse];
    for (unsigned i = 0; i < nse->nsvc_count; i++)
        if (nse->nsvc[i] != index)
            nse->nsvc[kept++] = nse->nsvc[i];
    nse->nsvc_count = (uint8_t)kept;
    *nsvc = (struct gb_nsvc){.in_use = false};
    deal_shares(c, nse);
    return 0;
}

int context_nsvc_use(struct context *c, uint16_t index, bool usable)
{
    struct gb_nsvc *nsvc = nsvc_at(c, index);
    if (!nsvc)
        return -1;
    nsvc->usable = usable;
    deal_shares(c, &c->nses[nsvc->params.nse]);
    return 0;
}

int context_nsvc_weight(struct context *c, uint16_t index, uint8_t data_weight)
{
    struct gb_nsvc *nsvc = nsvc_at(c, index);
    if (!nsvc)
        return -1;
    nsvc->params.data_weight = data_weight;
    deal_shares(c, &c->nses[nsvc->params.nse]);
    return 0;
}

int context_nsvc_by_share(const struct gb_nse *nse, uint32_t number)
{
    if (nse->weight == 0)
        return -1;
    unsigned i = 0, skip = number % nse->weight;
    if (nse->is_even)
        return nse->nsvc[skip];
    for (; skip >= nse->share[i]; i++)
        skip -= nse->share[i];
    return nse->nsvc[i];
}
