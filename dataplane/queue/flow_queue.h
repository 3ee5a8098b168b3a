/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queued N-PDUs of one flow, and the segmentation of the head into LLC-PDUs. N-PDUs are queued whole and
 * in clear; a segment is made only when it leaves.
 *
 * Invariants: octets = sum over the list of (n_pdu.octets - n_pdu.sent_octets), pkts = its length; only the
 * head may be in service. The next LLC-PDU is known without reading the head, which may have left the cache:
 * head_octets is its unsent part, and each N-PDU stores length and mode of the next one.
 */
#ifndef DATAPLANE_QUEUE_FLOW_QUEUE_H
#define DATAPLANE_QUEUE_FLOW_QUEUE_H

#include "dataplane/base/n_pdu.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The limit of an N-PDU's age since receipt on Gn, and the PDU Lifetime sent to the BSS (TS 48.018 clause
 * 11.3.25, in 10 ms).
 *   split      sgsn_max limits the time in SGSN and BSS together. PDU Lifetime is the rest of it when the
 *              frame leaves, at most bss_max; a frame with less than bss_min left is dropped.
 *   sgsn_only  sgsn_max limits the time in the SGSN; PDU Lifetime is "infinite".
 *   per_node   sgsn_max limits the time in the SGSN; PDU Lifetime is bss_max.
 */

enum lifetime_mode {
    LIFETIME_SPLIT,
    LIFETIME_SGSN_ONLY,
    LIFETIME_PER_NODE,
};

struct lifetime {
    enum lifetime_mode mode;
    int64_t sgsn_max_ns; /* MOMENT_NEVER: no limit */
    int64_t bss_min_ns;
    int64_t bss_max_ns; /* MOMENT_NEVER: no limit */
};

#define LIFETIME_INFINITE_CS UINT16_C(0xffff)

/* The greatest age at which a frame may leave; older ones are dropped. MOMENT_NEVER: no limit, -1: none may.
 * */
int64_t lifetime_max_age_ns(const struct lifetime *l);

/* PDU Lifetime in centiseconds, rounded down, of a frame of this age, at most lifetime_max_age_ns(). */
uint16_t lifetime_pdu_cs(const struct lifetime *l, int64_t age_ns);

#define FLOW_QUEUE_MAX_PKTS   UINT16_MAX
#define FLOW_QUEUE_MAX_OCTETS 16383 /* of an N-PDU; SNDCP carries less */

/* Octets that segmentation adds; the same for all mobiles, but not for both modes of LLC. */
struct segmenting {
    uint8_t first_octets; /* SNDCP header of a first segment, inside N201-U */
    uint8_t later_octets; /* of a later segment */
    uint8_t llc_octets;   /* LLC header and FCS */
};

struct flow_queue {
    struct n_pdu_list list;
    uint32_t octets;
    uint16_t pkts;
    uint16_t head_octets : 14;    /* unsent octets of the head */
    uint16_t is_begun : 1;        /* the head is in service */
    uint16_t is_acknowledged : 1; /* the head goes in I frames */
};

/* The next LLC-PDU of a queue. */
struct llc_next {
    uint16_t payload_octets; /* of the N-PDU */
    uint16_t llc_octets;     /* the whole LLC-PDU, address to FCS: what buckets count */
    bool last;               /* of its N-PDU */
};

/* In n_pdu.next_octets, beside the length: the next N-PDU goes in I frames. */
#define FLOW_QUEUE_NEXT_ACKNOWLEDGED 0x8000u

/* Takes length and mode of a new head from the N-PDU before it. */
static inline void flow_queue_show(struct flow_queue *q, uint16_t next_octets)
{
    q->head_octets = next_octets & FLOW_QUEUE_MAX_OCTETS;
    q->is_begun = false;
    q->is_acknowledged = (next_octets & FLOW_QUEUE_NEXT_ACKNOWLEDGED) != 0;
}

/* Appends an N-PDU; the caller has checked the limits, including pkts < FLOW_QUEUE_MAX_PKTS. */
static inline void flow_queue_put(struct flow_queue *q, struct n_pdu *n_pdu)
{
    uint16_t left = (uint16_t)(n_pdu->octets - n_pdu->sent_octets);
    uint16_t next_octets = (uint16_t)(left | (n_pdu->is_acknowledged ? FLOW_QUEUE_NEXT_ACKNOWLEDGED : 0));
    if (q->pkts > 0) {
        q->list.last->next_octets = next_octets;
    } else {
        flow_queue_show(q, next_octets);
        q->is_begun = n_pdu->sent_octets > 0;
    }
    n_pdu_list_put(&q->list, n_pdu);
    q->octets += left;
    q->pkts++;
}

static inline struct n_pdu *flow_queue_head(const struct flow_queue *q)
{
    return q->list.head;
}

/* The next LLC-PDU at N201-U, or N201-I, with the headers of the head's mode. The queue must not be empty. */
static inline struct llc_next flow_queue_next(const struct flow_queue *q, const struct segmenting *s,
                                              uint16_t n201_u)
{
    uint32_t sndcp_octets = q->is_begun ? s->later_octets : s->first_octets;
    uint32_t room = n201_u - sndcp_octets;
    uint32_t left = q->head_octets;
    uint32_t payload = left < room ? left : room;
    return (struct llc_next){
        .payload_octets = (uint16_t)payload,
        .llc_octets = (uint16_t)(payload + sndcp_octets + s->llc_octets),
        .last = payload == left,
    };
}

/* Unlinks the head, whole or in service. NULL when empty. */
static inline struct n_pdu *flow_queue_drop_head(struct flow_queue *q)
{
    struct n_pdu *n_pdu = n_pdu_list_take(&q->list);
    if (n_pdu) {
        q->octets -= (uint32_t)(n_pdu->octets - n_pdu->sent_octets);
        q->pkts--;
        flow_queue_show(q, n_pdu->next_octets);
    }
    return n_pdu;
}

/*
 * Takes the next LLC-PDU: advances the head's sent_octets and segment, and unlinks it when this was its last
 * segment. Returns the N-PDU, which the caller owns after the last segment.
 */
static inline struct n_pdu *flow_queue_take(struct flow_queue *q, const struct llc_next *next)
{
    struct n_pdu *n_pdu = q->list.head;
    n_pdu->sent_octets = (uint16_t)(n_pdu->sent_octets + next->payload_octets);
    n_pdu->segment++;
    q->octets -= next->payload_octets;
    q->head_octets = (uint16_t)(q->head_octets - next->payload_octets) & FLOW_QUEUE_MAX_OCTETS;
    q->is_begun = true;
    if (next->last)
        flow_queue_drop_head(q);
    return n_pdu;
}

/* The head, of which nothing has been sent, has become so many octets shorter. */
static inline void flow_queue_shorten(struct flow_queue *q, uint32_t octets)
{
    q->octets -= octets;
    q->head_octets = (uint16_t)(q->head_octets - octets) & FLOW_QUEUE_MAX_OCTETS;
}

/* Moves the arrivals on by the time since since_ns that each N-PDU has waited. */
void flow_queue_spare(const struct flow_queue *q, int64_t since_ns, int64_t now);

/* Unlinks the first N-PDU that is not in service. NULL: there is none. */
struct n_pdu *flow_queue_drop_waiting(struct flow_queue *q);

/* Moves the N-PDUs of one PDP context to the end of out, in order; returns their number. */
uint32_t flow_queue_remove_pdp(struct flow_queue *q, uint32_t pdp, struct n_pdu_list *out);

#endif
