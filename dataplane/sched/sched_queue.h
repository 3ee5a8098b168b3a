/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the N-PDUs of a flow wait: in one queue, or in one of a set by 5-tuple. For the sched*.c files only.
 */
#ifndef DATAPLANE_SCHED_SCHED_QUEUE_H
#define DATAPLANE_SCHED_SCHED_QUEUE_H

#include "dataplane/sched/sched_types.h"

/* Queues an N-PDU; a set of queues is opened where it needs another one than those that wait. */
void sched_queue_put(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu);
/* As the functions of flow_queue.h; but who pays is the first of the longest queue. */
struct n_pdu *sched_queue_take_of_set(struct sched *s, struct sched_flow *flow, const struct llc_next *next);
static inline struct n_pdu *sched_queue_take(struct sched *s, struct sched_flow *flow,
                                             const struct llc_next *next)
{
    if (__builtin_expect(flow->set == FLOW_SETS_NONE, true))
        return flow_queue_take(&flow->queue, next);
    return sched_queue_take_of_set(s, flow, next);
}
/* Of a head that is not in service. */
struct n_pdu *sched_queue_drop_head(struct sched *s, struct sched_flow *flow);
struct n_pdu *sched_queue_drop_waiting(struct sched *s, struct sched_flow *flow);
uint32_t sched_queue_remove_pdp(struct sched *s, struct sched_flow *flow, uint32_t pdp,
                                struct n_pdu_list *out);
/* Unlinks a head that came at latest_ns or before. NULL when there is none. */
struct n_pdu *sched_queue_drop_older(struct sched *s, struct sched_flow *flow, int64_t latest_ns);
/* Another queue of the flow goes first, whose head has none of these SAPIs (bit i: SAPI i), since other flows
 * have them in service. False: there is none. */
bool sched_queue_pass_over(struct sched *s, struct sched_flow *flow, unsigned sapis);
/* Brings all into one queue: in service first, then by arrival. */
void sched_queue_join(struct sched *s, struct sched_flow *flow);
/* The queue of the flow that pays for an N-PDU when its mobile has reached its limit: the longest, if that is
 * longer than the N-PDU's own with it. FLOW_SETS_NO_QUEUE: none. It may open a set of queues for the N-PDU.
 */
unsigned sched_queue_payer(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu,
                           bool in_octets);
/* Unlinks the first N-PDU of a queue of the flow's set that is not in service. */
struct n_pdu *sched_queue_drop_of(struct sched *s, struct sched_flow *flow, unsigned queue);
/* Fetches ahead what the cells whose turn comes after this one's will send. */
void sched_queue_fetch(const struct sched *s, const struct sched_bvc *bvc);

#endif
