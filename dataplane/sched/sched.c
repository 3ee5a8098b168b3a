/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched.h"

#include "dataplane/sched/sched_parts.h"

#include <assert.h>
#include <stdlib.h>

static_assert(sizeof(struct sched_flow) == 64, "one cache line");
static_assert(sizeof(struct sched_ms) == 128, "two");

void sched_params_default(struct sched_params *params)
{
    static const uint16_t weights[QCLASS_COUNT] = SCHED_DEFAULT_WEIGHTS;

    *params = (struct sched_params){
        .ms_limit_pkts = FLOW_QUEUE_MAX_PKTS,
        .budget_pkts = UINT32_MAX / 2,
        .reserve_pkts = SCHED_DEFAULT_RESERVE,
        .max_age_ns = MOMENT_NEVER,
        .flow_quantum_octets = SCHED_LARGEST_PDU,
    };
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        params->weights[k] = weights[k];
        params->class_limits[k] = (struct sched_limit){.octets = UINT64_MAX, .pkts = UINT32_MAX};
    }
}

static bool new_extras(struct sched *s, uint32_t count)
{
    s->extras = calloc(count > 0 ? count : 1, sizeof(*s->extras));
    s->extras_count = count;
    s->extras_free = SCHED_NO_EXTRA;
    for (uint32_t i = count; s->extras && i-- > 0;) {
        s->extras[i].flow.more = s->extras_free;
        s->extras[i].wake_ns = MOMENT_NEVER;
        s->extras_free = i;
    }
    return s->extras != NULL;
}

bool sched_new(struct sched *s, const struct sched_counts *counts, const struct sched_params *params)
{
    uint32_t waiting = 2 * counts->mobiles + counts->extras + counts->bvcs + counts->links;
    /* At most this many packets are queued, which limits the number of long queues. */
    uint32_t most = params->budget_pkts + params->reserve_pkts;
    if (most < counts->pkts)
        most = counts->pkts;

    *s = (struct sched){.params = *params,
                        .fifo_classes = params->fifo_classes,
                        .sorted_classes = params->fifo_classes | params->sfq_classes,
                        .most_pkts = most};
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        sched_share_set(s, k, params->weights[k]);
    uint32_t flows = counts->mobiles + counts->extras;
    if (most / LONGEST_MIN_PKTS > flows)
        most = flows * LONGEST_MIN_PKTS;
    const struct flow_sets_params sets = {counts->flow_sets, params->flow_quantum_octets, params->flow_queues,
                                          params->flow_tags};
    /* Twice: a stale entry may still be on the wheel beside each valid one. */
    if (wheel_new(&s->wheel, 2 * waiting) && longest_new(&s->longest, most) &&
        new_extras(s, counts->extras) && flow_sets_new(&s->flow_sets, &sets) && sched_aqm_new(s, counts))
        return true;
    sched_free(s);
    return false;
}

void sched_free(struct sched *s)
{
    sched_aqm_free(s);
    wheel_free(&s->wheel);
    longest_free(&s->longest);
    flow_sets_free(&s->flow_sets);
    free(s->extras);
    *s = (struct sched){0};
}
