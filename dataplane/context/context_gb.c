/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context_parts.h"

#include <string.h>

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

/* --- cells --- */

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
