/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts that GGSNs are asked for: each keeps a PDP slot while it is wanted, so that the TEID which goes
 * into the request leads to the slot that is filled when the answer comes. Their mobiles stay meanwhile.
 */
#ifndef CONTROL_CORE_SESSIONS_GTPC_H
#define CONTROL_CORE_SESSIONS_GTPC_H

#include "control/core/sessions.h"

struct sessions_wanted {
    uint64_t id;      /* 0: none */
    uint32_t mobile;  /* slot */
    uint32_t session; /* its latest in sessions.list, SESSIONS_NONE */
    struct session params;
    char apn[NODE_CONFIG_APN_CHARS];
};

/* Asks for a context of a mobile (slot) from now on; params: what it will have but for what the GGSN says.
 * False: no slot, or this run has no GTP-C. */
bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const struct node_config_mobile *listed,
                        const struct node_config_context *context, const struct session *params);

/* Those of the mobile with this IMSI are not wanted any more; they end at once. */
void sessions_gtpc_forget(struct sessions *s, const char *imsi);

/* Another class for the context of a mobile, if it is wanted; false: it is not. */
bool sessions_gtpc_change(struct sessions *s, const char *imsi, uint8_t nsapi, uint8_t qclass);

/* Whether a slot is kept. */
static inline bool sessions_gtpc_has(const struct sessions *s, uint32_t pdp)
{
    return s->wanted && s->wanted[pdp].id != 0;
}

/* What the core says, of struct core_mobiles. */
void sessions_gtpc_up(struct sessions *s, uint64_t id, const struct core_given *given);
void sessions_gtpc_class(struct sessions *s, uint64_t id, uint8_t qclass);
void sessions_gtpc_down(struct sessions *s, uint64_t id);

/* The wanted one of this id, NULL. */
const struct sessions_wanted *sessions_gtpc_get(const struct sessions *s, uint64_t id);

#endif
