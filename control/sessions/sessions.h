/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: mobiles and their PDP contexts in the control plane, which orders them at workers by messages.
 * It allocates slots; a slot that is used again gets another generation, so that messages about the old
 * context are not taken for the new one.
 */
#ifndef CONTROL_SESSIONS_SESSIONS_H
#define CONTROL_SESSIONS_SESSIONS_H

#include "control/base/neighbour_ip.h"
#include "control/core/core.h"
#include "control/sessions/gone.h"
#include "control/sessions/strays.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/worker/lookup.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>

#define SESSIONS_NONE UINT32_MAX

/* One PDP context; but in a live node it is kept for the report after its end. */
struct session {
    uint32_t pdp, generation;                   /* slot in workers, and how often its home has filled it */
    uint32_t mobile;                            /* slot of its mobile */
    uint32_t sgsn_ip, teid, ggsn_ip, ggsn_teid; /* addresses as in base/address.h */
    uint32_t address;                           /* the mobile's IPv4 address, 0: not known */
    uint64_t prefix, interface;                 /* the halves of its IPv6 address, 0: not known */
    struct neighbour_ip ggsn_control,
        sgsn_control; /* of GTP-C, to match Delete Requests; 0 when configured */
    uint32_t ggsn_control_teid, sgsn_control_teid;
    uint8_t ip_version;   /* of its packets: 4 or 6; 0: either, or not known */
    bool is_any_payload;  /* N-PDUs need not be IP, whatever its PDP type */
    bool is_acknowledged; /* LLC is, or is ordered to be, in acknowledged mode */
    uint8_t takes;        /* enum node_config_takes */
    bool is_uncompressed; /* its GGSN prohibits to take data */
    uint8_t gtp_nsapi;    /* as GTP-C says */
    uint8_t nsapi;        /* as on the air */
    uint8_t sapi;         /* 0: as configured for all */
    uint8_t qclass;
    uint8_t pfi;          /* packet flow, N_PDU_NO_PFI */
    uint8_t home;         /* worker where its tunnel ends */
    bool is_teid_given;   /* gbflow allocates the TEID, which encodes home and slot (teid.h); set before the
                             session is added */
    uint32_t next_remote; /* the next session of its bucket (sessions_list.c) */
    uint64_t wanted;      /* id of its request over GTP-C (core_gtpc.h); 0: none */
    bool is_active;
};

struct sessions_mobile {
    char imsi[NODE_CONFIG_IMSI_CHARS];
    uint16_t nsapis; /* bit n: NSAPI n is taken */
    uint16_t wanted; /* contexts requested over GTP-C: while > 0 the mobile stays without a context */
    uint32_t wanted_pdp[MS_NSAPIS]; /* by NSAPI: 1 + the PDP slot of such a context; 0: none */
    bool in_use;
    bool is_leaving;   /* sessions_listed_sweep() ends its contexts */
    bool is_listed;    /* it is one of mobiles.list or mobiles.file */
    bool is_phone;     /* it attached itself, and counts as one of `wanted` */
    bool has_more_llc; /* state of its LLC beside numbers: it had a context, or sent XID or SABM */
    bool owes_reset;   /* its LLC is told to reset before the first frame to it (sessions_begin_llc()) */
};

struct records;
struct sessions_record;
struct sessions_wanted;

struct sessions {
    struct core *core;
    struct session *list; /* in the order of their beginning, also ended ones; of a live node in any order */
    uint32_t count, cap;
    uint32_t *remotes; /* buckets of active sessions (sessions_list.c) */
    uint32_t remotes_mask;
    struct sessions_mobile *mobiles; /* by slot */
    struct u64_map imsis;            /* slots of mobiles in use by IMSI (mobile_row.h) */
    struct sessions_wanted *wanted;  /* by PDP slot; NULL: none yet */
    uint64_t wanted_count;           /* contexts requested so far: the last id */
    uint32_t *pdp_session;           /* by PDP slot: its latest session, SESSIONS_NONE */
    uint32_t *pdp_generation;        /* by worker and PDP slot, as the worker counts its contexts */
    struct lookup_address
        addresses[LOOKUP_ADDRESSES]; /* that were sent to the workers, when there are several */
    uint32_t address_count;
    uint32_t next_tlli, next_home;
    uint32_t most_mobiles, most_contexts; /* limits; at most the numbers of slots */
    uint32_t mobile_count, context_count; /* slots in use */
    uint32_t mobile_hint, pdp_hint;       /* no slot below is free */
    uint32_t lookalikes; /* active sessions with a foreign TEID of the form of an allocated one */
    uint64_t refused;    /* sessions without a slot, or with invalid parameters */
    struct strays strays;
    struct gone gone;
    struct records *records;                 /* NULL: none */
    struct sessions_record *context_records; /* by PDP slot; NULL: none yet */
    uint64_t lost; /* sessions ended because their GGSN does not have them any more */
};

