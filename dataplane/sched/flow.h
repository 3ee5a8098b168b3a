/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The N-PDUs of a mobile in one class or packet flow: which flow an N-PDU joins, which sends at a turn, and
 * the counts of what is queued; packet flows (pfc.c).
 */
#ifndef DATAPLANE_SCHED_FLOW_H
#define DATAPLANE_SCHED_FLOW_H

#include "dataplane/sched/aqm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/sched.h"

/* pfi of a packet flow that was deleted while its N-PDU was in service: no N-PDU joins it. */
#define SCHED_PFI_ENDED (N_PDU_NO_PFI - 1)

static inline struct sched_extra *sched_flow_extra(struct sched_flow *flow)
{
    return SCHED_OWNER(flow, struct sched_extra, flow);
}
static inline struct sched_ms *sched_flow_ms(struct sched_flow *flow)
{
    if (flow->turn.flags & SCHED_FLOW_EXTRA)
        return sched_flow_extra(flow)->ms;
    return SCHED_OWNER(flow, struct sched_ms, flow);
}
static inline struct sched_flow *sched_flow_more(const struct sched *s, const struct sched_flow *flow)
{
    return flow->more == SCHED_NO_EXTRA ? NULL : &s->extras[flow->more].flow;
}
static inline struct llc_next sched_flow_next(const struct sched *s, const struct sched_ms *ms,
                                              const struct sched_flow *flow)
{
    return flow_queue_next(&flow->queue, sched_segmenting(s, flow->queue.is_acknowledged), ms->n201_u);
}
void sched_flow_init(struct sched_flow *flow);

/* The flow in which an N-PDU of a mobile is queued; mostly its first flow. */
struct sched_flow *sched_flow_find(struct sched *s, struct sched_ms *ms, const struct n_pdu *n_pdu);
static inline struct sched_flow *sched_flow_for(struct sched *s, struct sched_ms *ms,
                                                const struct n_pdu *n_pdu)
{
    struct sched_flow *flow = &ms->flow;
    if (flow->turn.qclass == n_pdu->qclass && (n_pdu->pfi == N_PDU_NO_PFI || flow->more == SCHED_NO_EXTRA))
        return flow;
    return sched_flow_find(s, ms, n_pdu);
}

/* The same for an N-PDU in service, which is queued behind no other: after a transfer there may be several,
 * which were in packet flows' queues. `flow` is from sched_flow_for(). */
struct sched_flow *sched_flow_for_begun(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                                        const struct n_pdu *n_pdu);

/* Counts an N-PDU in, or octets of one out; `whole`: the N-PDU has left its queue. */
void sched_flow_count_long(struct sched *s, struct sched_flow *flow);
static inline void sched_flow_count(struct sched *s, struct sched_flow *flow)
{
    if (flow->long_node != LONGEST_NONE || flow->queue.pkts >= LONGEST_MIN_PKTS)
        sched_flow_count_long(s, flow);
}
static inline struct sched_link_class *sched_flow_link_class(struct sched_flow *flow)
{
    return &sched_flow_ms(flow)->bvc->link->classes[flow->turn.qclass];
}
static inline struct sched_class *sched_flow_class(struct sched_flow *flow)
{
    return &sched_flow_ms(flow)->bvc->classes[flow->turn.qclass];
}
/* Counts an N-PDU of a flow whose cell is known in, and octets of it, with `whole` the N-PDU itself, out. */
static inline void sched_class_count_in(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow,
                                        const struct n_pdu *n_pdu)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    struct sched_link_class *lc = &bvc->link->classes[flow->turn.qclass];
    uint32_t octets = (uint32_t)n_pdu->octets - n_pdu->sent_octets;
    lc->octets += octets;
    lc->pkts++;
    c->queued.octets += octets;
    c->queued.pkts++;
    s->pkts++;
    sched_flow_count(s, flow);
}
static inline void sched_class_count_out(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow,
                                         uint32_t octets, bool whole)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    struct sched_link_class *lc = &bvc->link->classes[flow->turn.qclass];
    lc->octets -= octets;
    c->queued.octets -= octets;
    if (!whole)
        return;
    c->queued.pkts--;
    lc->pkts--;
    s->pkts--;
    sched_flow_count(s, flow);
}
static inline void sched_flow_count_in(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    sched_class_count_in(s, sched_flow_ms(flow)->bvc, flow, n_pdu);
}
static inline void sched_flow_count_out(struct sched *s, struct sched_flow *flow, uint32_t octets, bool whole)
{
    sched_class_count_out(s, sched_flow_ms(flow)->bvc, flow, octets, whole);
}

/* Drops an N-PDU that was unlinked from a flow. */
void sched_flow_drop(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu, int reason);
void sched_flow_hold(struct sched *s, struct sched_ms *ms, struct sched_flow *flow);
struct sched_flow *sched_flow_choose_of(struct sched *s, struct sched_flow *flow, int64_t now);

/* The flow of a mobile that sends at the turn of `flow`; NULL when `flow` was parked instead. */
static inline struct sched_flow *sched_flow_choose(struct sched *s, struct sched_flow *flow, int64_t now)
{
    if (flow->more == SCHED_NO_EXTRA && !(flow->turn.flags & SCHED_FLOW_EXTRA))
        return flow;
    return sched_flow_choose_of(s, flow, now);
}

/* A new extra flow of a mobile; NULL: no room. */
struct sched_extra *sched_flow_new(struct sched *s, struct sched_ms *ms, uint8_t pfi);

/* Frees the extra flows that are empty and of no packet flow. */
void sched_flow_free_idle(struct sched *s, struct sched_ms *ms);
void sched_flow_free_extras(struct sched *s, struct sched_ms *ms);

/* A flow that was empty claims no share of its mobile's rate for the time before. */
void sched_flow_begin_share(struct sched *s, struct sched_ms *ms, struct sched_flow *flow);

/* Charges an LLC-PDU to a flow and, if it has one, its packet flow's bucket. */
static inline void sched_flow_charge(struct sched *s, struct sched_flow *flow, uint32_t octets, int64_t now)
{
    if (flow->turn.flags & SCHED_FLOW_EXTRA && sched_flow_extra(flow)->has_bucket)
        bucket_take(&sched_flow_extra(flow)->bucket, octets, now);
    flow->tag += (uint32_t)(sched_share_cost(s, flow->turn.qclass, octets) >> 8);
}

/* A packet flow's wake instant: its parked flows test its bucket again. */
void sched_pfc_woken(struct sched *s, struct sched_extra *extra, int64_t at_ns, int64_t now);

/* Adds a packet flow to a mobile, without a bucket as yet. -1: no room. */
int sched_pfc_add(struct sched *s, struct sched_ms *ms, uint8_t pfi, int64_t now);
/* Its bucket, which the caller sets and then calls sched_pfc_changed(). NULL: not added. */
struct sched_extra *sched_pfc_get(struct sched *s, struct sched_ms *ms, uint8_t pfi);
void sched_pfc_changed(struct sched *s, struct sched_extra *pfc, int64_t now);
/* Deletes it: its queued N-PDUs join the mobile's other flows. */
void sched_pfc_del(struct sched *s, struct sched_ms *ms, uint8_t pfi, int64_t now);

#endif
