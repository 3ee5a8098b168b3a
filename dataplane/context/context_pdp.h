/* SPDX-License-Identifier: BSD-3-Clause */
/* The PDP contexts of a worker. Functions return as those of context.h do. */
#ifndef DATAPLANE_CONTEXT_CONTEXT_PDP_H
#define DATAPLANE_CONTEXT_CONTEXT_PDP_H

#include "dataplane/context/context.h"

#include <stdbool.h>
#include <stdint.h>

/* -1 also for an NSAPI outside 5..15, a SAPI other than 3, 5, 9, 11, a reserved PFI. */
int context_pdp_add(struct context *c, uint32_t index, const struct pdp_params *params);
int context_pdp_del(struct context *c, uint32_t index, int64_t now);

/* Another packet flow, or none, and another traffic class, for later N-PDUs. */
int context_pdp_pfi(struct context *c, uint32_t index, uint8_t pfi);
int context_pdp_qclass(struct context *c, uint32_t index, uint8_t qclass);

#endif