/* Allocates tables for the configured limits; false: out of memory. The core must outlive the sessions. */
bool sessions_new(struct sessions *s, struct core *core);
void sessions_free(struct sessions *s);

/* Sets the limits, at most the numbers of slots; existing mobiles and contexts stay. */
void sessions_limit(struct sessions *s, uint32_t mobiles, uint32_t contexts);

/* sessions_listed.c: adds all mobiles of the configuration's list, or one mobile of a configuration's list.
 * False: it or one of its contexts was refused, and counted. */
void sessions_listed_add_all(struct sessions *s);
bool sessions_listed_add(struct sessions *s, const struct node_config *config,
                         const struct node_config_mobile *listed);

/* Whether a mobile with so many contexts has slots, within the limits, once workers have answered what was
 * deleted, and not before. */
bool sessions_listed_must_wait(const struct sessions *s, uint32_t contexts);

/*
 * Adds a learned context to the mobile with this IMSI, which is made if it is new ("" is always new); fills
 * in ids. An invalid NSAPI (below 5) or one in use is replaced by the lowest free one. An older session on
 * the same tunnel ends, unless it is equal, and then stays. False: refused and counted.
 */
bool sessions_add(struct sessions *s, const char *imsi, const struct session *params);

struct sessions_traits {
    bool has_pfi;                        /* its frames may carry a PFI */
    bool stays_in_area, drops_suspended; /* struct ms_params */
    uint8_t first_sapi;
    uint16_t first_nu, first_down[MS_SAPIS];
};

/* Makes a mobile in a cell and orders it at its worker; returns its slot, or SESSIONS_NONE. */
uint32_t sessions_make_mobile(struct sessions *s, const char *imsi, uint32_t tlli, uint16_t cell,
                              struct sessions_traits traits);

/* Orders the LLC settings of a new mobile in a cell: unprotected mode (MSG_MS_PM) and ciphering. */
void sessions_order_llc(struct sessions *s, uint32_t slot, uint16_t cell, uint8_t unprotected,
                        const struct llc_cipher_params *ciphering);

/* A frame is about to be sent to a mobile: one that owes its phone XID with Reset sends that first. */
void sessions_begin_llc(struct sessions *s, uint32_t slot);

/* Tells LLC of a context; is_old: it was there before control restarted. */
void sessions_tell_llc(struct sessions *s, const struct session *session, bool is_old);

/* Whether SNDCP's entities may take whole N-PDUs of a context. */
bool sessions_takes_data(const struct session *session);

/* A node with a million contexts does not tell Lua of each if it has no entities. */
static inline bool sessions_compresses(const struct sessions *s)
{
    return node_config_has_entities(s->core->config);
}

/* Tells the Gb control plane of a context, if that has a packet flow. */
void sessions_tell_flow(struct sessions *s, const struct session *session);

/* The mobile's addresses, and its PDP type, as texts; NULL: it has none. */
const char *sessions_text_ipv4(const struct session *session, char text[INET6_ADDRSTRLEN]);
const char *sessions_text_ipv6(const struct session *session, char text[INET6_ADDRSTRLEN]);
const char *sessions_text_pdp_type(const struct session *session);

/* The IMSI of the mobile at a slot, as its DL-UNITDATA carry it. */
struct ms_imsi sessions_imsi(const struct sessions *s, uint32_t slot);

/* Slot of the mobile with an IMSI, and a PDP slot that is free; SESSIONS_NONE. */
uint32_t sessions_find_mobile(const struct sessions *s, const char *imsi);
uint32_t sessions_free_pdp(struct sessions *s);

/* To be called when a PDP slot has been taken or freed: counts it. */
void sessions_count_pdp(struct sessions *s, uint32_t pdp, bool was_used);

/* How often a worker has filled a slot, as its home. */
uint32_t sessions_generation(struct sessions *s, unsigned worker, uint32_t pdp);

/* Makes a mobile's context in a slot and orders it at its worker. False: no slot, NSAPI or TEID is free. */
bool sessions_fill(struct sessions *s, uint32_t mobile, uint32_t pdp, const struct session *params);

