/* SPDX-License-Identifier: BSD-3-Clause */
/* The queued N-PDUs of a flow: in one queue, or in a set of queues by 5-tuple. For the files of this folder
 * alone. */
#ifndef DATAPLANE_SCHED_QUEUE_H
#define DATAPLANE_SCHED_QUEUE_H

#include "dataplane/sched/sched.h"

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

/* As flow_queue_shorten(). */
static inline void sched_queue_shorten(struct sched *s, struct sched_flow *flow, uint32_t octets)
{
    if (flow->set == FLOW_SETS_NONE)
        flow_queue_shorten(&flow->queue, octets);
    else
        flow_sets_shorten(&s->flow_sets, flow->set, &flow->queue, octets);
}

/* The head must not be in service. */
struct n_pdu *sched_queue_drop_head(struct sched *s, struct sched_flow *flow);

/* Not one in service; of several queues the first of the longest. NULL: there is none. */
struct n_pdu *sched_queue_drop_waiting(struct sched *s, struct sched_flow *flow);

/* Moves the N-PDUs of one PDP context to out; returns their number. */
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

#endif
