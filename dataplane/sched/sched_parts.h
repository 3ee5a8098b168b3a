/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the parts of the scheduler (sched*.c) share; for these files alone. */
#ifndef DATAPLANE_SCHED_SCHED_PARTS_H
#define DATAPLANE_SCHED_SCHED_PARTS_H

#include "dataplane/base/moment.h"
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_arm.h"

#include <stddef.h>

#define SCHED_OWNER(member_, type, member) ((type *)(void *)((char *)(member_)-offsetof(type, member)))

/* Of a packet flow that ended while an N-PDU of it was in service: nothing joins it any more. */
#define SCHED_PFI_ENDED (N_PDU_NO_PFI - 1)

/* --- sched_share.c: start-time fair queueing among classes --- */
/* Classes that go before the others. */
#define SCHED_SHARE_STRICT ((1U << QCLASS_SIGNALLING) | (1U << QCLASS_SMS))
/* The class to serve among those active; tags lie `stride` octets apart. Moves the virtual time on. */
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
/* Its classes take part in sharing the link; or no more. */
void sched_bvc_join(struct sched *s, struct sched_bvc *bvc);
/* Its bucket is closed for `octets` of the flow whose turn it is: it is parked, the flow keeps its turn, and
 * from now on it is a cell that its bucket limits. */
void sched_bvc_close(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow, uint32_t octets,
                     int64_t now);
/* Nothing in its turns is left. */
void sched_bvc_emptied(struct sched *s, struct sched_bvc *bvc);
void sched_bvc_woken(struct sched *s, struct sched_bvc *bvc, int64_t at_ns);
/* A class of a cell in SCHED_MODE_LIMITED has sent: does its bucket still limit the cell? */
void sched_bvc_sent(struct sched *s, struct sched_class *c, uint32_t octets, int64_t now);

/* --- sched_link.c --- */
/* Brings a class of a cell in SCHED_MODE_LINK into the turns of the link, or out, as its flows are. */
void sched_link_sync(struct sched *s, struct sched_link *link, struct sched_class *c);
/* The link has something to send. */
void sched_link_ready(struct sched *s, struct sched_link *link);
/* The class whose turn it is, of a cell in SCHED_MODE_LINK or LIMITED. NULL: nothing to send. */
struct sched_class *sched_link_choose(struct sched *s, struct sched_link *link);
bool sched_link_can_take(const struct sched_link *link, uint32_t octets, int64_t now);
/* What it waits for may be gone: it looks again. */
void sched_link_changed(struct sched *s, struct sched_link *link);
/* Its bucket is closed for `octets`. */
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
/* Where an N-PDU of a mobile queues; mostly in its first flow. */
struct sched_flow *sched_flow_find(struct sched *s, struct sched_ms *ms, const struct n_pdu *n_pdu);
static inline struct sched_flow *sched_flow_for(struct sched *s, struct sched_ms *ms,
                                                const struct n_pdu *n_pdu)
{
    struct sched_flow *flow = &ms->flow;
    if (flow->turn.qclass == n_pdu->qclass && (n_pdu->pfi == N_PDU_NO_PFI || flow->more == SCHED_NO_EXTRA))
        return flow;
    return sched_flow_find(s, ms, n_pdu);
}
/* The same for one in service, which stands behind no other: several come from another worker, where they had
 * packet flows' queues. `flow` is what sched_flow_for() said. */
struct sched_flow *sched_flow_for_begun(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                                        const struct n_pdu *n_pdu);
/* Counts an N-PDU in, or octets of one out; `whole`: it is gone. */
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
static inline void sched_flow_count_in(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    struct sched_link_class *lc = sched_flow_link_class(flow);
    lc->octets += (uint64_t)(n_pdu->octets - n_pdu->sent_octets);
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
    if (__builtin_expect(s->aqm != NULL, false))
        sched_aqm_count(s, flow, -(int64_t)octets, whole ? -1 : 0);
    if (!whole)
        return;
    lc->pkts--;
    s->pkts--;
    sched_flow_count(s, flow);
}
/* Gives up an N-PDU that was unlinked from a flow. */
void sched_flow_drop(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu, int reason);
/* The flow of a mobile that sends when it is the turn of `flow`; NULL when that is parked now. */
struct sched_flow *sched_flow_choose(struct sched *s, struct sched_flow *flow, int64_t now);
/* Makes an extra flow (NULL: none is left), and gives all of a mobile back (empty and in no turns). */
struct sched_extra *sched_flow_new(struct sched *s, struct sched_ms *ms, uint8_t pfi);
void sched_flow_free_extras(struct sched *s, struct sched_ms *ms);
/* The same of those that are no packet flows (any more) and have nothing to send. */
void sched_flow_free_idle(struct sched *s, struct sched_ms *ms);
/* A flow that was empty claims no share of its mobile's rate for the time before. */
void sched_flow_begin_share(struct sched *s, struct sched_ms *ms, struct sched_flow *flow);
/* It sent an LLC-PDU. */
void sched_flow_charge(struct sched *s, struct sched_flow *flow, uint32_t octets, int64_t now);

/* Lets the flows that have something to send take turns, or parks the mobile. */
void sched_ms_admit(struct sched *s, struct sched_ms *ms, int64_t now);
/* Does its bucket, of which it takes `octets`, still limit it? Not if they could have passed long ago. */
void sched_ms_judge(struct sched_ms *ms, uint32_t octets, int64_t now);
/* Its bucket is closed until then. */
void sched_ms_park(struct sched *s, struct sched_ms *ms, int64_t open_ns);
/* A flow was empty and has an N-PDU now. */
void sched_ms_filled(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);
/* What a flow would send next is another one than before. */
void sched_ms_head_changed(struct sched *s, struct sched_ms *ms, int64_t now);
/* Its bucket may be open: the flows look again. */
void sched_ms_woken(struct sched *s, struct sched_ms *ms, int64_t at_ns, int64_t now);
void sched_ms_expired(struct sched *s, struct sched_ms *ms, int64_t at_ns, int64_t now);
/* Makes room in the budget: the longest queue pays. False: there is none to pay. */
bool sched_ms_pay(struct sched *s, int64_t now);

/* --- sched_pfc.c --- */
/* Its bucket may be open: the flows that wait for it look again. */
void sched_pfc_woken(struct sched *s, struct sched_extra *extra, int64_t at_ns, int64_t now);

/* --- sched_wake.c --- */
static inline bool sched_wake_is_due(const struct sched *s, int64_t now)
{
    return s->due_at < s->due_count || wheel_next_ns(&s->wheel) <= now;
}
/* Wakes due entries until a mobile among them may send at once because nothing else has a turn. False: none
 * may. */
bool sched_wake_due(struct sched *s, struct sched_grant *grant, int64_t now);

/* --- sched_bypass.c --- */
/* A parked mobile whose wake is due sends at once when nothing else could. False: nothing was done. */
bool sched_bypass_woken(struct sched *s, struct sched_ms *ms, struct sched_grant *grant, int64_t now);

#endif
