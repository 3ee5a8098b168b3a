/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: contexts requested of GGSNs over GTP-C. Each reserves a PDP slot while it is wanted, so that the
 * TEID in the request encodes the slot that is filled on the response. Their mobiles stay meanwhile.
 */
#ifndef CONTROL_SESSIONS_SESSIONS_GTPC_H
#define CONTROL_SESSIONS_SESSIONS_GTPC_H

#include "control/sessions/sessions.h"
#include "control/sessions/sessions_records.h"

#include <arpa/inet.h>

struct sessions_wanted {
    uint64_t id;      /* 0: none */
    uint32_t mobile;  /* slot */
    uint32_t session; /* its latest in sessions.list, SESSIONS_NONE */
    struct session params;
    char apn[NODE_CONFIG_APN_CHARS];
    bool is_once; /* of a phone, which is told what becomes of it */
    uint32_t charging_id;
    struct sessions_record record; /* of a phone's context */
};

/* Requests a context of a mobile (slot); params: its session, except for the values that the GGSN sets.
 * False: no slot is free, or this run has no GTP-C. */
bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const struct node_config_mobile *listed,
                        const struct node_config_context *context, const struct session *params);

/* The same; asked: what its session does not have. */
bool sessions_gtpc_ask(struct sessions *s, uint32_t mobile, const struct core_event_wanted *asked,
                       const struct session *params);

/* Deletes a mobile's requested context, at the GGSN, too, unless it is another SGSN's now. */
void sessions_gtpc_drop(struct sessions *s, uint32_t mobile, uint8_t nsapi, bool is_moved);
/* The N-PDUs of such a context go to another SGSN's address and TEID; ADDRESS_NONE: they are dropped. */
void sessions_gtpc_forward(struct sessions *s, uint32_t mobile, uint8_t nsapi, uint32_t sgsn_ip,
                           uint32_t teid);

/* Another SGSN's address forwards N-PDUs of such a context; ADDRESS_NONE: no longer. */
void sessions_gtpc_from(struct sessions *s, uint32_t mobile, uint8_t nsapi, uint32_t forwarder_ip);

/* Asks the GGSN for another traffic class, or traffic flow template (NULL octets: stays), of such a context;
 * false: no such context. */
bool sessions_gtpc_reclass(struct sessions *s, uint32_t mobile, uint8_t nsapi, const char *qclass,
                           const struct lua_field_octets *tft);
/* Orders the mode of LLC of such a context; false: it is not active. */
bool sessions_gtpc_set_llc(struct sessions *s, uint32_t mobile, uint8_t nsapi,
                           const struct msg_llc_mode *mode);
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

/* Ends a requested context; cause: of GTP-C, 0 no answer, -1 lost. */
void sessions_gtpc_end(struct sessions *s, uint64_t id, int cause);

/* The answer to MSG_PDP_LLC, and MSG_LLC_LOST. */
void sessions_gtpc_llc(struct sessions *s, const struct msg *msg);
void sessions_gtpc_llc_lost(struct sessions *s, const struct msg *msg);

/* Sets the mobile's addresses in a session from texts, NULL: none. */
void sessions_gtpc_addresses(struct session *params, const char *ipv4, const char *ipv6);

/* The requested context with this id, NULL. */
const struct sessions_wanted *sessions_gtpc_get(const struct sessions *s, uint64_t id);

#endif
