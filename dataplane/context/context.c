/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context.h"

#include <stdlib.h>

bool context_new(struct context *c, const struct context_limits *limits, const struct lifetime *lifetime)
{
    *c = (struct context){.limits = *limits, .lifetime = *lifetime};
    c->nses = calloc(limits->nses, sizeof(*c->nses));
    c->nsvcs = calloc(limits->nsvcs, sizeof(*c->nsvcs));
    c->bvcs = calloc(limits->bvcs, sizeof(*c->bvcs));
    /* Buckets hold 128-bit levels: calloc() aligns for them. */
    c->mobiles = calloc(limits->mobiles, sizeof(*c->mobiles));
    c->pdps = calloc(limits->pdps, sizeof(*c->pdps));
    if (c->nses && c->nsvcs && c->bvcs && c->mobiles && c->pdps &&
        sched_new(&c->sched, limits->mobiles, limits->bvcs))
        return true;
    context_free(c);
    return false;
}

void context_free(struct context *c)
{
    sched_free(&c->sched);
    free(c->nses);
    free(c->nsvcs);
    free(c->bvcs);
    free(c->mobiles);
    free(c->pdps);
    *c = (struct context){0};
}
