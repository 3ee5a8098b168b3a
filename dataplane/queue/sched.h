/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who may send the next LLC-PDU: flow control first, then turns.
 *
 * Model: a mobile (sched_ms) with something to send is ready, in the ring of its cell (sched_bvc), or parked
 * on a timer until its own bucket opens. A cell with ready mobiles is ready itself, in the scheduler's ring,
 * or parked until its bucket opens for the LLC-PDU whose turn it is. Mobiles take turns by LLC-PDU inside a
 * cell, cells take turns likewise. The mobile whose turn it is keeps it while the cell waits: a PDU behind a
 * delayed one of the same bucket does not overtake (TS 48.018 clause 8.2.3.2.1), or short PDUs would starve
 * long ones. A mobile whose own bucket is closed gives its turn away. All levels are tested, then all are
 * charged, at one instant.
 *
 * An entity that is parked costs nothing until its instant. Each mobile with a finite lifetime has a second
 * timer for the age of its head.
 *
 * Not here: classes and weights, PFCs and the link's own rate.
 */
#ifndef DATAPLANE_QUEUE_SCHED_H
#define DATAPLANE_QUEUE_SCHED_H

#include "dataplane/queue/bucket.h"
#include "dataplane/queue/ms_queue.h"
#include "dataplane/queue/timers.h"

enum sched_state {
    SCHED_STATE_IDLE,   /* nothing to send, or not allowed to */
    SCHED_STATE_READY,  /* in its ring */
    SCHED_STATE_PARKED, /* waits for its bucket, on the timer when an instant is known */
};

struct sched_bvc;

struct sched_ms {
    struct ms_queue queue;
    struct bucket bucket;
    struct sched_bvc *bvc;
    struct sched_ms *next; /* in the cell's ring */
    struct timer wake;
    struct timer expiry;
    enum sched_state state;
};

struct sched_bvc {
    struct bucket bucket;
    struct sched_ms *head, *last; /* ready mobiles in the order of their turns */
    struct sched_bvc *next;       /* in the scheduler's ring */
    struct timer wake;
    enum sched_state state;
    bool usable; /* flow control known, not blocked, a way to the BSS: may send */
};

struct sched {
    struct timers timers;
    struct sched_bvc *head, *last; /* ready cells */
    struct n_pdu_list dropped;     /* with drop_reason; the owner takes them */
};

/* One LLC-PDU that leaves now. */
struct sched_grant {
    struct sched_ms *ms;
    struct n_pdu *n_pdu;  /* the caller's after the last segment, else still the queue's */
    uint16_t offset;      /* of the payload in the N-PDU */
    uint8_t segment;      /* SNDCP segment number */
    struct llc_next next; /* payload_octets, llc_octets, last */
};

/* Room for that many mobiles and cells. False when there is no memory. */
bool sched_new(struct sched *s, uint32_t ms_count, uint32_t bvc_count);
void sched_free(struct sched *s);

/* A cell with an empty bucket that is not usable; a mobile with an empty queue in it: the caller sets the
 * queue's limit, segmenting and max_age_ns before anything is put. */
void sched_bvc_init(struct sched_bvc *bvc, int64_t now);
void sched_ms_init(struct sched_ms *ms, struct sched_bvc *bvc, int64_t now);

/* Empties its queue onto dropped with this reason; the mobile then is in no ring and on no timer. */
void sched_ms_flush(struct sched *s, struct sched_ms *ms, int reason);

/* Queues an N-PDU: DROP_NONE, or DROP_QUEUE_FULL and it stays the caller's. */
int sched_enqueue(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu);

/* Drops the N-PDUs of one PDP context; those in service count as partial. */
void sched_remove_pdp(struct sched *s, struct sched_ms *ms, uint32_t pdp);

/* The next LLC-PDU that conforms at now at every level, charged. False when none does. */
bool sched_pick(struct sched *s, struct sched_grant *grant, int64_t now);

/* Wakes what is due and drops what has grown too old. Call it before sched_pick(). */
void sched_advance(struct sched *s, int64_t now);

/* When there will be something to do: now or earlier when cells are ready, MOMENT_NEVER when everything waits
 * for events. */
int64_t sched_next_ns(const struct sched *s);

/* Parameters or a level changed: the bucket was set by the caller, these look again at who waits for it. */
void sched_bvc_changed(struct sched *s, struct sched_bvc *bvc);
void sched_ms_changed(struct sched *s, struct sched_ms *ms);

/* Allows or forbids a cell to send; queues stay. */
void sched_bvc_use(struct sched *s, struct sched_bvc *bvc, bool usable);

#endif
