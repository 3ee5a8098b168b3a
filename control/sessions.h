/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: mobiles and their PDP contexts as control knows them, ordered from the worker by messages. Slots
 * are given out here; a slot that is used again gets another generation, so that what is said of the old
 * context is not taken for the new.
 */
#ifndef CONTROL_SESSIONS_H
#define CONTROL_SESSIONS_H

#include "control/core.h"

#include <stdbool.h>
#include <stdint.h>

#define SESSIONS_NONE UINT32_MAX

/* One PDP context, kept for the report after its end. */
struct session {
    uint32_t pdp, generation; /* slot in the worker */
    uint32_t mobile;          /* slot of its mobile */
    uint32_t sgsn_ip, teid, ggsn_ip, ggsn_teid;
    uint32_t address;                            /* the mobile's, 0: not known */
    uint32_t ggsn_control_ip, ggsn_control_teid; /* whom Delete Requests name; 0 when configured */
    uint32_t sgsn_control_ip, sgsn_control_teid;
    uint8_t ip_version; /* of its packets: 4 or 6; 0: either, or not known */
    uint8_t gtp_nsapi;  /* as GTP-C says */
    uint8_t nsapi;      /* as on the air */
    uint8_t qclass;
    bool is_active;
};

struct sessions_mobile {
    char imsi[NODE_CONFIG_IMSI_CHARS];
    uint32_t tlli;
    uint16_t nsapis; /* bit n: NSAPI n is taken */
    bool in_use;
};

struct sessions {
    struct core *core;
    struct session *list; /* in the order of their beginning, also ended ones */
    uint32_t count, cap;
    struct sessions_mobile *mobiles; /* by slot */
    uint32_t *pdp_session;           /* by PDP slot: its latest session, SESSIONS_NONE */
    uint32_t *pdp_generation;        /* by PDP slot, as the worker counts */
    uint32_t next_tlli, next_home;
    uint64_t refused; /* no slot left, or nonsense */
    uint64_t lost;    /* ended because their GGSN does not know them */
};

/* Memory for the configured limits; false when there is none. The core must outlive it. */
bool sessions_new(struct sessions *s, struct core *core);
void sessions_free(struct sessions *s);

/* The mobiles of the configuration's list. */
void sessions_add_configured(struct sessions *s);

/*
 * A learned context: the mobile with this IMSI, made if it is new ("" is always new); ids are filled in. An
 * NSAPI that is none (below 5) or taken becomes the lowest free one. An older session on the same tunnel
 * ends, unless it is this very one, which then goes on. False: refused and counted.
 */
bool sessions_add(struct sessions *s, const char *imsi, const struct session *params);

/* Ends a session; its mobile goes with its last one. */
void sessions_end(struct sessions *s, struct session *session);

/* Ends the sessions whose GGSN has no context with their TEID (Error Indication, TS 29.281 clause 7.3.1). */
void sessions_lose(struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid);

/* The session that a worker's (slot, generation) means, NULL. */
struct session *sessions_of(struct sessions *s, uint32_t pdp, uint32_t generation);

#endif
