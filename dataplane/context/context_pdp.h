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

/* Another packet flow, or N_PDU_NO_PFI, and another traffic class, for later N-PDUs. A packet flow that the
 * mobile does not have, as no queue was free, counts as N_PDU_NO_PFI: no bucket would keep its N-PDUs to the
 * BSS's. */
int context_pdp_pfi(struct context *c, uint32_t index, uint8_t pfi);
int context_pdp_qclass(struct context *c, uint32_t index, uint8_t qclass);

#endif
