/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the parts of the context (context*.c) share; for these files alone. */
#ifndef DATAPLANE_CONTEXT_CONTEXT_PARTS_H
#define DATAPLANE_CONTEXT_CONTEXT_PARTS_H

#include "dataplane/context/context.h"

/* What is in use at an index, NULL. */
static inline struct gb_nse *context_nse_at(struct context *c, uint16_t index)
{
    return index < c->limits.nses && c->nses[index].in_use ? &c->nses[index] : NULL;
}

static inline struct gb_bvc *context_bvc_at(struct context *c, uint16_t index)
{
    return index < c->limits.bvcs && c->bvcs[index].in_use ? &c->bvcs[index] : NULL;
}

static inline struct ms *context_ms_at(struct context *c, uint32_t index)
{
    return index < c->limits.mobiles && c->mobiles[index].in_use ? &c->mobiles[index] : NULL;
}

/* --- context_list.c: the lists of a mobile's cell --- */
void context_list_add(struct context *c, struct ms *ms);
void context_list_remove(struct context *c, struct ms *ms);
/* Those that are busy; no effect on one that is there, or not. */
void context_busy_add(struct context *c, struct ms *ms);
void context_busy_remove(struct context *c, struct ms *ms);

/* --- context_flow.c --- */
bool context_flow_is_valid(const struct gb_flow *flow);
/* New parameters from now on; a ratio is one of the Bmax that was announced. */
void context_set_bucket(struct bucket *bucket, const struct gb_flow *flow, uint64_t octets, uint64_t rate_bps,
                        int64_t now);
/* A mobile that is new in its cell, or has lost its own values: the defaults from now on, the level stays. */
void context_follow_defaults(struct context *c, struct ms *ms, int64_t now);
/* A mobile's bucket is as it was at the last change of the defaults that it follows, if it is not later. */
void context_catch_up(struct context *c, struct ms *ms);

/* --- context_pfc.c --- */
bool context_pfi_is_valid(uint8_t pfi);

#endif