/* Deletes a mobile without contexts. */
void sessions_drop_idle(struct sessions *s, uint32_t mobile);

/* --- for the core (sessions_core.c) --- */

/* Registers with the core for intents and messages about mobiles and contexts. */
void sessions_core_join(struct sessions *s);

/* An intent of a row INTENT_SESSIONS or INTENT_SESSIONS_MSG. */
struct core_intent;
typedef void sessions_action(struct sessions *s, struct core_intent *intent);
#define INTENT_SESSIONS_MSG(op, MESSAGE, fields, action) sessions_action action;
#define INTENT_SESSIONS(op, fields, action)              sessions_action action;
#include "control/core/intents.def"

/* MSG_UNKNOWN_TLLI of a TLLI that no mobile has. True: it begins the signalling of a phone, or is of a known
 * one, and the frame goes back to the worker, or is dropped and counted; takes its buffer over. A phone whose
 * frame tells only that the node does not know it is told to attach again. */
bool sessions_phones_admit(struct sessions *s, const struct msg *msg);
/* MSG_PUNT_LLC. True: it was a message of a phone on SAPI 1 or 7; takes its buffer over. */
bool sessions_phones_punt(struct sessions *s, const struct msg *msg);
/* MSG_MS_REACHED of a mobile, which may be a phone. */
bool sessions_phones_reached(struct sessions *s, const struct msg *msg);

/* The answer to MSG_MS_HOLD of a mobile, which may be a phone. */
void sessions_phones_held(struct sessions *s, const struct msg *msg);

/* Deletes the phone at a slot; it stays as a mobile while it has contexts. */
void sessions_phones_drop(struct sessions *s, uint32_t slot);

/* After a restart of control: adds the mobiles to its new objects; then, when the records are adopted, the
 * contexts. */
void sessions_restart_mobiles(struct sessions *s);
void sessions_restart_contexts(struct sessions *s);

/* --- the end --- */

/* Ends a session, and deletes its mobile if that was its last one. */
void sessions_end(struct sessions *s, struct session *session);

/* Ends the sessions whose GGSN has no context with their TEID (Error Indication, TS 29.281 clause 7.3.1).
 * sgsn_ip: destination of the Error Indication; 0: a worker has compared it. */
void sessions_lose(struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid, uint32_t sgsn_ip);

/*
 * Removes many mobiles: sessions_listed_mark() for each of them, then sessions_listed_sweep() for each PDP
 * slot from 0 to limits.contexts - 1, which ends the contexts of marked mobiles. Each call takes a short
 * time.
 */
void sessions_listed_mark(struct sessions *s, const char *imsi);
void sessions_listed_sweep(struct sessions *s, uint32_t pdp);

/* The session that a worker identifies by (slot, generation), NULL; of a worker that is not its home the
 * latest session of the slot. */
struct session *sessions_of(struct sessions *s, unsigned worker, uint32_t pdp, uint32_t generation);

/* The TEIDs of sessions: those that gbflow allocates, which encode home worker and slot, and foreign TEIDs,
 * which control sends to all workers but the session's home. */

/* Whether the session's TEID is foreign and has the form of an allocated one. */
bool session_teid_is_lookalike(const struct sessions *s, const struct session *session);

/* Allocates a TEID that encodes the session's slot and home, with another generation each time the slot is
 * used. If a foreign TEID is equal by chance, the next generation is tried. */
uint32_t session_teid_give(const struct sessions *s, const struct session *session);

/*
 * The places of sessions (sessions_list.c), and an index of the active ones by the
 * GGSN's end of their tunnels. A run and a replay keep ended sessions for their reports. A live node uses the
 * place of an ended session for the next one of its PDP slot, so it has limits.contexts places at most.
 *
 * Invariant: a session is in the list of its bucket while it is active.
 */

/* False: out of memory; sessions_list_free() must be called in either case. */
bool sessions_list_new(struct sessions *s, uint32_t contexts);
void sessions_list_free(struct sessions *s);

/* A place for the next session of a PDP slot that is free; NULL: out of memory. */
struct session *sessions_list_take(struct sessions *s, uint32_t pdp);

/* A session begins; it ends. Its GGSN's address and TEID do not change meanwhile. */
void sessions_list_enter(struct sessions *s, struct session *session);
void sessions_list_leave(struct sessions *s, const struct session *session);

/* The index of the first session that may have this end, SESSIONS_NONE; session.next_remote has the next. */
uint32_t sessions_list_first(const struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid);

#endif
