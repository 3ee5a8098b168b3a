/* SPDX-License-Identifier: BSD-3-Clause */
/* Gb in the control core: NSEs, cells and mobiles at the workers and in the Gb control plane in Lua, and the
 * NSEs of nses_accepted, which come by themselves. */
#ifndef CONTROL_CORE_CORE_GB_H
#define CONTROL_CORE_CORE_GB_H

#include <stdint.h>

struct bssgp_elements;
struct core;
struct lua_State;
struct lua_gb_pfc;
struct msg;

/* Orders an NSE or a cell (index) of the configuration at its worker; an NSE before its NS-VCs and cells.
 */
void core_gb_nse_add(struct core *core, uint32_t index);
void core_gb_cell_add(struct core *core, uint32_t index);

/* Tells the Gb control plane, if there is one, that a mobile was ordered at the worker in a cell (index),
 * or deleted. imsi "": unknown. */
void core_gb_ms_add(struct core *core, uint32_t tlli, const char *imsi, uint16_t cell);
/* Its radio values: lua_gb_ms_radio(). */
void core_gb_ms_radio(struct core *core, uint32_t tlli, struct lua_State *from, uint32_t number);
void core_gb_ms_del(struct core *core, uint32_t tlli);

/* Sets the optional elements of a mobile's DL-UNITDATA (TS 48.018 clause 10.2.1); NULL: none. */
void core_gb_ms_elements(struct core *core, uint32_t tlli, uint16_t cell,
                         const struct bssgp_elements *elements);

/* Tells the Gb control plane that a context with a packet flow was added or deleted. */
void core_gb_pfc_add(struct core *core, const struct lua_gb_pfc *pfc);
void core_gb_pfc_del(struct core *core, const struct lua_gb_pfc *pfc);

/* NS-VCs (core_nsvc.c) of the configuration, and those that IP-SNS adds and deletes; their rows in the
 * configuration have the present endpoints. Orders all of them. */
void core_nsvc_start(struct core *core);
/* Orders an NS-VC (index) at its worker, and informs the other workers. */
void core_nsvc_add(struct core *core, uint32_t index);

/* MSG_UNLISTED: an NS-RESET that may make an NSE of nses_accepted; the buffer stays the caller's. */
void core_gb_unlisted(struct core *core, const struct msg *msg);

/* After a restart of control: such NSEs in the new objects. */
void core_gb_accepted(struct core *core);

#endif
