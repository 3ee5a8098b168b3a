/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the sched*.c files, for these files alone. */
#ifndef DATAPLANE_SCHED_SCHED_PARTS_H
#define DATAPLANE_SCHED_SCHED_PARTS_H

#include "dataplane/base/moment.h"
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_arm.h"

#include <stddef.h>

#define SCHED_OWNER(member_, type, member) ((type *)(void *)((char *)(member_)-offsetof(type, member)))

/* pfi of a packet flow that was deleted while its N-PDU was in service: no N-PDU joins it. */
#define SCHED_PFI_ENDED (N_PDU_NO_PFI - 1)

/* --- sched_share.c: start-time fair queueing among classes --- */
/* Classes that go before all others, up to their share. */
#define SCHED_SHARE_STRICT ((1U << QCLASS_SIGNALLING) | (1U << QCLASS_SMS))
/* The class to serve among those active; tags are `stride` octets apart. Advances the virtual time. */
unsigned sched_share_choose(const struct sched *s, unsigned active, uint64_t *tags, size_t stride,
                            uint64_t *now_tag);
void sched_share_set(struct sched *s, unsigned qclass, uint16_t weight);
static inline uint64_t sched_share_cost(const struct sched *s, unsigned qclass, uint32_t octets)
{
    return (uint64_t)octets * s->inverse_weights[qclass];
}

/* --- sched_class.c: flows in the turns of a class, classes in those of the link --- */
static inline struct sched_flow *sched_class_flow(struct turn *turn)
{
    return SCHED_OWNER(turn, struct sched_flow, turn);
}
static inline struct sched_bvc *sched_class_bvc(struct sched_class *c)
{
    return SCHED_OWNER(c - c->qclass, struct sched_bvc, classes);
}
void sched_class_enter(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);
void sched_class_leave(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);

/* --- sched_bvc.c: modes of a cell --- */
/* The cell's classes begin or stop to share the link. */
void sched_bvc_join(struct sched *s, struct sched_bvc *bvc);
/* The cell's bucket is closed for `octets` of the flow whose turn it is: parks the cell, which is limited by
 * its bucket from now on; the flow keeps its turn. */
void sched_bvc_close(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow, uint32_t octets,
                     int64_t now);
/* The cell has no flows left in turns. */
void sched_bvc_emptied(struct sched *s, struct sched_bvc *bvc);
void sched_bvc_woken(struct sched *s, struct sched_bvc *bvc, int64_t at_ns);
/* After a class of a cell in SCHED_MODE_LIMITED has sent: tests whether its bucket still limits the cell. */
void sched_bvc_sent(struct sched *s, struct sched_class *c, uint32_t octets, int64_t now);

/* --- sched_link.c --- */
/* Puts a class of a cell in SCHED_MODE_LINK into the turns of the link, or removes it, by its flows. */
void sched_link_sync(struct sched *s, struct sched_link *link, struct sched_class *c);
/* The link has something to send. */
void sched_link_ready(struct sched *s, struct sched_link *link);
/* The class whose turn it is, of a cell in SCHED_MODE_LINK or LIMITED. NULL: nothing to send. */
struct sched_class *sched_link_choose(struct sched *s, struct sched_link *link);
bool sched_link_can_take(const struct sched_link *link, uint32_t octets, int64_t now);
/* A change may have opened a bucket for which it is parked: tests it again. */
void sched_link_changed(struct sched *s, struct sched_link *link);
/* Parks a link whose bucket is closed for `octets`. */
void sched_link_park(struct sched *s, struct sched_link *link, uint32_t octets);
/* A class of a cell in SCHED_MODE_LINK has sent. */
void sched_link_sent(struct sched *s, struct sched_link *link, struct sched_class *c, uint32_t octets);
void sched_link_woken(struct sched *s, struct sched_link *link, int64_t at_ns);

