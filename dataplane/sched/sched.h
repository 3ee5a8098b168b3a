/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of the next LLC-PDU: flow control first, then fairness.
 *
 * Hierarchy: link (NSE) > cell (BVC) > mobile > flow (traffic class, and packet flow if it has one). An
 * LLC-PDU leaves when it conforms at the buckets of its packet flow, mobile, cell and link (TS 48.018 clause
 * 8.2.3.2): all are tested, then all are charged, at one instant.
 *
 * Shares hold at the first level that limits:
 *   - a cell that its own bucket limits shares its rate by weight among its classes,
 *   - the rest of the link's rate is shared by weight among the classes of all other cells,
 *   - a class is shared equally among its mobiles (turns.h), so is a class of the link,
 *   - a mobile that its own bucket limits shares its rate by weight among its flows,
 *   - with flow queues, a mobile's part of a class is shared among its 5-tuples (flow_sets.h).
 * Weights are those of start-time fair queueing (Goyal, Vin and Cheng 1996). Signalling and short messages
 * go before all other classes, up to the share of their weights.
 *
 * A flow is in the turns of its cell's class while it may send. Otherwise its mobile (or, for its packet
 * flow's bucket, the flow) is parked on a timing wheel until the exact instant at which it may, and costs
 * nothing. Cells and links with a closed bucket are parked, too.
 *
 * Not here: source and destination of N-PDUs, the announced parameters (context), AQM.
 */
#ifndef DATAPLANE_SCHED_SCHED_H
#define DATAPLANE_SCHED_SCHED_H

#include "dataplane/sched/sched_types.h"

/* Weights as above, no limit but FLOW_QUEUE_MAX_PKTS, no lifetime; the caller sets the SNDCP and LLC
 * headers. */
void sched_params_default(struct sched_params *params);

/* One LLC-PDU that leaves now. */
struct sched_grant {
    struct sched_ms *ms;
    struct n_pdu *n_pdu;  /* the caller's after the last segment, else the queue's */
    uint16_t offset;      /* of the payload in the N-PDU */
    uint8_t segment;      /* SNDCP segment number */
    struct llc_next next; /* payload_octets, llc_octets, last */
};

#define SCHED_PASS_MAX 4 /* LLC-PDUs that may bypass the queue together */

/* Room for this many mobiles, extra flows, cells, links and sets of flow queues (if params use them).
 * sched_new() returns false when out of memory. */
struct sched_counts {
    uint32_t mobiles, extras, bvcs, links;
    uint32_t flow_sets; /* of queues by 5-tuple */
    uint32_t pkts;      /* that may ever be queued, whatever params are set later; 0: as params are now */
};
bool sched_new(struct sched *s, const struct sched_counts *counts, const struct sched_params *params);
void sched_free(struct sched *s);

/*
 * Queues an N-PDU. Set are qclass, pfi (only of a packet flow that has been added), sapi, and with flow
 * queues flow_hash. DROP_NONE, or the reason, and the caller keeps it. Other N-PDUs may be put on
 * s->dropped, when the budget is used up, or at a mobile's limit when another of its flow queues is longer.
 */
int sched_enqueue(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now);

/* The number of LLC-PDUs of a whole N-PDU. */
static inline unsigned sched_segments(const struct sched *s, const struct sched_ms *ms, uint32_t octets)
{
    uint32_t first_room = (uint32_t)ms->n201_u - s->params.segmenting.first_octets;
    uint32_t room = (uint32_t)ms->n201_u - s->params.segmenting.later_octets;
    return octets <= first_room ? 1 : 1 + (octets - first_room + room - 1) / room;
}

/*
 * Bypass for an N-PDU of at most SCHED_PASS_MAX LLC-PDUs while its mobile, cell and link have nothing to
 * send and all its LLC-PDUs conform. Returns how many leave now, in grants (with room for them), charged and
 * never queued. 0: AQM dropped it; it is on s->dropped. -1: nothing was done; queue it. Same result as
 * sched_enqueue() and sched_pick(), at less cost.
 */
int sched_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct sched_grant *grants,
                 int64_t now);

/* The next LLC-PDU that conforms at now at every level, charged. False: none does. First wakes due entries
 * and drops N-PDUs that are too old. */
bool sched_pick(struct sched *s, struct sched_grant *grant, int64_t now);

/* As sched_pick() without sending: for a caller that cannot send all LLC-PDUs that conform, so that due
 * mobiles then compete by their shares. */
void sched_advance(struct sched *s, int64_t now);

/* When to call again: INT64_MIN: now, as there may be an LLC-PDU; MOMENT_NEVER: only events can help. */
int64_t sched_next_ns(const struct sched *s);

/* --- settings while packets are queued: sched_set.c. They apply to later N-PDUs; queued N-PDUs beyond a
 * limit leave or grow too old --- */
struct sched_bounds {
    uint32_t ms_limit_pkts, budget_pkts, reserve_pkts;
    uint16_t flow_quantum_octets;
};
/* -1, and nothing is set: no such class, weight 0, more packets than there is room for, or too small a
 * quantum. */
