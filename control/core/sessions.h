/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: mobiles and their PDP contexts as control knows them, ordered from workers by messages. Slots
 * are given out here; a slot that is used again gets another generation, so that what is said of the old
 * context is not taken for the new.
 */
#ifndef CONTROL_CORE_SESSIONS_H
#define CONTROL_CORE_SESSIONS_H

#include "control/core/core.h"
#include "control/base/neighbour_ip.h"
#include "dataplane/worker/lookup.h"

#include <stdbool.h>
#include <stdint.h>

#define SESSIONS_NONE UINT32_MAX

/* One PDP context, kept for the report after its end. */
struct session {
    uint32_t pdp, generation;                   /* slot in workers, and how often its home has filled it */
    uint32_t mobile;                            /* slot of its mobile */
    uint32_t sgsn_ip, teid, ggsn_ip, ggsn_teid; /* addresses as in base/address.h */
    uint32_t address;                           /* the mobile's IPv4 address, 0: not known */
    uint64_t prefix, interface;                 /* the halves of its IPv6 address, 0: not known */
    struct neighbour_ip ggsn_control, sgsn_control; /* whom Delete Requests name; 0 when configured */
    uint32_t ggsn_control_teid, sgsn_control_teid;
    uint8_t ip_version; /* of its packets: 4 or 6; 0: either, or not known */
    uint8_t gtp_nsapi;  /* as GTP-C says */
    uint8_t nsapi;      /* as on the air */
    uint8_t sapi;       /* 0: as configured for all */
    uint8_t qclass;
    uint8_t pfi;        /* packet flow, N_PDU_NO_PFI */
    uint8_t home;       /* worker where its tunnel ends */
    bool is_teid_given; /* the TEID is not theirs but says where the context lies (teid.h); set before it is
                           added */
    uint64_t wanted;    /* that it is, sessions_gtpc.h; 0: none */
    bool is_active;
};

struct sessions_mobile {
    char imsi[NODE_CONFIG_IMSI_CHARS];
    uint32_t tlli;
    uint16_t nsapis; /* bit n: NSAPI n is taken */
    uint16_t wanted; /* contexts that GGSNs are asked for: it stays when it has none */
    bool in_use;
};

struct sessions_wanted;

struct sessions {
    struct core *core;
    struct session *list; /* in the order of their beginning, also ended ones */
    uint32_t count, cap;
    struct sessions_mobile *mobiles; /* by slot */
    struct sessions_wanted *wanted;  /* by PDP slot; NULL: none yet */
    uint64_t wanted_count;           /* that there were */
    uint32_t *pdp_session;           /* by PDP slot: its latest session, SESSIONS_NONE */
    uint32_t *pdp_generation;        /* by worker and PDP slot, as workers count what is theirs */
    struct lookup_address addresses[LOOKUP_ADDRESSES]; /* that workers were told of, when there are several */
    uint32_t address_count;
    uint32_t next_tlli, next_home;
    uint32_t most_mobiles, most_contexts; /* with which no new one is taken; at most as many as slots */
    uint32_t lookalikes; /* active sessions whose TEID somebody else chose, and could be one of ours */
    uint64_t refused;    /* no slot left, or nonsense */
    uint64_t lost;       /* ended because their GGSN does not know them */
};

/* Memory for the configured limits; false when there is none. The core must outlive it. */
bool sessions_new(struct sessions *s, struct core *core);
void sessions_free(struct sessions *s);

/* How many there may be from now on, at most as many as slots; those that are there stay. */
void sessions_limit(struct sessions *s, uint32_t mobiles, uint32_t contexts);

/* What the core asks sessions and tells them. */
struct core_mobiles sessions_for_core(struct sessions *s);

/* The mobiles of the configuration's list, and one of a configuration's list: sessions_listed.c. */
void sessions_add_configured(struct sessions *s);
void sessions_add_listed(struct sessions *s, const struct node_config *config,
                         const struct node_config_mobile *listed);

/*
 * A learned context: the mobile with this IMSI, made if it is new ("" is always new); ids are filled in. An
 * NSAPI that is none (below 5) or taken becomes the lowest free one. An older session on the same tunnel
 * ends, unless it is this very one, which then goes on. False: refused and counted.
 */
bool sessions_add(struct sessions *s, const char *imsi, const struct session *params);

/* --- for sessions_*.c --- */

/* Makes a mobile in a cell and orders it; its slot, SESSIONS_NONE. has_pfi: frames of it may name a packet
 * flow. */
uint32_t sessions_make_mobile(struct sessions *s, const char *imsi, uint32_t tlli, uint16_t cell,
                              bool has_pfi);

/* Orders what holds for the LLC of a mobile in a cell from its first frame on: unprotected mode (MSG_MS_PM),
 * ciphering. */
void sessions_order_llc(struct sessions *s, uint32_t slot, uint16_t cell, uint8_t unprotected,
                        const struct llc_cipher_params *ciphering);

/* Slot of the mobile with an IMSI, and a PDP slot that is free; SESSIONS_NONE. */
uint32_t sessions_find_mobile(const struct sessions *s, const char *imsi);
uint32_t sessions_free_pdp(const struct sessions *s);

/* How often a worker has filled a slot, as its home. */
uint32_t sessions_generation(struct sessions *s, unsigned worker, uint32_t pdp);

/* Makes a mobile's context in a slot and orders it. False: no slot, NSAPI or TEID. */
bool sessions_fill(struct sessions *s, uint32_t mobile, uint32_t pdp, const struct session *params);

/* Deletes a mobile without contexts. */
void sessions_drop_idle(struct sessions *s, uint32_t mobile);

/* --- the end --- */

/* Ends a session; its mobile goes with its last one. */
void sessions_end(struct sessions *s, struct session *session);

/* Ends the sessions whose GGSN has no context with their TEID (Error Indication, TS 29.281 clause 7.3.1).
 * sgsn_ip: whom it told so, 0: that has been compared. */
void sessions_lose(struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid, uint32_t sgsn_ip);

/* Ends the sessions between an address of ours and a GGSN's. */
void sessions_lose_path(struct sessions *s, uint32_t sgsn_ip, uint32_t ggsn_ip);

/* The session that a worker's (slot, generation) means, NULL; the latest of the slot where the worker is not
 * its home. */
struct session *sessions_of(struct sessions *s, unsigned worker, uint32_t pdp, uint32_t generation);

#endif
