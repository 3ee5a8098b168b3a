/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched_parts.h"

int sched_set_class(struct sched *s, unsigned qclass, uint32_t weight, const struct sched_limit *limit)
{
    if (qclass >= QCLASS_COUNT || weight == 0 || weight > UINT16_MAX)
        return -1;
    s->params.class_limits[qclass] = *limit;
    sched_share_set(s, qclass, (uint16_t)weight);
    return 0;
}

int sched_set_bounds(struct sched *s, const struct sched_bounds *bounds)
{
    if (bounds->ms_limit_pkts > FLOW_QUEUE_MAX_PKTS || bounds->budget_pkts > s->most_pkts ||
        bounds->reserve_pkts > s->most_pkts - bounds->budget_pkts ||
        bounds->flow_quantum_octets < FLOW_SETS_MIN_QUANTUM_OCTETS)
        return -1;
    s->params.ms_limit_pkts = bounds->ms_limit_pkts;
    s->params.budget_pkts = bounds->budget_pkts;
    s->params.reserve_pkts = bounds->reserve_pkts;
    s->params.flow_quantum_octets = bounds->flow_quantum_octets;
    s->flow_sets.quantum_octets = bounds->flow_quantum_octets;
    return 0;
}

void sched_set_age(struct sched *s, int64_t max_age_ns)
{
    s->params.max_age_ns = max_age_ns;
}

void sched_ms_look_again(struct sched *s, struct sched_ms *ms, int64_t now)
{
    ms->expiry_ns = now;
    sched_ms_expired(s, ms, now, now);
}
