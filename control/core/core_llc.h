/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC in the control core: passes unnumbered frames of mobiles to Lua. */
#ifndef CONTROL_CORE_CORE_LLC_H
#define CONTROL_CORE_CORE_LLC_H

#include <stdbool.h>
#include <stdint.h>

struct core;
struct llc_cipher_params;
struct lua_llc_context;
struct msg;

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_llc_init(struct core *core);
void core_llc_fini(struct core *core);

/* MSG_PUNT_LLC; takes its buffer over. */
void core_llc_punt(struct core *core, const struct msg *msg);

/* A mobile (slot) was ordered at the worker, in a cell (index); ciphering NULL or algorithm 0: not
 * ciphered. Like the functions below without effect in a core without a control plane. */
void core_llc_ms_add(struct core *core, uint32_t slot, uint16_t cell,
                     const struct llc_cipher_params *ciphering);
void core_llc_ms_del(struct core *core, uint32_t slot);

/* The same: lua_llc_pdp_add(), lua_llc_pdp_mode(), before lua_llc_pdp_del() the worker still has the context.
 * Without effect if the node compresses nothing. */
void core_llc_pdp_add(struct core *core, const struct lua_llc_context *context);
void core_llc_pdp_mode(struct core *core, uint32_t slot, uint8_t nsapi, bool is_acknowledged);
void core_llc_pdp_del(struct core *core, uint32_t slot, uint8_t nsapi);

/* The same: lua_llc_reset(), lua_llc_settled(). */
void core_llc_reset(struct core *core, uint32_t slot);
void core_llc_settled(struct core *core, uint32_t slot);

/* A cell is in service since it sent FLOW-CONTROL-BVC, or is out of service. */
void core_llc_cell_open(struct core *core, uint32_t nsei, uint32_t bvci);
void core_llc_cell_closed(struct core *core, uint32_t nsei, uint32_t bvci);

#endif
