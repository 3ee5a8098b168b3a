/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GTP-C towards GGSNs in the control core: passes datagrams between workers and Lua, and contexts that a GGSN
 * accepted to core->mobiles. Only a live node has GTP-C; in other runs these functions have no effect.
 */
#ifndef CONTROL_CORE_CORE_GTPC_H
#define CONTROL_CORE_CORE_GTPC_H

#include "control/core/core.h"
#include "control/core/sessions.h"

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_gtpc_init(struct core *core);
void core_gtpc_fini(struct core *core);

/* The address of a text as in base/address.h, which workers know from now on; ADDRESS_NONE. */
uint32_t core_gtpc_address(struct core *core, const char *text);

/* Sets the SGSN's TEID for the next attempt; changes the traffic class; reports that the GGSN has lost the
 * context (why: for the log); asks the GGSN whether it has. */
void core_gtpc_teid(struct core *core, uint64_t id, uint32_t teid);
void core_gtpc_lost(struct core *core, uint64_t id, const char *why);
void core_gtpc_check(struct core *core, uint64_t id);

/* MSG_PUNT_GN; takes its buffer over. */
void core_gtpc_punt(struct core *core, const struct msg *msg);

/* The next hop towards an address has been found. */
void core_gtpc_reachable(struct core *core, uint32_t ip);

/*
 * Contexts requested of GGSNs over GTP-C. Each reserves a PDP slot while it is wanted, so that the TEID in
 * the request encodes the slot that is filled on the response. Their mobiles stay meanwhile.
 */

struct sessions_wanted {
    uint64_t id;      /* 0: none */
    uint32_t mobile;  /* slot */
    uint32_t session; /* its latest in sessions.list, SESSIONS_NONE */
    struct session params;
    char apn[NODE_CONFIG_APN_CHARS];
    bool is_once; /* of a phone, which is told what becomes of it */
};

/* The part of a request that its session does not have. */
struct sessions_asked {
    const char *imsi, *msisdn, *apn;
    const uint8_t *pco; /* NULL: none */
    size_t pco_octets;
    uint64_t linked;    /* struct lua_gtpc_wanted */
    const uint8_t *tft; /* NULL: none */
    size_t tft_octets;
    bool is_once;
};

/* Requests a context of a mobile (slot); params: its session, except for the values that the GGSN sets.
 * False: no slot is free, or this run has no GTP-C. */
bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const struct node_config_mobile *listed,
                        const struct node_config_context *context, const struct session *params);

/* The same of what a phone asks for. */
bool sessions_gtpc_ask(struct sessions *s, uint32_t mobile, const struct sessions_asked *asked,
                       const struct session *params);

/* Deletes a mobile's requested context, at the GGSN, too. */
void sessions_gtpc_drop(struct sessions *s, uint32_t mobile, uint8_t nsapi);

/* Asks the GGSN for a change of such a context; false: no such context. */
bool sessions_gtpc_reclass(struct sessions *s, uint32_t mobile, uint8_t nsapi,
                           const struct lua_gtpc_change *change);
/* Orders the mode of LLC of such a context; false: it is not active. */
bool sessions_gtpc_set_llc(struct sessions *s, uint32_t mobile, uint8_t nsapi, bool is_acknowledged);
/* The id of such a context that is active; 0: none. */
uint64_t sessions_gtpc_id(const struct sessions *s, uint32_t mobile, uint8_t nsapi);

/* Cancels the context requested for a PDP slot; if it is active, it ends at once. */
void sessions_gtpc_forget(struct sessions *s, uint32_t pdp);

/* Changes the traffic class of a mobile's requested context; false: no such context. */
bool sessions_gtpc_change(struct sessions *s, const char *imsi, uint8_t nsapi, uint8_t qclass);

/* Whether a PDP slot is reserved. */
static inline bool sessions_gtpc_has(const struct sessions *s, uint32_t pdp)
{
    return s->wanted && s->wanted[pdp].id != 0;
}

/* Callbacks of struct core_mobiles: on_given, on_class, on_gone, on_ended, on_llc,
 * on_llc_lost. */
void sessions_gtpc_up(struct sessions *s, uint64_t id, const struct core_given *given);
void sessions_gtpc_class(struct sessions *s, uint64_t id, uint8_t qclass, int cause);
void sessions_gtpc_down(struct sessions *s, uint64_t id);
void sessions_gtpc_ended(struct sessions *s, uint64_t id, int cause);
void sessions_gtpc_llc(struct sessions *s, uint32_t pdp, uint32_t generation, bool is_set);
void sessions_gtpc_llc_lost(struct sessions *s, uint32_t pdp);

/* The requested context with this id, NULL. */
const struct sessions_wanted *sessions_gtpc_get(const struct sessions *s, uint64_t id);

#endif
