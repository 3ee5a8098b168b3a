/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of links, cells, classes, mobiles and flows, for the files of this folder alone: entries of the
 * wheel, the order of flows in a class, queues, and what each level tells the level above it.
 */
#ifndef DATAPLANE_SCHED_TREE_H
#define DATAPLANE_SCHED_TREE_H

#include "dataplane/base/moment.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/sched.h"

#include <stddef.h>

/* The kind of an entry of the wheel, in the low bits of its pointer. */
enum sched_wake {
    SCHED_WAKE_MS,
    SCHED_WAKE_EXPIRY,
    SCHED_WAKE_PFC,
    SCHED_WAKE_BVC,
    SCHED_WAKE_LINK,
    SCHED_WAKE_MASK = 7,
};

static inline void *sched_arm_owner(const struct wheel_entry *entry)
{
    return (void *)((uintptr_t)entry->who & ~(uintptr_t)SCHED_WAKE_MASK);
}

static inline enum sched_wake sched_arm_kind(const struct wheel_entry *entry)
{
    return (enum sched_wake)((uintptr_t)entry->who & SCHED_WAKE_MASK);
}

/*
 * Puts `who` on the wheel for at_ns unless armed for it already. `armed_ns` is where its owner stores that
 * instant: entries are never removed from the wheel, but one that differs from *armed_ns is stale.
 */
void sched_arm(struct sched *s, int64_t *armed_ns, int64_t at_ns, void *who, enum sched_wake kind);

/*
 * Classes in order of arrival (params.fifo_classes): one FIFO buffer for all mobiles of a class in a cell,
 * and for all cells that share the link.
 *
 * Model: all flows of such a class are in TURNS_FRESH, in the order in which their heads arrived, so the
 * oldest head is next; its mobile gets no quantum. A mobile or packet flow with a closed bucket is parked as
 * in any class and N-PDUs behind it go first; when the bucket opens it is sorted in by arrival again. The
 * classes of cells stand in the turns of the link by the arrival of their oldest head.
 * N-PDUs of several flows can arrive in one nanosecond. These flows take turns and send one LLC-PDU per turn.
 * Entering costs a walk over the waiting flows that are younger. Not together with flow queues, where heads
 * change on arrival. For the sched*.c files only.
 */

static inline bool sched_fifo_has(const struct sched *s, unsigned qclass)
{
    return __builtin_expect(s->fifo_classes >> qclass & 1, false);
}

/* Puts a flow, which is in no turns and has N-PDUs, into those of its class. */
void sched_fifo_enter(struct sched_class *c, struct sched_flow *flow);
/* The head of a flow that waits for its turn is another: sorts the flow, and its class at the link, in again.
 */
void sched_fifo_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);
/* Sorts a class of a cell with flows that wait for their turn into the turns of the link. */
void sched_fifo_enter_link(struct sched_link_class *lc, struct sched_class *c);

/*
 * Start-time fair queueing of the mobiles of a class (Goyal, Vin and Cheng 1996), with order = "sfq".
 *
 * Model: each flow has a start tag in octets, and sending n octets raises it by n. The flow with the least
 * tag + n is next, n being its next LLC-PDU, so a short LLC-PDU passes longer ones. The virtual time of the
 * class is the start tag that was served last. A flow that was empty begins at the virtual time, or at its
 * own tag if this is later: what it has sent ahead of its share is a debt, which no pause ends. A flow whose
 * mobile or packet flow was parked keeps at most one largest LLC-PDU of what it did not send meanwhile.
 *
 * At the link a cell's tag grows by octets / waiting flows, so that cells share as their mobiles would.
 *
 * Tags are serial numbers of 32 bits. A debt is at most DEBT_MAX_OCTETS; a tag further ahead of the virtual
 * time is that of a flow which was silent for 2^31 octets of its class, and counts as none.
 *
 * A flow that has sent keeps its turn until it has sent params.ms_quantum_octets in a row, since LLC-PDUs of
 * one mobile that meet in the BSS share a radio block (TS 44.060 §10.4.14), and one alone leaves the rest of
 * its last block empty. Short LLC-PDUs of others and loans go in between. Tags grow as without it, so that
 * shares stay.
 *
 * Flows are in TURNS_FRESH in the order of tag + n. A flow that has sent is sorted in from the last on, one
 * that begins from the first on, where their places mostly are.
 *
 * For the sched*.c files only.
 */

