/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who may send the next LLC-PDU: flow control first, then fairness.
 *
 * Hierarchy: link (NSE) > cell (BVC) > mobile > flow (traffic class, and packet flow if it has one). An
 * LLC-PDU leaves when it conforms at the buckets of its packet flow, mobile, cell and link (TS 48.018 clause
 * 8.2.3.2): all are tested, then all are charged, at one instant.
 *
 * Shares hold at the first level that limits:
 *   - a cell that its own bucket limits shares its rate by weight among its classes,
 *   - what such cells leave of the link is shared by weight among the classes of all other cells,
 *   - a class is shared equally among its mobiles (turns.h), so is a class of the link,
 *   - a mobile that its own bucket limits shares its rate by weight among its flows,
 *   - with flow queues, a mobile's part of a class is shared among its 5-tuples (flow_sets.h).
 * Weights are those of start-time fair queueing (Goyal, Vin and Cheng 1996). Signalling and short messages go
 * before everybody else, up to the share that their weights give them.
 *
 * A flow is in the turns of its cell's class while it may send; else its mobile (or the flow itself, for its
 * packet flow's bucket) is parked until the exact instant at which it may, on a timing wheel, and costs
 * nothing. So is a cell that its bucket limits, and a link.
 *
 * Not here: where N-PDUs come from and go to, what parameters are announced (context), AQM.
 */
#ifndef DATAPLANE_SCHED_SCHED_H
#define DATAPLANE_SCHED_SCHED_H

#include "dataplane/sched/sched_types.h"

/* Weights as above, no limits but FLOW_QUEUE_MAX_PKTS, no lifetime; headers of SNDCP and LLC are the
 * caller's. */
void sched_params_default(struct sched_params *params);

/* One LLC-PDU that leaves now. */
struct sched_grant {
    struct sched_ms *ms;
    struct n_pdu *n_pdu;  /* the caller's after the last segment, else still the queue's */
    uint16_t offset;      /* of the payload in the N-PDU */
    uint8_t segment;      /* SNDCP segment number */
    struct llc_next next; /* payload_octets, llc_octets, last */
};

#define SCHED_PASS_MAX 4 /* LLC-PDUs that leave at once by the short way */

/* Room for so many mobiles, extra flows, cells, links and sets of flow queues (if params ask for any). False
 * when there is no memory. */
struct sched_counts {
    uint32_t mobiles, extras, bvcs, links;
    uint32_t flow_sets; /* of queues by 5-tuple */
    uint32_t pkts;      /* that may ever wait, whatever params say later; 0: as they say now */
};
bool sched_new(struct sched *s, const struct sched_counts *counts, const struct sched_params *params);
void sched_free(struct sched *s);

/* Queues an N-PDU (qclass, pfi, sapi are set, and flow_hash when there are flow queues; pfi only while that
 * packet flow is known): DROP_NONE, or the reason and it stays the caller's. May put others on s->dropped,
 * when the budget is used up, or a mobile's limit and another of its flow queues is longer. */
int sched_enqueue(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now);

/* Into how many LLC-PDUs a whole N-PDU comes apart. */
static inline unsigned sched_segments(const struct sched *s, const struct sched_ms *ms, uint32_t octets)
{
    uint32_t first_room = (uint32_t)ms->n201_u - s->params.segmenting.first_octets;
    uint32_t room = (uint32_t)ms->n201_u - s->params.segmenting.later_octets;
    return octets <= first_room ? 1 : 1 + (octets - first_room + room - 1) / room;
}

/*
 * The short way for an N-PDU of at most SCHED_PASS_MAX LLC-PDUs that has nothing before it in its mobile,
 * cell and link, and conforms whole: so many LLC-PDUs leave now, charged, without having been queued; grants
 * has room for them. 0: AQM has dropped it, and it is on s->dropped. -1: nothing was done, queue it. As
 * sched_enqueue() followed by sched_pick() would do it, for less.
 */
int sched_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct sched_grant *grants,
                 int64_t now);

/* The next LLC-PDU that conforms at now at every level, charged. False when none does. Wakes what is due and
 * drops what has grown too old before. */
bool sched_pick(struct sched *s, struct sched_grant *grant, int64_t now);

/* The same without sending: for who cannot send everything that may go, so that it waits by its share. */
void sched_advance(struct sched *s, int64_t now);

/* When there will be something to do: INT64_MIN when there may be now, MOMENT_NEVER when everything waits for
 * events. */
int64_t sched_next_ns(const struct sched *s);

/* --- what can be set while packets wait: sched_set.c. It holds for what comes from then on; what waits
 * beyond a limit goes or grows old --- */
struct sched_bounds {
    uint32_t ms_limit_pkts, budget_pkts, reserve_pkts;
    uint16_t flow_quantum_octets;
};
/* -1, and nothing is set: no such class, no weight, more packets than there is room for, or too small a
 * quantum. */