/* --- sched_ms.c, sched_flow.c --- */
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
static inline struct sched_flow *sched_flow_more(struct sched *s, const struct sched_flow *flow)
{
    return flow->more == SCHED_NO_EXTRA ? NULL : &s->extras[flow->more].flow;
}
static inline struct llc_next sched_flow_next(const struct sched *s, const struct sched_ms *ms,
                                              const struct sched_flow *flow)
{
    return flow_queue_next(&flow->queue, &s->params.segmenting, ms->n201_u);
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
static inline void sched_flow_count_in(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    struct sched_link_class *lc = sched_flow_link_class(flow);
    lc->octets += (uint64_t)(n_pdu->octets - n_pdu->sent_octets);
    sched_flow_class(flow)->octets += (uint32_t)(n_pdu->octets - n_pdu->sent_octets);
    lc->pkts++;
    s->pkts++;
    sched_flow_count(s, flow);
    if (__builtin_expect(s->aqm != NULL, false))
        sched_aqm_count(s, flow, n_pdu->octets - n_pdu->sent_octets, 1);
}
static inline void sched_flow_count_out(struct sched *s, struct sched_flow *flow, uint32_t octets, bool whole)
{
    struct sched_link_class *lc = sched_flow_link_class(flow);
    lc->octets -= octets;
    sched_flow_class(flow)->octets -= octets;
    if (__builtin_expect(s->aqm != NULL, false))
        sched_aqm_count(s, flow, -(int64_t)octets, whole ? -1 : 0);
    if (!whole)
        return;
    lc->pkts--;
    s->pkts--;
    sched_flow_count(s, flow);
}
/* Drops an N-PDU that was unlinked from a flow. */
void sched_flow_drop(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu, int reason);
/* The flow of a mobile that sends at the turn of `flow`; NULL when `flow` was parked instead. */
struct sched_flow *sched_flow_choose(struct sched *s, struct sched_flow *flow, int64_t now);
/* Allocates an extra flow (NULL: pool empty); frees all of a mobile, which are empty and not in turns. */
struct sched_extra *sched_flow_new(struct sched *s, struct sched_ms *ms, uint8_t pfi);
void sched_flow_free_extras(struct sched *s, struct sched_ms *ms);
/* Frees those that are not (or no longer) packet flows and are empty. */
void sched_flow_free_idle(struct sched *s, struct sched_ms *ms);
/* A flow that was empty claims no share of its mobile's rate for the time before. */
void sched_flow_begin_share(struct sched *s, struct sched_ms *ms, struct sched_flow *flow);
/* Charges an LLC-PDU to a flow and, if it has one, its packet flow's bucket. */
void sched_flow_charge(struct sched *s, struct sched_flow *flow, uint32_t octets, int64_t now);

/* Puts the flows that have N-PDUs into turns, or parks the mobile. */
void sched_ms_admit(struct sched *s, struct sched_ms *ms, int64_t now);
/* Tests whether its bucket, which `octets` are to leave from, still limits it: not if it had been open for
 * long. */
void sched_ms_judge(struct sched_ms *ms, uint32_t octets, int64_t now);
/* Parks a mobile until its bucket opens. */
void sched_ms_park(struct sched *s, struct sched_ms *ms, int64_t open_ns);
/* An empty flow has got an N-PDU. */
void sched_ms_filled(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);
/* The next LLC-PDU of a flow has changed. */
void sched_ms_head_changed(struct sched *s, struct sched_ms *ms, int64_t now);
/* A mobile's wake instant: if its bucket is open, its flows enter turns. */
void sched_ms_woken(struct sched *s, struct sched_ms *ms, int64_t at_ns, int64_t now);
void sched_ms_expired(struct sched *s, struct sched_ms *ms, int64_t at_ns, int64_t now);
/* Makes room in the budget by a drop from the longest queue. False: no queue is long. */
bool sched_ms_pay(struct sched *s, int64_t now);

/* --- sched_pfc.c --- */
/* A packet flow's wake instant: its parked flows test its bucket again. */
void sched_pfc_woken(struct sched *s, struct sched_extra *extra, int64_t at_ns, int64_t now);

/* --- sched_wake.c --- */
static inline bool sched_wake_is_due(const struct sched *s, int64_t now)
{
    return s->due_at < s->due_count || wheel_next_ns(&s->wheel) <= now;
}
/* Wakes due entries until a mobile among them may send at once because nothing else is in turns. False: none
 * may. */
bool sched_wake_due(struct sched *s, struct sched_grant *grant, int64_t now);

/* --- sched_bypass.c --- */
/* A woken mobile sends at once if nothing else is in turns. False: nothing was done. */
bool sched_bypass_woken(struct sched *s, struct sched_ms *ms, struct sched_grant *grant, int64_t now);

#endif
