/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context.h"

int context_nse_add(struct context *c, uint16_t index, uint16_t nsei)
{
    if (index >= c->limits.nses || c->nses[index].in_use)
        return -1;
    c->nses[index] = (struct gb_nse){.nsei = nsei, .in_use = true};
    return 0;
}

int context_nsvc_add(struct context *c, uint16_t index, const struct gb_nsvc *nsvc)
{
    uint16_t nse_index = nsvc->params.nse;
    if (index >= c->limits.nsvcs || c->nsvcs[index].in_use)
        return -1;
    if (nse_index >= c->limits.nses || !c->nses[nse_index].in_use)
        return -1;
    struct gb_nse *nse = &c->nses[nse_index];
    if (nse->nsvc_count == GB_NSE_NSVCS)
        return -1;
    nse->nsvc[nse->nsvc_count++] = index;
    c->nsvcs[index] = *nsvc;
    c->nsvcs[index].in_use = true;
    c->nsvcs[index].usable = false;
    return 0;
}

int context_nsvc_use(struct context *c, uint16_t index, bool usable)
{
    if (index >= c->limits.nsvcs || !c->nsvcs[index].in_use)
        return -1;
    c->nsvcs[index].usable = usable;
    for (uint32_t i = 0; i < c->limits.bvcs; i++)
        if (c->bvcs[i].in_use && c->bvcs[i].nse == c->nsvcs[index].params.nse)
            context_bvc_refresh(c, &c->bvcs[i]);
    return 0;
}

int context_bvc_add(struct context *c, uint16_t index, uint16_t bvci, uint16_t nse, int64_t now)
{
    if (index >= c->limits.bvcs || c->bvcs[index].in_use)
        return -1;
    if (nse >= c->limits.nses || !c->nses[nse].in_use)
        return -1;
    struct gb_bvc *bvc = &c->bvcs[index];
    *bvc = (struct gb_bvc){.bvci = bvci, .nse = nse, .in_use = true, .ms_head = MS_NONE};
    sched_bvc_init(&bvc->sched, now);
    return 0;
}

int context_nsvc_for(const struct context *c, const struct gb_bvc *bvc, uint32_t lsp)
{
    const struct gb_nse *nse = &c->nses[bvc->nse];
    unsigned usable = 0;
    for (unsigned i = 0; i < nse->nsvc_count; i++)
        usable += c->nsvcs[nse->nsvc[i]].usable;
    if (usable == 0)
        return -1;
    unsigned skip = (bvc->bvci + lsp) % usable;
    for (unsigned i = 0;; i++)
        if (c->nsvcs[nse->nsvc[i]].usable && skip-- == 0)
            return nse->nsvc[i];
}