int sched_set_class(struct sched *s, unsigned qclass, uint32_t weight, const struct sched_limit *limit);
int sched_set_bounds(struct sched *s, const struct sched_bounds *bounds);
/* Of each mobile sched_ms_look_again() is due afterwards. */
void sched_set_age(struct sched *s, int64_t max_age_ns);
/* What waits of a mobile is as old as it may grow now, or has until then. */
void sched_ms_look_again(struct sched *s, struct sched_ms *ms, int64_t now);

/* --- links: sched_link.c --- */
/* The committed rate of a link, in NS-PDU octets. Signalling may take a part of it at most. */
struct sched_link_rate {
    uint64_t rate_bps;   /* 0: none */
    uint64_t max_octets; /* of its bucket */
    uint32_t signalling_percent;
};
/* A link without a rate. */
void sched_link_init(struct sched_link *link, int64_t now);
void sched_link_set(struct sched *s, struct sched_link *link, const struct sched_link_rate *rate,
                    int64_t now);
/* It has no cells any more: nothing here speaks of it, so that its memory may be another's. */
void sched_link_fini(struct sched *s, struct sched_link *link);
/* Whether a signalling frame may go before all users' ones, and that it did. */
bool sched_link_can_signal(const struct sched_link *link, uint32_t octets, int64_t now);
void sched_link_signal(struct sched_link *link, uint32_t octets, int64_t now);

/* --- cells: sched_bvc.c --- */
/* A cell with an empty bucket (Bmax = R = 0) that may not send. */
void sched_bvc_init(struct sched_bvc *bvc, struct sched_link *link, int64_t now);
/* Allows or forbids a cell to send; queues stay. */
void sched_bvc_use(struct sched *s, struct sched_bvc *bvc, bool usable);
/* It has no mobiles any more and may not send: the same as sched_link_fini(). */
void sched_bvc_fini(struct sched *s, struct sched_bvc *bvc);
/* Its bucket was changed by the caller: looks again at who waits for it. */
void sched_bvc_changed(struct sched *s, struct sched_bvc *bvc);

/* --- mobiles: sched_ms.c --- */
/* A mobile with an empty bucket (Bmax = R = 0) and empty queue. */
void sched_ms_init(struct sched_ms *ms, struct sched_bvc *bvc, int64_t now);
/* Its bucket was changed by the caller, or n201_u, hence the length of what it sends next. */
void sched_ms_changed(struct sched *s, struct sched_ms *ms, int64_t now);
/* Holds back what waits (flags of SCHED_MS_FROZEN), or lets it go again. */
void sched_ms_freeze(struct sched *s, struct sched_ms *ms, uint8_t flags);
void sched_ms_thaw(struct sched *s, struct sched_ms *ms, uint8_t flags, int64_t now);
/* To another cell with all that waits; its bucket is emptied, the caller sets its parameters first. Packet
 * flows' buckets are forgotten (clause 8.2.3.2.1: parameters hold in one cell). */
void sched_ms_move(struct sched *s, struct sched_ms *ms, struct sched_bvc *bvc, int64_t now);
/* Empties its queues onto s->dropped with this reason, and gives its extra flows back. */
void sched_ms_flush(struct sched *s, struct sched_ms *ms, int reason);
/* Empties its queues onto out, in an order in which they may leave; gives its extra flows back. */
void sched_ms_take_all(struct sched *s, struct sched_ms *ms, struct n_pdu_list *out);
/* Drops the N-PDUs of one PDP context; those in service count as partial. */
void sched_ms_remove_pdp(struct sched *s, struct sched_ms *ms, uint32_t pdp, int64_t now);
/*
 * An LLC-PDU of signalling to a mobile goes before what waits and need not conform, but counts: for the
 * mobile's bucket and the cell's (TS 48.018 clause 8.2). Whether it may go, for neither lies more than
 * SCHED_SIGNAL_DEBT_OCTETS beyond its Bmax then; and that it did.
 */
#define SCHED_SIGNAL_DEBT_OCTETS (UINT64_C(4) * SCHED_LARGEST_PDU)
bool sched_ms_can_signal(const struct sched_ms *ms, uint32_t octets, int64_t now);
void sched_ms_signal(struct sched_ms *ms, uint32_t octets, int64_t now);
/* N-PDUs and octets that wait. */
struct sched_limit sched_ms_backlog(const struct sched *s, const struct sched_ms *ms);

/* --- packet flows: sched_pfc.c --- */
/* Makes a packet flow of a mobile known, without a bucket as yet. -1: no room. */
int sched_pfc_add(struct sched *s, struct sched_ms *ms, uint8_t pfi, int64_t now);
/* Its bucket, to be set by the caller, who then says sched_pfc_changed(). NULL: not known. */
struct sched_extra *sched_pfc_get(struct sched *s, struct sched_ms *ms, uint8_t pfi);
void sched_pfc_changed(struct sched *s, struct sched_extra *pfc, int64_t now);
/* Deleted: what waits joins the mobile's other flows. */
void sched_pfc_del(struct sched *s, struct sched_ms *ms, uint8_t pfi, int64_t now);

#endif
