/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: contexts requested of GGSNs over GTP-C. Each reserves a PDP slot while it is wanted, so that the
 * TEID in the request encodes the slot that is filled on the response. Their mobiles stay meanwhile.
 */
#ifndef CONTROL_SESSIONS_SESSIONS_GTPC_H
#define CONTROL_SESSIONS_SESSIONS_GTPC_H

#include "control/sessions/sessions.h"

#include <arpa/inet.h>

struct sessions_wanted {
    uint64_t id;                     /* 0: none */
    struct session params;           /* its session, without what the GGSN sets */
    char apn[NODE_CONFIG_APN_CHARS]; /* of a configured one */
    bool is_once;                    /* of a phone, which is told what becomes of it */
};

/* Requests a configured context of a mobile (slot); params: its session, except for the values that the GGSN
 * sets. False: no slot is free, or this run has no GTP-C. */
bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const char *msisdn, const char *apn,
                        const struct session *params);

/* Cancels the context requested for a PDP slot; if it is active, it ends at once. */
void sessions_gtpc_forget(struct sessions *s, uint32_t pdp);

/* Changes the traffic class of a mobile's requested context; false: no such context. */
bool sessions_gtpc_change(struct sessions *s, const char *imsi, uint8_t nsapi, uint8_t qclass);

/* Whether a PDP slot is reserved. */
static inline bool sessions_gtpc_has(const struct sessions *s, uint32_t pdp)
{
    return s->wanted && s->wanted[pdp].id != 0;
}

/* Whether a context with this id is requested. */
bool sessions_gtpc_has_id(const struct sessions *s, uint64_t id);

/* Ends a requested context; cause: of GTP-C, 0 no answer, -1 lost. */
void sessions_gtpc_end(struct sessions *s, uint64_t id, int cause);

/* The answer to MSG_PDP_LLC, and MSG_LLC_LOST. */
void sessions_gtpc_llc(struct sessions *s, const struct msg *msg);
void sessions_gtpc_llc_lost(struct sessions *s, const struct msg *msg);

#endif
