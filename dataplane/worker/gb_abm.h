/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links in acknowledged mode of this worker's mobiles (abm/link.h): one for each (mobile, SAPI) that has a
 * PDP context with is_acknowledged.
 *
 * Downlink: the scheduler grants segments as in unacknowledged mode. They leave as I frames, copied from
 * their N-PDU, which stays in clear until it is confirmed. While a link's window is closed the mobile's
 * N-PDUs in acknowledged mode wait in the scheduler (sched_ms_close()), where AQM and lifetime hold: an N-PDU
 * without N(S) may be dropped, one with it is not. Repetitions take no turn, but wait until the buckets of
 * mobile, cell and link let them go, and are charged there. S and U frames go as signalling does.
 *
 * Nothing is sent to a mobile that is suspended, lost, silent, or in a cell that must not send: T200 and T201
 * begin again then, and do not count.
 *
 * Memory: `links` records of gb_abm_link_octets(), and references to at most `buffers` N-PDUs' segments in
 * all.
 */
#ifndef DATAPLANE_WORKER_GB_ABM_H
#define DATAPLANE_WORKER_GB_ABM_H

#include "dataplane/abm/link.h"
#include "dataplane/base/rng.h"
#include "dataplane/queue/wheel.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

struct ms;
struct pdp_params;
struct rte_mbuf;
struct worker;

#define GB_ABM_NONE UINT32_MAX

/* A link of a mobile; its tables follow. */
struct gb_abm_link {
    struct link link;
    uint32_t ms;         /* index of its mobile, MS_NONE: not in use */
    uint32_t next;       /* of the mobile's links, or of those that are free */
    uint32_t next_ready; /* in the list of those that have something to send */
    uint16_t armed_ds;   /* with is_timed: when, in tenths of a second modulo 2^16 */
    uint8_t contexts;    /* that use it; 0: it is released */
    bool is_ready : 1;   /* in that list */
    bool is_timed : 1;   /* the wheel has an entry for T200 or T201 */
    bool is_waiting : 1; /* the wheel has an entry for when something may be sent */
    bool is_starved : 1; /* the window is closed as all buffers are in use */
};

struct gb_abm {
    struct link_settings config;
    struct link_kind kind;
    struct rng rng;
    uint8_t *records;
    size_t record_octets;
    uint32_t *first; /* of each mobile's links, by its index; NULL: acknowledged mode is off */
    uint32_t mobiles;
    uint32_t free, free_count;
    uint32_t ready, ready_last;
    uint32_t starved, cursor; /* how many; where the search for one begins */
    uint32_t stored;          /* uplink frames that wait for those before them */
    bool is_feeding;
    struct wheel wheel;
};

/* False: out of memory. With links 0 nothing is allocated. */
bool gb_abm_new(struct worker *w, const struct link_settings *config, uint32_t mobiles);
void gb_abm_free(struct worker *w);

/* Octets of a record with its tables. */
size_t gb_abm_link_octets(const struct link_values *values);

/* A mobile's link on a SAPI; NULL: it has none. */
struct gb_abm_link *gb_abm_find(const struct worker *w, uint32_t ms, uint8_t sapi);

/* Prefetches what an N-PDU to a mobile needs of its first link. */
void gb_abm_prefetch(const struct worker *w, uint32_t ms);

/* Prefetches the N-PDUs that an N(R) confirms. */
void gb_abm_prefetch_confirmed(const struct gb_abm_link *l, uint16_t nr);

/* --- for gb_abm.c and gb_abm_tx.c alone --- */

/* Kinds of entries of the wheel, in the low bit of the pointer. */
enum { GB_ABM_WAKE_TIMER, GB_ABM_WAKE_SEND, GB_ABM_WAKE_MASK = 1 };

struct gb_abm_link *gb_abm_at(const struct gb_abm *abm, uint32_t index);
void gb_abm_arm(struct worker *w, struct gb_abm_link *l, int64_t at_ns, unsigned kind);
bool gb_abm_is_stale(const struct wheel_entry *entry, void *unused_arg);
bool gb_abm_has_buffers(const struct worker *w);
/* Whether a link leaves its mobile's window open. One that is released closes nothing. */
bool gb_abm_is_open(const struct worker *w, const struct gb_abm_link *l);
/* T200 or T201 runs out before the entry of the wheel, or there is none. */
bool gb_abm_must_arm(const struct gb_abm_link *l);
/* The window is closed until buffers are free, or not any more. */
void gb_abm_starve(struct worker *w, struct gb_abm_link *l, bool is_starved);
/* A link is released: its record is free, unless a context has joined meanwhile. */
void gb_abm_done(struct worker *w, struct gb_abm_link *l, int64_t now);
void gb_abm_recycle(struct gb_abm *abm, struct gb_abm_link *l);

/* --- contexts and mobiles --- */

/* A context in acknowledged mode uses the link of its mobile and SAPI from now on. -1: all links are in use,
 * which is counted. */
