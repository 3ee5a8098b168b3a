/* SPDX-License-Identifier: BSD-3-Clause */
/* The control core's part in LLC: mobiles' frames to Lua, and what that intends as requests to the worker. */
#ifndef CONTROL_CORE_CORE_LLC_H
#define CONTROL_CORE_CORE_LLC_H

#include "control/core/core.h"

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_llc_init(struct core *core);
void core_llc_fini(struct core *core);

/* MSG_PUNT_LLC; takes its buffer over. */
void core_llc_punt(struct core *core, const struct msg *msg);

/* A mobile (slot) is ordered from the worker, in a cell (index); ciphering NULL or without an algorithm: in
 * clear. No effect on a core without a control plane, as below. */
void core_llc_ms_add(struct core *core, uint32_t slot, uint16_t cell,
                     const struct llc_cipher_params *ciphering);
void core_llc_ms_del(struct core *core, uint32_t slot);

/* A cell announced its flow control: it can be sent to. */
void core_llc_cell_open(struct core *core, uint32_t nsei, uint32_t bvci);
void core_llc_cell_closed(struct core *core, uint32_t nsei, uint32_t bvci);

#endif
