/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched_age.h"

#include "dataplane/base/drop.h"
#include "dataplane/sched/sched_parts.h"
#include "dataplane/sched/sched_queue.h"

void sched_age_unordered(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t arrival_ns)
{
    flow->turn.flags |= SCHED_FLOW_UNORDERED;
    if (s->params.max_age_ns != MOMENT_NEVER)
        sched_age_arm_at(s, ms, arrival_ns);
}

bool sched_age_drop(struct sched *s, struct sched_flow *flow, int64_t now)
{
    bool changed = false;
    struct n_pdu *n_pdu;
    while (s->params.max_age_ns != MOMENT_NEVER &&
           (n_pdu = sched_queue_drop_older(s, flow, now - s->params.max_age_ns - 1))) {
        sched_flow_drop(s, flow, n_pdu, DROP_LIFETIME);
        changed = true;
    }
    return changed;
}

void sched_age_watch(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    (void)sched_age_drop(s, flow, now);
    sched_age_arm(s, ms, flow);
    if (flow->queue.pkts == 0)
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_UNORDERED;
}
