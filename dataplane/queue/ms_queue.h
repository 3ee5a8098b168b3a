/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The N-PDUs of one mobile that wait, first in first out, and how the first of them comes apart into
 * LLC-PDUs. Whole N-PDUs wait in clear; a segment exists only from the moment it leaves.
 *
 * Invariant: octets = sum over the list of (n_pdu.octets - n_pdu.sent_octets), pkts = its length; only the
 * head may be in service.
 */
#ifndef DATAPLANE_QUEUE_MS_QUEUE_H
#define DATAPLANE_QUEUE_MS_QUEUE_H

#include "dataplane/base/n_pdu.h"

#include <stdbool.h>
#include <stdint.h>

/* What one LLC-PDU carries of an N-PDU, and how much longer its headers and FCS make it. */
struct segmenting {
    uint16_t first_octets; /* of the N-PDU in the first LLC-PDU */
    uint16_t next_octets;  /* in each later one */
    uint8_t first_overhead_octets;
    uint8_t next_overhead_octets;
};

struct ms_queue {
    struct n_pdu_list list;
    uint32_t octets;
    uint32_t pkts;
    uint32_t limit_octets;
    struct segmenting segmenting;
    int64_t max_age_ns; /* an older N-PDU does not leave; MOMENT_NEVER: any may, -1: none. Set before the
                           first put */
};

/* The next LLC-PDU of a queue. */
struct llc_next {
    uint16_t payload_octets; /* of the N-PDU */
    uint16_t llc_octets;     /* the whole LLC-PDU, address to FCS: what buckets count */
    bool last;               /* of its N-PDU */
};

/* Appends; false when the limit has no room for it (the caller keeps it and counts). */
bool ms_queue_put(struct ms_queue *q, struct n_pdu *n_pdu);

static inline struct n_pdu *ms_queue_head(const struct ms_queue *q)
{
    return q->list.head;
}

/* What would leave next. The queue must not be empty. */
struct llc_next ms_queue_next(const struct ms_queue *q);

/*
 * Hands out the next LLC-PDU: moves the head's sent_octets and segment on, and unlinks it when this was its
 * last. Returns the N-PDU; after the last segment it belongs to the caller.
 */
struct n_pdu *ms_queue_take(struct ms_queue *q, const struct llc_next *next);

/* Unlinks the head whole, or what is left of it. NULL when empty. */
struct n_pdu *ms_queue_drop_head(struct ms_queue *q);

/* Moves the N-PDUs of one PDP context onto out, in order; returns how many. */
uint32_t ms_queue_remove_pdp(struct ms_queue *q, uint32_t pdp, struct n_pdu_list *out);

/* The first instant at which the head is too old, MOMENT_NEVER when none will be. */
int64_t ms_queue_expiry_ns(const struct ms_queue *q);

#endif
