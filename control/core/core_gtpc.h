/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C towards GGSNs in the control core: passes datagrams between workers and Lua, and requests of contexts
 * to Lua. Only a live node has GTP-C; in other runs these functions have no effect. */
#ifndef CONTROL_CORE_CORE_GTPC_H
#define CONTROL_CORE_CORE_GTPC_H

#include "control/core/core.h"
#include "dataplane/wire/identity.h"

/* Where a mobile is; the time zone of the node. */
struct core_gtpc_place {
    uint8_t cell[AREA_CELL];
    bool has_cell;
    int zone; /* 4 times quarters of an hour east of Greenwich, and hours of daylight saving time in them */
};

/* Where a mobile in a cell (index) is. */
struct core_gtpc_place core_gtpc_place(const struct core *core, uint16_t cell);

/* The mobile of a context is in that cell now. */
void core_gtpc_set_place(struct core *core, uint64_t id, uint16_t cell);

/* Orders workers to take messages to all addresses of the node on Gn from now on, before any context has one
 * (TS 29.060 clause 7.2.1: a GSN answers Echo at any time). */
void core_gtpc_claim(struct core *core);

/* The same for one address more. */
void core_gtpc_claim_one(struct core *core, uint32_t ip);

/* MSG_PUNT_GN; takes its buffer over. */
void core_gtpc_punt(struct core *core, const struct msg *msg);

#endif
