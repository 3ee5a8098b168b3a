/* SPDX-License-Identifier: BSD-3-Clause */
/* Gb in the control core: NSEs, cells and mobiles at the workers and in the Gb control plane in Lua, and the
 * NSEs of nses_accepted, which come by themselves. */
#ifndef CONTROL_CORE_CORE_GB_H
#define CONTROL_CORE_CORE_GB_H

#include <stdint.h>

struct bssgp_elements;
struct core;
struct llc_cipher_params;
struct lua_State;
struct msg;

/* Orders an NSE or a cell (index) of the configuration at its worker; an NSE before its NS-VCs and cells.
 */
void core_gb_nse_add(struct core *core, uint32_t index);
void core_gb_cell_add(struct core *core, uint32_t index);

/* Tells the Gb control plane, if there is one, that a mobile (slot) was ordered at the worker in a cell
 * (index). imsi "": unknown. */
void core_gb_ms_add(struct core *core, uint32_t slot, uint32_t tlli, const char *imsi, uint16_t cell);
/* The radio values of a mobile (slot) with this number in mobiles.list of the checked node on top of the
 * stack of another state; none if it is one of mobiles.file. */
void core_gb_ms_radio(struct core *core, uint32_t slot, struct lua_State *from, uint32_t number);

/* Sets the optional elements of a mobile's DL-UNITDATA (TS 48.018 clause 10.2.1); NULL: none. */
void core_gb_ms_elements(struct core *core, uint32_t tlli, uint16_t cell,
                         const struct bssgp_elements *elements);

/* Tells the Gb control plane of an NS-VC (index) of an NSE that it has. */
void core_gb_nsvc_tell(struct core *core, uint32_t index);

/* NS-VCs (core_nsvc.c) of the configuration, and those that IP-SNS adds and deletes; their rows in the
 * configuration have the present endpoints. Orders all of them. */
void core_nsvc_start(struct core *core);
/* Orders an NS-VC (index) at its worker, and informs the other workers. */
void core_nsvc_add(struct core *core, uint32_t index);

/* A cell, as LLC in Lua names it. */
static inline uint32_t core_gb_llc_place(uint32_t nsei, uint32_t bvci)
{
    return nsei << 16 | bvci;
}

/* MSG_PUNT_LLC; takes its buffer over. */
void core_gb_llc_punt(struct core *core, const struct msg *msg);

/* A mobile (slot) was ordered at the worker, in a cell (index); ciphering NULL or algorithm 0: not
 * ciphered. Without effect in a core without a control plane. */
void core_gb_llc_ms_add(struct core *core, uint32_t slot, uint16_t cell,
                        const struct llc_cipher_params *ciphering);

/* MSG_UNLISTED: an NS-RESET that may make an NSE of nses_accepted; the buffer stays the caller's. */
void core_gb_unlisted(struct core *core, const struct msg *msg);

/* After a restart of control: such NSEs in the new objects. */
void core_gb_accepted(struct core *core);

#endif