/* A flow that was empty has got an N-PDU. It waits for no turn yet. */
void sched_sfq_begin(struct sched *s, struct sched_ms *ms, struct sched_flow *flow);
/* Puts a flow, which is in no turns and has N-PDUs, into those of its class. */
void sched_sfq_enter(struct sched *s, struct sched_class *c, struct sched_flow *flow);
/* Charges octets to the flow whose turn it was. The caller sorts it in again. */
void sched_sfq_charge(const struct sched *s, struct sched_class *c, struct sched_flow *flow, uint32_t octets);
/* The next LLC-PDU or the tag of a flow that waits for its turn is another. */
void sched_sfq_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);
/* The flow has another class, or its mobile another cell: it begins without a debt. */
void sched_sfq_forget(const struct sched_class *c, struct sched_flow *flow);

/* Sorts a class of a cell into the turns of the link; `begins`: it was not there before. */
void sched_sfq_enter_link(struct sched_link_class *lc, struct sched_class *c, bool begins);
/* Charges octets to a class of a cell, which sent them. */
void sched_sfq_charge_link(struct sched_link_class *lc, struct sched_class *c, uint32_t octets);

/*
 * Classes whose mobiles are sorted instead of taking turns of a quantum: in order of arrival
 * or of start tags.
 */

static inline bool sched_order_has(const struct sched *s, unsigned qclass)
{
    return __builtin_expect(s->sorted_classes >> qclass & 1, false);
}

/* Puts a flow, which is in no turns and has N-PDUs, into those of its class. */
static inline void sched_order_enter(struct sched *s, struct sched_class *c, struct sched_flow *flow)
{
    if (sched_fifo_has(s, c->qclass))
        sched_fifo_enter(c, flow);
    else
        sched_sfq_enter(s, c, flow);
}

/* The head of a flow that waits for its turn is another: sorts the flow, and its class at the link, in again.
 */
static inline void sched_order_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    if (sched_fifo_has(s, flow->turn.qclass))
        sched_fifo_sort(s, bvc, flow);
    else
        sched_sfq_sort(s, bvc, flow);
}

/* The flow has another class, or its mobile another cell: it begins with nothing used. */
static inline void sched_order_forget(const struct sched *s, const struct sched_class *c,
                                      struct sched_flow *flow)
{
    if (s->params.sfq_classes >> c->qclass & 1)
        sched_sfq_forget(c, flow);
    else
        turns_forget(&c->turns, &flow->turn);
}

/* Functions shared by the sched*.c files, for these files alone. */

#define SCHED_OWNER(member_, type, member) ((type *)(void *)((char *)(member_)-offsetof(type, member)))

/* pfi of a packet flow that was deleted while its N-PDU was in service: no N-PDU joins it. */
#define SCHED_PFI_ENDED (N_PDU_NO_PFI - 1)

/* Classes that go before all others, up to their share. */
#define SCHED_SHARE_STRICT ((1U << QCLASS_SIGNALLING) | (1U << QCLASS_SMS))
void sched_share_set(struct sched *s, unsigned qclass, uint16_t weight);
static inline uint64_t sched_share_cost(const struct sched *s, unsigned qclass, uint32_t octets)
{
    return (uint64_t)octets * s->inverse_weights[qclass];
}

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
/* The cell's bucket is closed until open_ns for the flow whose turn it is: parks the cell, which is limited
 * by its bucket from now on; the flow keeps its turn. */
void sched_bvc_close(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow, int64_t open_ns,
                     int64_t now);
void sched_bvc_woken(struct sched *s, struct sched_bvc *bvc, int64_t at_ns);
/* After a class of a cell in SCHED_MODE_LIMITED has sent: tests whether its bucket still limits the cell. */
void sched_bvc_sent(struct sched *s, struct sched_class *c, uint32_t octets, int64_t now);

