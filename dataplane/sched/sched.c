/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched.h"

#include "dataplane/base/drop.h"
#include "dataplane/queue/flow_tags.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/order.h"
#include "dataplane/sched/queue.h"

#include <assert.h>
#include <stdlib.h>

#define INVERSE_SCALE (UINT32_C(1) << 24)

static_assert(sizeof(struct sched_flow) == 64, "one cache line");
static_assert(sizeof(struct sched_ms) == 192, "two, and one for waits");
static_assert(SCHED_WAIT_CAUSES <= SCHED_WAIT_PLACES, "a place for each cause");
static_assert(SCHED_WAIT_TURN >> (8 - SCHED_MS_WAIT_SHIFT) == 0, "stored in flags");

static void share_set(struct sched *s, unsigned qclass, uint16_t weight)
{
    s->params.weights[qclass] = weight;
    s->inverse_weights[qclass] = INVERSE_SCALE / weight;
}

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
                        .counts = *counts,
                        .fifo_classes = params->fifo_classes,
                        .sorted_classes = params->fifo_classes | params->sfq_classes,
                        .most_pkts = most};
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        share_set(s, k, params->weights[k]);
    uint32_t flows = counts->mobiles + counts->extras;
    if (most / LONGEST_MIN_PKTS > flows)
        most = flows * LONGEST_MIN_PKTS;
    const struct flow_sets_params sets = {counts->flow_sets, params->flow_quantum_octets, params->flow_queues,
                                          params->flow_tags};
    /* Twice: a stale entry may still be on the wheel beside each valid one. */
    if (wheel_new(&s->wheel, 2 * waiting) && longest_new(&s->longest, most) &&
        new_extras(s, counts->extras) && flow_sets_new(&s->flow_sets, &sets) && sched_aqm_new(s))
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

