/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls GTP-C towards GGSNs in Lua (lua/gn/sessions.lua): its inputs are requested contexts, datagrams and
 * time, its outputs intents. */
#ifndef CONTROL_LUA_LUA_GTPC_H
#define CONTROL_LUA_LUA_GTPC_H

#include "control/lua/lua_fields.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"

#include "dataplane/base/budget.h"
#include "dataplane/wire/identity.h"

#include <stddef.h>
#include <stdint.h>

struct lua_gtpc {
    struct lua_object object;
    struct budget answers;      /* to senders that are not proven to be a context's GGSN */
    struct budget ggsn_answers; /* to requests with the TEID of a context, from its GGSN */
};

/* Where a mobile is; the time zone of the node. */
struct lua_gtpc_place {
    uint8_t cell[AREA_CELL];
    bool has_cell;
    int16_t
        zone; /* 4 times quarters of an hour east of Greenwich, and hours of daylight saving time in them */
};

/* A context to be requested of a GGSN. Addresses are texts; NULL: none. */
struct lua_gtpc_wanted {
    uint64_t id;
    const char *imsi, *msisdn, *imeisv, *apn, *pdp_type, *qclass;
    const char *ours, *ggsn, *ipv4, *ipv6;
    uint32_t teid;
    uint8_t nsapi;
    const uint8_t *pco; /* protocol configuration options, NULL: none */
    size_t pco_octets;
    uint64_t linked;    /* of a secondary context: the id of one with the same address; 0: of another */
    const uint8_t *tft; /* traffic flow template, NULL: none */
    size_t tft_octets;
    bool is_once; /* not requested again when it is refused or lost */
    struct lua_gtpc_place place;
    uint16_t charging; /* charging characteristics that the HLR gave, 0: none */
    const char *taken; /* of a context that another SGSN had: a packed record of that; NULL: of none */
    size_t taken_octets;
};

/* The endpoints of a received datagram: ours is its destination, theirs its source. */
struct lua_gtpc_way {
    const char *ours, *theirs;
    uint16_t port;      /* theirs */
    bool is_right_port; /* a response that came to the port of its request */
};

/* random(limit) for Lua: an integer in 1 .. limit from the kernel, which no peer can predict. */
int lua_gtpc_random(lua_State *L);

struct lua_gtpc_row {
    uint64_t id;
    const char *state, *cause; /* until the call returns */
};

/* Makes the object of the checked configuration on top of the stack, and pops that. recovery: the SGSN's
 * restart counter. The caller keeps the Lua state, and gtpc at its place until lua_gtpc_fini(). */
void lua_gtpc_init(struct lua_gtpc *gtpc, const struct lua_intents *intents, uint8_t recovery);
void lua_gtpc_fini(struct lua_gtpc *gtpc);

void lua_gtpc_add(struct lua_gtpc *gtpc, const struct lua_gtpc_wanted *wanted, int64_t now);
void lua_gtpc_del(struct lua_gtpc *gtpc, uint64_t id, int64_t now);

/* It is another SGSN's: deletes it here alone. */
void lua_gtpc_moved(struct lua_gtpc *gtpc, uint64_t id, int64_t now);

/* RAN information for a cell of another SGSN: a PDU of BSSGP, and its destination. */
void lua_gtpc_rim(struct lua_gtpc *gtpc, const struct lua_field_octets *pdu,
                  const struct lua_field_octets *routing, int64_t now);

/* Other settings of phones: `phones` of the checked node on top of the stack of another state. */
void lua_gtpc_configure(struct lua_gtpc *gtpc, struct lua_State *from, int64_t now);

#define LUA_GTPC_NSAPIS 16

/* An order of phones about other SGSNs. ids: the contexts of the order's mobile by their NSAPIs, 0: none. */
void lua_gtpc_sgsn(struct lua_gtpc *gtpc, const void *octets, size_t count,
                   const uint64_t ids[LUA_GTPC_NSAPIS], int64_t now);

/* Sets the SGSN's TEID for the next attempt. */
void lua_gtpc_set_teid(struct lua_gtpc *gtpc, uint64_t id, uint32_t teid);

/* Where the mobile is now, for further requests. */
void lua_gtpc_set_place(struct lua_gtpc *gtpc, uint64_t id, const struct lua_gtpc_place *place);

struct lua_gtpc_change {
    const char *qclass;
    const uint8_t *tft; /* NULL: stays */
    size_t tft_octets;
};

/* Asks the GGSN for another traffic class, or traffic flow template. */
void lua_gtpc_change(struct lua_gtpc *gtpc, uint64_t id, const struct lua_gtpc_change *change, int64_t now);

/* The path of the context is down: it ends here, and the GGSN may have it; why: a few words for the log. */
void lua_gtpc_lost(struct lua_gtpc *gtpc, uint64_t id, const char *why, int64_t now);

/* An Error Indication came for the context: asks its GGSN whether it has it. */
void lua_gtpc_check(struct lua_gtpc *gtpc, uint64_t id, int64_t now);

void lua_gtpc_receive(struct lua_gtpc *gtpc, const struct lua_gtpc_way *way, const uint8_t *bytes,
                      size_t octets, int64_t now);

/* The next hop towards an address is known from now on: earlier requests to it were not sent and are
 * repeated. */
void lua_gtpc_reachable(struct lua_gtpc *gtpc, const char *theirs, int64_t now);

/* Numbers of events since the start, as struct members of lua/gn/sessions.lua are named. */
struct lua_gtpc_counts {
    uint64_t malformed, unexpected, restarts, refused_requests, foreign_requests, rate_limited,
        foreign_addresses, unconfirmed_restarts, unconfirmed_errors, unchecked_requests, control_errors,
        repeated_requests, unknown_types, other_versions, rim_sent, rim_received;
};

void lua_gtpc_count(const struct lua_gtpc *gtpc, struct lua_gtpc_counts *counts);

/* Whether there is no context, here or left at a GGSN without a confirmed end. False after an error. */
bool lua_gtpc_is_empty(const struct lua_gtpc *gtpc);

/* All contexts, in the order in which they were added. */
void lua_gtpc_list(const struct lua_gtpc *gtpc, void *arg,
                   void (*each)(void *arg, const struct lua_gtpc_row *row));

#endif