/* Puts a class of a cell in SCHED_MODE_LINK into the turns of the link, or removes it, by its flows. */
void sched_link_sync(struct sched *s, struct sched_link *link, struct sched_class *c);
/* The link has something to send. */
static inline void sched_link_ready(struct sched *s, struct sched_link *link)
{
    if (link->is_ready || link->is_parked)
        return;
    link->is_ready = true;
    link->next = NULL;
    if (s->links)
        s->links_last->next = link;
    else
        s->links = link;
    s->links_last = link;
}
/* The class whose turn it is, of a cell in SCHED_MODE_LINK or LIMITED. NULL: nothing to send. */
struct sched_class *sched_link_choose(struct sched *s, struct sched_link *link);
static inline bool sched_link_can_take(const struct sched_link *link, uint32_t octets, int64_t now)
{
    return link->bucket.rate_bps == 0 || bucket_can_take(&link->bucket, octets, now);
}
/* Parks a link whose bucket is closed for `octets`. */
void sched_link_park(struct sched *s, struct sched_link *link, uint32_t octets);
/* A class of a cell in SCHED_MODE_LINK has sent. */
void sched_link_sent(struct sched *s, struct sched_link *link, struct sched_class *c, uint32_t octets);
void sched_link_woken(struct sched *s, struct sched_link *link, int64_t at_ns);

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
/* Queued octets of a flow whose ACKs can be held. */
uint32_t sched_ms_paced_octets(const struct sched *s, const struct sched_flow *flow);
/* Counts octets of N-PDUs whose ACKs can be held, in or, if negative, out. */
static inline void sched_flow_count_paced(struct sched_flow *flow, int64_t octets)
{
    sched_flow_class(flow)->paced_octets += (uint32_t)octets;
    sched_flow_link_class(flow)->paced_octets += (uint64_t)octets;
}
static inline void sched_flow_count_in(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    struct sched_link_class *lc = sched_flow_link_class(flow);
    lc->octets += (uint64_t)(n_pdu->octets - n_pdu->sent_octets);
    if (__builtin_expect(n_pdu->is_paced, false))
        sched_flow_count_paced(flow, n_pdu->octets - n_pdu->sent_octets);
    lc->pkts++;
    s->pkts++;
    sched_flow_count(s, flow);
    if (__builtin_expect(s->aqm != NULL, false))
        sched_aqm_count(s, flow, n_pdu->octets - n_pdu->sent_octets, 1);
}
static inline void sched_flow_count_out(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu,
                                        uint32_t octets, bool whole)
{
    struct sched_link_class *lc = sched_flow_link_class(flow);
    lc->octets -= octets;
    if (__builtin_expect(n_pdu->is_paced, false))
        sched_flow_count_paced(flow, -(int64_t)octets);
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
void sched_flow_hold(struct sched *s, struct sched_ms *ms, struct sched_flow *flow);
struct sched_flow *sched_flow_choose_of(struct sched *s, struct sched_flow *flow, int64_t now);
/* The flow of a mobile that sends at the turn of `flow`; NULL when `flow` was parked instead. */
static inline struct sched_flow *sched_flow_choose(struct sched *s, struct sched_flow *flow, int64_t now)
{
    if (flow->more == SCHED_NO_EXTRA && !(flow->turn.flags & SCHED_FLOW_EXTRA))
        return flow;
    return sched_flow_choose_of(s, flow, now);
}
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

/* A packet flow's wake instant: its parked flows test its bucket again. */
void sched_pfc_woken(struct sched *s, struct sched_extra *extra, int64_t at_ns, int64_t now);

static inline bool sched_wake_is_due(const struct sched *s, int64_t now)
{
    return s->due_at != s->due_count || wheel_next_ns(&s->wheel) <= now;
}

/* A woken mobile sends at once if no other waits for its turn. False: nothing was done. */
bool sched_bypass_woken(struct sched *s, struct sched_ms *ms, struct sched_grant *grant, int64_t now);

/*
 * The age of queued N-PDUs: one older than max_age_ns is dropped before its first segment leaves. For this a
 * mobile has one entry on the wheel, at expiry_ns: when the oldest of its flows' heads grows too old, or
 * before. For the sched*.c files only.
 */

/* Arms for an N-PDU that arrived at arrival_ns; max_age_ns is not MOMENT_NEVER. */
static inline void sched_age_arm_at(struct sched *s, struct sched_ms *ms, int64_t arrival_ns)
{
    int64_t expiry_ns = moment_add(arrival_ns, s->params.max_age_ns + 1);
    if (expiry_ns < ms->expiry_ns)
        sched_arm(s, &ms->expiry_ns, expiry_ns, ms, SCHED_WAKE_EXPIRY);
}

/* Arms for the head of a flow, of several queues for the oldest head; N-PDUs behind it are younger. */
static inline void sched_age_arm(struct sched *s, struct sched_ms *ms, const struct sched_flow *flow)
{
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    if (!head || s->params.max_age_ns == MOMENT_NEVER)
        return;
    sched_age_arm_at(s, ms,
                     flow->set == FLOW_SETS_NONE ? head->arrival_ns
                                                 : flow_sets_oldest_ns(&s->flow_sets, flow->set));
}

/* Drops N-PDUs at the head of a flow that are too old. Returns whether there were any. */
bool sched_age_drop(struct sched *s, struct sched_flow *flow, int64_t now);

/* The flow has a new head, which may be older than the one before: drops it if it is too old, else arms. */
void sched_age_watch(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);

/* An N-PDU was queued behind `head`; one from another worker may be older than `head`. */
void sched_age_unordered(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t arrival_ns);
static inline void sched_age_followed(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                                      const struct n_pdu *n_pdu, const struct n_pdu *head, int64_t now)
{
    if (n_pdu->arrival_ns < now && n_pdu->arrival_ns < head->arrival_ns)
        sched_age_unordered(s, ms, flow, n_pdu->arrival_ns);
}

/* The queued N-PDUs of a flow: in one queue, or in a set of queues by 5-tuple. For the sched*.c files only.
 * */

/* Queues an N-PDU; takes a set of queues when it belongs to another queue than those queued. */
void sched_queue_put(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu);
/* Is the data of a TCP segment queued where it would be queued (tcp_repeat.h)? */
bool sched_queue_repeats(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu);
/* As the functions of flow_queue.h; but N-PDUs are dropped from the longest queue. */
struct n_pdu *sched_queue_take_of_set(struct sched *s, struct sched_flow *flow, const struct llc_next *next);
static inline struct n_pdu *sched_queue_take(struct sched *s, struct sched_flow *flow,
                                             const struct llc_next *next)
{
    if (__builtin_expect(flow->set == FLOW_SETS_NONE, true))
        return flow_queue_take(&flow->queue, next);
    return sched_queue_take_of_set(s, flow, next);
}
/* The head must not be in service. */
struct n_pdu *sched_queue_drop_head(struct sched *s, struct sched_flow *flow);
struct n_pdu *sched_queue_drop_waiting(struct sched *s, struct sched_flow *flow);
uint32_t sched_queue_remove_pdp(struct sched *s, struct sched_flow *flow, uint32_t pdp,
                                struct n_pdu_list *out);
/* Unlinks a head that arrived at latest_ns or before. NULL: there is none. */
struct n_pdu *sched_queue_drop_older(struct sched *s, struct sched_flow *flow, int64_t latest_ns);
/* Chooses another queue of the flow, whose head has none of these SAPIs (bit i: SAPI i), because other flows
 * have N-PDUs in service on them. False: there is none. */
bool sched_queue_pass_over(struct sched *s, struct sched_flow *flow, unsigned sapis);
/* Closes the set of an empty flow. */
void sched_queue_forget(struct sched *s, struct sched_flow *flow);
/* Merges all into one queue: in service first, then by arrival. */
void sched_queue_join(struct sched *s, struct sched_flow *flow);
/* The queue of the flow that drops for an N-PDU at its mobile's limit: the longest, if it is longer than the
 * N-PDU's own with it. FLOW_SETS_NO_QUEUE: none. May take a set of queues for the N-PDU. */
unsigned sched_queue_payer(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu,
                           bool in_octets);
/* Unlinks the first N-PDU of a queue of the flow's set that is not in service. */
struct n_pdu *sched_queue_drop_of(struct sched *s, struct sched_flow *flow, unsigned queue);
/* Prefetches N-PDUs of the cells whose turn comes after this one's. */
void sched_queue_fetch(const struct sched *s, const struct sched_bvc *bvc);

/*
 * The room of a mobile in a class, in largest packets and in time at its share, and the credits that follow
 * from the share (params.room). With flow queues by start tags.
 *
 * Model: the share of a mobile is the octets of its class in its cell in the last whole window of 2^32 ns,
 * divided by the number of its mobiles that were served then. The unused part of a cell's R
 * counts to the class if it is more than a quarter of R. A share is at most R of the mobile, and is R as long
 * as there is no whole window. A mobile whose share is R is alone, else its class is loaded.
 *
 *   limit   L = max(pkts x packet, time x share), of the pair for a loaded class or for a mobile alone. While
 *           more octets wait, the longest of the mobile's flow queues drops its oldest N-PDU; with `protects`
 *           a flow's only N-PDU stays.
 *   young   a flow has young_octets = min(12 kB, 4 s of the share), or none if that is less than 4 packets
 *   loan    a mobile with nothing queued and nothing in the BSS that was not served for max(0.8 s, 2 packets
 *           of its share) may send min(6 kB, 4 s of its share) first in its class, which its tag then owes.
 *
 * A packet is the longest N-PDU that the scheduler has seen. N-PDUs that bypass the queue are not counted.
 *
 * For the sched*.c files only.
 */

static inline bool sched_room_has(const struct sched *s)
{
    return __builtin_expect(s->params.room.loaded.pkts > 0, false);
}
/* A flow has sent octets. */
void sched_room_sent(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, uint32_t octets,
                     int64_t now);

#endif