int gb_abm_attach(struct worker *w, uint32_t ms, uint8_t sapi, int64_t now);
/* It does not any more. The last one releases the link. */
void gb_abm_detach(struct worker *w, uint32_t ms, uint8_t sapi, unsigned nsapi, int64_t now);
/* The mobile leaves this worker: its links end without a word. */
void gb_abm_end(struct worker *w, uint32_t ms);

/* State of a link that goes to another worker with its mobile. Acknowledged mode is established again there;
 * no N-PDU is lost or comes twice. */
struct gb_abm_parcel {
    struct n_pdu_list unconfirmed; /* numbered, each with a reference */
    uint8_t sapi;                  /* 0: none */
    uint8_t next_number[LINK_NSAPIS];
    struct sn_receive in[LINK_NSAPIS];
};

enum { GB_ABM_SAPIS = 4 }; /* 3, 5, 9, 11 */

void gb_abm_take(struct worker *w, uint32_t ms, struct gb_abm_parcel parcels[GB_ABM_SAPIS]);
/* After the mobile's contexts were added. */
void gb_abm_put(struct worker *w, uint32_t ms, struct gb_abm_parcel parcels[GB_ABM_SAPIS], int64_t now);
/* Frees the N-PDUs of parcels. */
void gb_abm_parcels_free(struct gb_abm_parcel parcels[GB_ABM_SAPIS]);
/* A context ends on the way: frees its N-PDUs. A later one with its NSAPI has new numbers. */
void gb_abm_parcels_forget(struct gb_abm_parcel parcels[GB_ABM_SAPIS], unsigned nsapi);

/* Moves the N-PDUs of a context that were sent and are not confirmed to `out`, with a reference each. */
void gb_abm_take_unconfirmed(struct worker *w, uint32_t ms, uint8_t sapi, unsigned nsapi,
                             struct n_pdu_list *out, int64_t now);
/* One of these goes back, behind those that did before. False: there is no link. */
bool gb_abm_return(struct worker *w, uint32_t ms, uint8_t sapi, struct n_pdu *n_pdu, int64_t now);

/* A context came from another SGSN with these N-PDU numbers (link_continue()): acknowledged mode is
 * established. */
void gb_abm_continue(struct worker *w, const struct pdp_params *pdp, uint8_t send, uint8_t receive,
                     int64_t now);
/* An N-PDU that another SGSN has numbered: it goes before those without a number. False: there is no link, or
 * the number is not after that of the N-PDU before, or not before those that the link gives. */
bool gb_abm_resume(struct worker *w, const struct pdp_params *pdp, struct n_pdu *n_pdu, int64_t now);
/* The mobile has received the N-PDUs before a number. Returns how many of these were to be sent again. */
unsigned gb_abm_confirm(struct worker *w, const struct pdp_params *pdp, uint8_t number, int64_t now);

/* The mobile is in another cell. */
void gb_abm_moved(struct worker *w, uint32_t ms, int64_t now);
/* LLC-PDUs of it were discarded: all that are on the way, or some. */
void gb_abm_lost(struct worker *w, uint32_t ms, bool is_all, int64_t now);
/* Its key is another, or the other side has lost its state. */
void gb_abm_renew(struct worker *w, uint32_t ms, int64_t now);
/* It has reset its LLC: N(U) 0 and OC 0 are expected. No frame counts as sent before the last change of the
 * key any more: it would be deciphered with the former OC. */
void gb_abm_reset(struct worker *w, uint32_t ms, int64_t now);
/* The longest information that a segment of a mobile may have: the least N201-I of its links; UINT32_MAX: it
 * has none. */
uint32_t gb_abm_n201(const struct worker *w, uint32_t ms);
/* Proposals and bounds of establishments from now on; k stays, for which links have memory. */
void gb_abm_values(struct worker *w, const struct link_values *values);
/* Bounds by an XID exchange on a SAPI; without a link there: nothing. */
void gb_abm_bound(struct worker *w, uint32_t ms, uint8_t sapi, const struct link_values *values, int64_t now);

/* The links of a mobile as another thread reads them, as context_look_ms() does. */
struct gb_abm_look {
    uint32_t links;
    uint32_t open;        /* in acknowledged mode */
    uint32_t unconfirmed; /* I frames that are not acknowledged */
    uint32_t repeated;    /* repetitions since acknowledged mode was established, modulo 2^16 for each link */
};
struct gb_abm_look gb_abm_look(const struct worker *w, uint32_t ms);

/* --- uplink --- */

/* Whether one more uplink frame may wait for those before it; else it counts as lost. */
static inline bool gb_abm_may_store(const struct gb_abm *abm)
{
    return abm->stored < abm->config.buffers;
}

/* A link has received something: its window, its timers, and whether it has something to send. */
void gb_abm_touch(struct worker *w, struct gb_abm_link *l, int64_t now);

#endif
