/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C towards GGSNs in the control core: passes datagrams between workers and Lua, and requests of contexts
 * to Lua. Only a live node has GTP-C; in other runs these functions have no effect. */
#ifndef CONTROL_CORE_CORE_GTPC_H
#define CONTROL_CORE_CORE_GTPC_H

#include "control/core/core.h"

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_gtpc_init(struct core *core);
void core_gtpc_fini(struct core *core);

/* Whether no GGSN has a context of this node. False also when Lua cannot say so. */
bool core_gtpc_is_empty(const struct core *core);

/* Where a mobile in a cell (index) is. */
struct lua_gtpc_place core_gtpc_place(const struct core *core, uint16_t cell);

/* The mobile of a context is in that cell now. */
void core_gtpc_set_place(struct core *core, uint64_t id, uint16_t cell);

/* Orders workers to take messages to all addresses of the node on Gn from now on, before any context has one
 * (TS 29.060 clause 7.2.1: a GSN answers Echo at any time). */
void core_gtpc_claim(struct core *core);

/* The same for one address more. */
void core_gtpc_claim_one(struct core *core, uint32_t ip);

/* Requests a context from a local address, until it is deleted (TS 29.060 clause 7.3.1). */
void core_gtpc_add(struct core *core, const struct lua_gtpc_wanted *wanted, uint32_t sgsn_ip);
void core_gtpc_moved(struct core *core, uint64_t id);
void core_gtpc_sgsn(struct core *core, const struct core_intent *intent, const uint64_t ids[LUA_GTPC_NSAPIS]);
void core_gtpc_del(struct core *core, uint64_t id);
void core_gtpc_change(struct core *core, uint64_t id, const struct lua_gtpc_change *change);

/* Sets the SGSN's TEID for the next attempt; reports that the path of the
 * context is down (why: for the log); asks the GGSN whether it has lost it. */
void core_gtpc_teid(struct core *core, uint64_t id, uint32_t teid);
void core_gtpc_lost(struct core *core, uint64_t id, const char *why);
void core_gtpc_check(struct core *core, uint64_t id);

/* MSG_PUNT_GN; takes its buffer over. */
void core_gtpc_punt(struct core *core, const struct msg *msg);

/* The next hop towards an address has been found. */
void core_gtpc_reachable(struct core *core, uint32_t ip);

#endif
