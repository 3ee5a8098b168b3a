/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * N-PDUs between two SGSNs, while a mobile that control holds goes from one to the other (TS 23.060 clause
 * 6.9.1.2.2, TS 29.060 clause 7.5.4).
 *
 * The old SGSN forwards those of a context: first what was sent to the mobile in acknowledged mode and is not
 * confirmed, with its N-PDU numbers, then what is queued, one partly sent first and whole again, the others
 * in order of arrival, then what arrives. They go to the new SGSN as G-PDUs, at line rate: without buckets,
 * AQM and lifetime. While the next hop is not known, or the port has no room, they wait.
 *
 * The new SGSN takes those of the old one to the mobile's queue, and has those of the GGSN wait behind them
 * until the hold ends. In acknowledged mode those with an N-PDU number go to the mobile's link, with that
 * number, and before all others; they count as sent. Without a link, or when the hold is over, the number is
 * of no use.
 *
 * A context that takes part has a record: at its home for the address of the old SGSN, at the worker that
 * serves the mobile for all else. N-PDUs of a record count as queued (sched.pkts), and are within the limits
 * of the mobile's queue. A stage sends FORWARD_BURST of them in a step.
 *
 * Invariant: of a record's N-PDUs those with sent_octets = octets were sent to the mobile, are counted there,
 * and are first; of others sent_octets is 0.
 */
#ifndef DATAPLANE_WORKER_FORWARD_H
#define DATAPLANE_WORKER_FORWARD_H

#include "dataplane/base/n_pdu.h"
#include "dataplane/base/u64_map.h"

#include <stdbool.h>
#include <stdint.h>

#define FORWARD_RECORDS 16384 /* at most; else as many as there are contexts */
#define FORWARD_BURST   32    /* N-PDUs in one step */

struct ms;
struct worker;

enum forward_mode {
    FORWARD_OFF,
    FORWARD_TO,    /* to another SGSN */
    FORWARD_ENDED, /* nowhere: N-PDUs are dropped as handed_over */
};

/* The part of a record that goes to another worker with its mobile. */
struct forward_parcel {
    uint32_t to_ip, to_teid; /* of FORWARD_TO */
    uint8_t mode;            /* enum forward_mode */
    bool is_taking_over;     /* those of the GGSN wait behind those of the old SGSN */
    struct n_pdu_list list;
};

struct forward_record {
    struct forward_parcel way;
    uint32_t pdp;     /* index of its context; with `next` alone: free */
    uint32_t from_ip; /* of the old SGSN, at the context's home; ADDRESS_NONE: none */
    uint32_t pkts, octets;
    bool is_active; /* in the list of those with something to send */
    struct forward_record *next;
};

struct forward {
    struct forward_record *records, *free;
    uint32_t limit, count; /* of records, and in use */
    uint32_t froms;        /* with from_ip */
    struct u64_map by_pdp;
    struct forward_record *active, *active_last; /* first in, first out */
    int64_t retry_ns;                            /* nothing can be sent before */
};

/* False: out of memory; forward_free() is due all the same. */
bool forward_new(struct forward *f, uint32_t pdps);
void forward_free(struct forward *f);

/* --- the old SGSN --- */

/* Where the N-PDUs of a mobile's context go. */
struct forward_to {
    uint32_t ip, teid; /* ip ADDRESS_NONE: nowhere any more */
    uint8_t nsapi;
};

/* -1: the mobile is not held, has no such context, the address is not known or of another IP version than the
 * tunnel's, or no record is free. */
int forward_begin(struct worker *w, uint32_t ms, const struct forward_to *to, int64_t now);

/* --- the new SGSN --- */

/* The address of the old SGSN, at the home of a context; ADDRESS_NONE: it has none any more. -1: no record is
 * free. */
int forward_from(struct worker *w, uint32_t pdp, uint32_t ip);
/* The same at the worker that serves the mobile. One whose N-PDUs went to another SGSN has come back: nothing
 * goes there any more. */
int forward_take_over(struct worker *w, uint32_t pdp, bool is_taking_over, int64_t now);

/* Whether an N-PDU comes from the old SGSN of its context: notes and counts it. False if `froms` is 0. */
bool forward_is_from(struct worker *w, struct n_pdu *n_pdu, uint32_t src_ip);

/* --- both --- */

/* An N-PDU has arrived for a mobile that may be held. FORWARD_NOT: it is to be queued; else it is the
 * record's (DROP_NONE), or the reason for which it is to be dropped. */
#define FORWARD_NOT (-1)
int forward_take(struct worker *w, const struct ms *ms, struct n_pdu *n_pdu, int64_t now);

/* The hold of a mobile ends: its N-PDUs are queued, or go back to their link; nothing is forwarded. */
void forward_end(struct worker *w, const struct ms *ms, int64_t now);

/* A context ends: so does its record. Drops its N-PDUs. */
void forward_forget(struct worker *w, uint32_t pdp, int64_t now);

/* The mobile goes to another worker. Returns the number of N-PDUs that were queued here. */
uint32_t forward_pack(struct worker *w, uint32_t pdp, struct forward_parcel *parcel);
/* Without a free record N-PDUs are queued, or dropped if they were to be forwarded. */
void forward_unpack(struct worker *w, uint32_t pdp, struct forward_parcel *parcel, int64_t now);
void forward_parcel_free(struct forward_parcel *parcel);

/* How many N-PDUs the record of a context has; between steps. */
uint32_t forward_pkts(const struct worker *w, uint32_t pdp);

/* Whether an N-PDU of a record was counted when it was sent to the mobile. */
static inline bool forward_was_sent(const struct n_pdu *n_pdu)
{
    return n_pdu->sent_octets == n_pdu->octets;
}

/* A stage: how many N-PDUs left or were dropped. */
unsigned forward_send(struct worker *w, int64_t now);

#endif
