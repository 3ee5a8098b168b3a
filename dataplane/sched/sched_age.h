/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The age of queued N-PDUs: one older than max_age_ns is dropped before its first segment leaves. For this a
 * mobile has one entry on the wheel, at expiry_ns: when the oldest of its flows' heads grows too old, or
 * before. For the sched*.c files only.
 */
#ifndef DATAPLANE_SCHED_SCHED_AGE_H
#define DATAPLANE_SCHED_SCHED_AGE_H

#include "dataplane/base/moment.h"
#include "dataplane/sched/sched_arm.h"

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

#endif
