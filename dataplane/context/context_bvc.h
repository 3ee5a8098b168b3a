/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cells of a worker: state, flow control and its corrections. Functions return as those of context.h do.
 */
#ifndef DATAPLANE_CONTEXT_CONTEXT_BVC_H
#define DATAPLANE_CONTEXT_CONTEXT_BVC_H

#include "dataplane/context/context.h"

#include <stdbool.h>
#include <stdint.h>

int context_bvc_add(struct context *c, uint16_t index, uint16_t bvci, uint16_t nse, int64_t now);

/* -1 also while it has mobiles. */
int context_bvc_del(struct context *c, uint16_t index);

/* BVC-RESET: empties the bucket, resets its parameters, deletes packet flows, drops queued N-PDUs of its
 * mobiles; the cell stays blocked until context_bvc_unblock(). */
int context_bvc_reset(struct context *c, uint16_t index, int64_t now);
int context_bvc_unblock(struct context *c, uint16_t index, bool unblocked);

/* Applies at once to the cell and to mobiles that follow its defaults; to others with their next
 * announcement. */
int context_bvc_policy(struct context *c, uint16_t index, const struct gb_policy *policy, int64_t now);
int context_bvc_flow(struct context *c, uint16_t index, const struct gb_flow *flow, int64_t now);

/* LLC-DISCARDED: removes the octets from the buckets of the cell and, if it is still in that cell, of the
 * mobile and of its packet flow. */
int context_bvc_discarded(struct context *c, const struct gb_discard *discard, int64_t now);

/* FLUSH-LL-ACK: removes the octets from the bucket of one cell, and adds them to that of another and of the
 * mobile, if it is there. */
int context_bvc_flushed(struct context *c, const struct gb_flush *flush, int64_t now);

#endif
