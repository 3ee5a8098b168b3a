/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the context*.c files, for these files alone. */
#ifndef DATAPLANE_CONTEXT_CONTEXT_PARTS_H
#define DATAPLANE_CONTEXT_CONTEXT_PARTS_H

#include "dataplane/context/context.h"

/* The entry in use at an index, or NULL. */
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
/* The list of busy mobiles; adding one that is in it, or removing one that is not, has no effect. */
void context_busy_add(struct context *c, struct ms *ms);
void context_busy_remove(struct context *c, struct ms *ms);

/* --- context_flow.c --- */
bool context_flow_is_valid(const struct gb_flow *flow);
/* New parameters from now on; the ratio is relative to the announced Bmax. */
void context_set_bucket(struct bucket *bucket, const struct gb_flow *flow, uint64_t octets, uint64_t rate_bps,
                        int64_t now);
/* A mobile that is new in its cell, or whose own announcement ended, follows the defaults from now on; its
 * level stays. */
void context_follow_defaults(struct context *c, struct ms *ms, int64_t now);
/* Brings a mobile's bucket to its state at the last change of the defaults that it follows, if that is
 * later. */
void context_catch_up(struct context *c, struct ms *ms);

/* --- context_pfc.c --- */
bool context_pfi_is_valid(uint8_t pfi);

#endif