int sched_set_class(struct sched *s, unsigned qclass, uint32_t weight, const struct sched_limit *limit)
{
    if (qclass >= QCLASS_COUNT || weight == 0 || weight > UINT16_MAX)
        return -1;
    s->params.class_limits[qclass] = *limit;
    share_set(s, qclass, (uint16_t)weight);
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

static bool is_within_own(const struct sched *s, const struct sched_ms *ms, const struct sched_flow *flow,
                          const struct n_pdu *n_pdu)
{
    struct sched_limit ms_backlog = sched_ms_backlog(s, ms);
    uint32_t octets = (uint32_t)n_pdu->octets - n_pdu->sent_octets;
    return ms_backlog.octets + octets <= ms->limit_octets && ms_backlog.pkts < s->params.ms_limit_pkts &&
           flow->queue.pkts < FLOW_QUEUE_MAX_PKTS;
}

static bool is_within_class(const struct sched *s, const struct sched_ms *ms, const struct sched_flow *flow,
                            const struct n_pdu *n_pdu)
{
    uint32_t octets = (uint32_t)n_pdu->octets - n_pdu->sent_octets;
    const struct sched_limit *limit = &s->params.class_limits[flow->turn.qclass];
    const struct sched_link_class *lc = &ms->bvc->link->classes[flow->turn.qclass];
    return lc->octets + octets <= limit->octets && lc->pkts < limit->pkts;
}

static bool make_room(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                      const struct n_pdu *n_pdu, int64_t now)
{
    bool in_octets = sched_ms_backlog(s, ms).pkts < s->params.ms_limit_pkts;
    unsigned payer = sched_queue_payer(s, flow, n_pdu, in_octets);
    if (payer == FLOW_SETS_NO_QUEUE)
        return false;
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    sched_flow_drop(s, flow, sched_queue_drop_of(s, flow, payer), DROP_QUEUE_FULL);
    if (flow_queue_head(&flow->queue) != head)
        sched_ms_head_changed(s, ms, now);
    return true;
}

/* At a mobile's limit another of its flow queues, if longer, drops an N-PDU instead of the arriving one. */
static int check_limits(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                        const struct n_pdu *n_pdu, int64_t now)
{
    while (!is_within_own(s, ms, flow, n_pdu))
        if (s->flow_sets.queues == 0 || !is_within_class(s, ms, flow, n_pdu) ||
            !make_room(s, ms, flow, n_pdu, now))
            return DROP_QUEUE_FULL;
    return is_within_class(s, ms, flow, n_pdu) ? DROP_NONE : DROP_CLASS_FULL;
}

/* Room in the budget for one N-PDU: free, of the reserve, or by a drop from the longest queue. */
static bool find_room(struct sched *s, const struct n_pdu *n_pdu, int64_t now)
{
    if (s->pkts < s->params.budget_pkts)
        return true;
    if (n_pdu->qclass == QCLASS_SIGNALLING && s->pkts < s->params.budget_pkts + s->params.reserve_pkts)
        return true;
    return sched_ms_pay(s, now);
}

/* The flow's head has changed; its mobile or cell may be parked for the former one. */
static void look_again(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    if (ms->flags & SCHED_MS_PARKED || flow->turn.flags & SCHED_FLOW_PARKED)
        sched_ms_head_changed(s, ms, now);
    else
        sched_bvc_changed(s, ms->bvc);
    if (sched_order_has(s, flow->turn.qclass) && flow->turn.place != TURNS_OUT)
        sched_order_sort(s, ms->bvc, flow);
}

static void enqueue_in_sets(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                            struct n_pdu *n_pdu, int64_t now)
{
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    sched_queue_put(s, flow, n_pdu);
    sched_flow_count_in(s, flow, n_pdu);
    if (!head) {
        sched_ms_filled(s, ms, flow, now);
        return;
    }
    sched_age_followed(s, ms, flow, n_pdu, head, now);
    if (flow_queue_head(&flow->queue) != head)
        look_again(s, ms, flow, now);
}

/* Queues an N-PDU that the AQM scheme has not dropped. `set` is the flow's from before it was asked. */
static inline int put_within(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                             struct n_pdu *n_pdu, uint32_t set, int64_t now)
{
    int reason = check_limits(s, ms, flow, n_pdu, now);
    if (reason != DROP_NONE)
        return reason;
    if (!find_room(s, n_pdu, now))
        return DROP_BUDGET;
    if (s->flow_sets.queues > 0) {
        enqueue_in_sets(s, ms, flow, n_pdu, now);
        if (s->aqm)
            sched_aqm_queued(s, flow, n_pdu, set);
        return DROP_NONE;
    }
    flow_queue_put(&flow->queue, n_pdu);
    sched_class_count_in(s, ms->bvc, flow, n_pdu);
    if (flow->queue.pkts == 1)
        sched_ms_filled(s, ms, flow, now);
    else
        sched_age_followed(s, ms, flow, n_pdu, flow_queue_head(&flow->queue), now);
    return DROP_NONE;
}

static inline struct sched_flow *flow_for(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu)
{
    struct sched_flow *flow = sched_flow_for(s, ms, n_pdu);
    if (n_pdu->sent_octets > 0)
        flow = sched_flow_for_begun(s, ms, flow, n_pdu);
    if (s->flow_sets.tags && flow->set != FLOW_SETS_NONE)
        flow_tags_place(&s->flow_sets, flow->set, n_pdu);
    return flow;
}

static __attribute__((noinline)) int enqueue_otherwise(struct sched *s, struct sched_ms *ms,
                                                       struct n_pdu *n_pdu, int64_t now)
{
    struct sched_flow *flow = flow_for(s, ms, n_pdu);
    uint32_t set = flow->set;
    if (__builtin_expect(s->params.drops_duplicates, false) && n_pdu->sent_octets == 0 &&
        sched_queue_repeats(s, flow, n_pdu))
        return DROP_DUPLICATE;
    int reason = s->aqm ? sched_aqm_on_enqueue(s, ms, flow, n_pdu, now) : DROP_NONE;
    return reason == DROP_NONE ? put_within(s, ms, flow, n_pdu, set, now) : reason;
}

/* Whether an N-PDU joins a mobile's only flow, there is room, and no one else has to be asked. */
static inline bool is_usual(const struct sched *s, const struct sched_ms *ms, const struct n_pdu *n_pdu)
{
    const struct sched_flow *flow = &ms->flow;
    unsigned k = n_pdu->qclass;
    const struct sched_link_class *lc = &ms->bvc->link->classes[k];
    const struct sched_limit *limit = &s->params.class_limits[k];
    uint32_t octets = n_pdu->octets;
    return ((uintptr_t)s->aqm | s->flow_sets.queues | s->params.drops_duplicates | n_pdu->sent_octets |
            (flow->more ^ SCHED_NO_EXTRA) | (flow->turn.qclass ^ k)) == 0 &&
           flow->queue.octets + octets <= ms->limit_octets && flow->queue.pkts < s->params.ms_limit_pkts &&
           flow->queue.pkts < FLOW_QUEUE_MAX_PKTS && lc->octets + octets <= limit->octets &&
           lc->pkts < limit->pkts && s->pkts < s->params.budget_pkts;
}

int sched_enqueue(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct sched_flow *flow = &ms->flow;
    if (!is_usual(s, ms, n_pdu))
        return enqueue_otherwise(s, ms, n_pdu, now);
    flow_queue_put(&flow->queue, n_pdu);
    sched_class_count_in(s, ms->bvc, flow, n_pdu);
    if (flow->queue.pkts == 1)
        sched_ms_filled(s, ms, flow, now);
    else
        sched_age_followed(s, ms, flow, n_pdu, flow_queue_head(&flow->queue), now);
    return DROP_NONE;
}

int sched_enqueue_held(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct sched_flow *flow = flow_for(s, ms, n_pdu);
    if (s->aqm)
        sched_aqm_start_clock(s, ms, flow, n_pdu, now);
    return put_within(s, ms, flow, n_pdu, flow->set, now);
}
