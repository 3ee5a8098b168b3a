/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C towards GGSNs in Lua (lua/gn/sessions.lua) as C sees it: sessions that are wanted, datagrams and time
 * go in, intents come out. */
#ifndef CONTROL_LUA_LUA_GTPC_H
#define CONTROL_LUA_LUA_GTPC_H

#include "control/lua/lua_object.h"

#include <stddef.h>
#include <stdint.h>

struct lua_gtpc {
    struct lua_object object;
};

/* A context that a GGSN is to be asked for. Addresses are texts; NULL: none. */
struct lua_gtpc_wanted {
    uint64_t id;
    const char *imsi, *msisdn, *apn, *pdp_type, *qclass;
    const char *ours, *ggsn, *ipv4, *ipv6;
    uint32_t teid;
    uint8_t nsapi;
};

/* Where a datagram came from, and where it went. */
struct lua_gtpc_way {
    const char *ours, *theirs;
    uint16_t port; /* theirs */
};

struct lua_gtpc_row {
    uint64_t id;
    const char *state, *cause; /* until the call returns */
};

/* Makes it of the checked configuration on top of the stack, and pops that. recovery: our restart counter.
 * The state stays the caller's. */
void lua_gtpc_init(struct lua_gtpc *gtpc, const struct lua_intents *intents, uint8_t recovery);
void lua_gtpc_fini(struct lua_gtpc *gtpc);

void lua_gtpc_add(struct lua_gtpc *gtpc, const struct lua_gtpc_wanted *wanted, int64_t now);
void lua_gtpc_del(struct lua_gtpc *gtpc, uint64_t id, int64_t now);

/* The TEID of the next attempt. */
void lua_gtpc_set_teid(struct lua_gtpc *gtpc, uint64_t id, uint32_t teid);

/* Another class is wanted. */
void lua_gtpc_change(struct lua_gtpc *gtpc, uint64_t id, const char *qclass, int64_t now);

/* Its GGSN does not have it any more; why: a few words for the log. */
void lua_gtpc_lost(struct lua_gtpc *gtpc, uint64_t id, const char *why, int64_t now);

void lua_gtpc_receive(struct lua_gtpc *gtpc, const struct lua_gtpc_way *way, const uint8_t *bytes,
                      size_t octets, int64_t now);

/* An address can be reached from now on: what was sent there before cannot have arrived. */
void lua_gtpc_reachable(struct lua_gtpc *gtpc, const char *theirs, int64_t now);

/* All contexts, in the order in which they were added. */
void lua_gtpc_list(const struct lua_gtpc *gtpc, void *arg,
                   void (*each)(void *arg, const struct lua_gtpc_row *row));

#endif