int sched_set_class(struct sched *s, unsigned qclass, uint32_t weight, const struct sched_limit *limit);
int sched_set_bounds(struct sched *s, const struct sched_bounds *bounds);
/* Requires sched_ms_look_again() for each mobile afterwards. */
void sched_set_age(struct sched *s, int64_t max_age_ns);
/* Tests the age of a mobile's queued N-PDUs again: drops those too old, and arms for the others. */
void sched_ms_look_again(struct sched *s, struct sched_ms *ms, int64_t now);

/* --- links: sched_link.c --- */
/* The committed rate of a link, in NS-PDU octets, and the most that signalling may take of it. */
struct sched_link_rate {
    uint64_t rate_bps;   /* 0: no limit */
    uint64_t max_octets; /* of its bucket */
    uint32_t signalling_percent;
};
/* A link without a rate. */
void sched_link_init(struct sched_link *link, int64_t now);
void sched_link_set(struct sched *s, struct sched_link *link, const struct sched_link_rate *rate,
                    int64_t now);
/* Its last cell has been removed: the scheduler holds no reference to it, and its memory may be reused. */
void sched_link_fini(struct sched *s, struct sched_link *link);
/* Whether a signalling frame may leave before all users' frames; and charges it. */
bool sched_link_can_signal(const struct sched_link *link, uint32_t octets, int64_t now);
void sched_link_signal(struct sched_link *link, uint32_t octets, int64_t now);

/* --- cells: sched_bvc.c --- */
/* A cell with an empty bucket (Bmax = R = 0) that must not send. */
void sched_bvc_init(struct sched_bvc *bvc, struct sched_link *link, int64_t now);
/* Allows or forbids a cell to send; queues stay. */
void sched_bvc_use(struct sched *s, struct sched_bvc *bvc, bool usable);
/* Its last mobile has been removed and it must not send: as sched_link_fini(). */
void sched_bvc_fini(struct sched *s, struct sched_bvc *bvc);
/* The caller changed its bucket: a cell or link parked for it tests its bucket again. */
void sched_bvc_changed(struct sched *s, struct sched_bvc *bvc);

/* --- mobiles: sched_ms.c --- */
/* A mobile with an empty bucket (Bmax = R = 0) and empty queues. */
void sched_ms_init(struct sched_ms *ms, struct sched_bvc *bvc, int64_t now);
/* The caller changed its bucket, or n201_u and thus the length of its next LLC-PDU. */
void sched_ms_changed(struct sched *s, struct sched_ms *ms, int64_t now);
/* R of its bucket is set: its AQM schemes may be idle at the former rate only. Part of sched_ms_changed();
 * alone for a mobile that has nothing queued. */
static inline void sched_ms_rate_set(struct sched_ms *ms)
{
    ms->flow.turn.flags &= (uint8_t)~SCHED_FLOW_AQM_IDLE;
}
/* Stops sending to it (flags of SCHED_MS_FROZEN), or allows it again. */
void sched_ms_freeze(struct sched *s, struct sched_ms *ms, uint8_t flags);
void sched_ms_thaw(struct sched *s, struct sched_ms *ms, uint8_t flags, int64_t now);
/* Moves it to another cell with its queued N-PDUs. Its bucket is emptied; the caller sets its parameters
 * first. Buckets of packet flows are removed (clause 8.2.3.2.1: parameters are valid in one cell). */
void sched_ms_move(struct sched *s, struct sched_ms *ms, struct sched_bvc *bvc, int64_t now);
/* Moves its queued N-PDUs to s->dropped with this reason, and frees its extra flows. */
void sched_ms_flush(struct sched *s, struct sched_ms *ms, int reason);
/* Moves its queued N-PDUs to out, in an order in which they may leave; frees its extra flows. */
void sched_ms_take_all(struct sched *s, struct sched_ms *ms, struct n_pdu_list *out);
/* Drops the N-PDUs of one PDP context; those in service count as partial. */
void sched_ms_remove_pdp(struct sched *s, struct sched_ms *ms, uint32_t pdp, int64_t now);
/*
 * An LLC-PDU of signalling to a mobile goes before its queued N-PDUs and need not conform, but is charged to
 * the buckets of mobile and cell (TS 48.018 clause 8.2). Whether it may leave: neither bucket is then more
 * than SCHED_SIGNAL_DEBT_OCTETS above its Bmax; and charges it.
 */
#define SCHED_SIGNAL_DEBT_OCTETS (UINT64_C(4) * SCHED_LARGEST_PDU)
bool sched_ms_can_signal(const struct sched_ms *ms, uint32_t octets, int64_t now);
void sched_ms_signal(struct sched_ms *ms, uint32_t octets, int64_t now);
/* Queued N-PDUs and octets. */
struct sched_limit sched_ms_backlog(const struct sched *s, const struct sched_ms *ms);

/* --- packet flows: sched_pfc.c --- */
/* Adds a packet flow to a mobile, without a bucket as yet. -1: no room. */
int sched_pfc_add(struct sched *s, struct sched_ms *ms, uint8_t pfi, int64_t now);
/* Its bucket, which the caller sets and then calls sched_pfc_changed(). NULL: not added. */
struct sched_extra *sched_pfc_get(struct sched *s, struct sched_ms *ms, uint8_t pfi);
void sched_pfc_changed(struct sched *s, struct sched_extra *pfc, int64_t now);
/* Deletes it: its queued N-PDUs join the mobile's other flows. */
void sched_pfc_del(struct sched *s, struct sched_ms *ms, uint8_t pfi, int64_t now);

#endif
