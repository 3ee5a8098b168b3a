/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Enqueue: limits, and the queue that drops an N-PDU when there is no room. With flow queues a mobile still
 * counts as one among mobiles, only its next N-PDU may change: a head that is not in service goes behind the
 * head of a new queue. Then the bucket of mobile or cell is tested again, as the new head may conform
 * earlier.
 */
#include "dataplane/base/drop.h"
#include "dataplane/sched/sched_age.h"
#include "dataplane/sched/sched_order.h"
#include "dataplane/sched/sched_parts.h"
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_room.h"

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
    if (sched_room_has(s) && n_pdu->octets > s->longest_octets)
        s->longest_octets = n_pdu->octets;
    if (sched_room_has(s) && !head)
        sched_room_begin(s, ms, flow, now);
    if (!head) {
        sched_ms_filled(s, ms, flow, now);
        return;
    }
    sched_age_followed(s, ms, flow, n_pdu, head, now);
    if (flow_queue_head(&flow->queue) != head)
        look_again(s, ms, flow, now);
}

int sched_enqueue(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct sched_flow *flow = sched_flow_for(s, ms, n_pdu);
    if (n_pdu->sent_octets > 0)
        flow = sched_flow_for_begun(s, ms, flow, n_pdu);
    uint32_t set = flow->set;
    if (__builtin_expect(s->params.drops_duplicates, false) && n_pdu->sent_octets == 0 &&
        sched_queue_repeats(s, flow, n_pdu))
        return DROP_DUPLICATE;
    int reason = s->aqm ? sched_aqm_on_enqueue(s, ms, flow, n_pdu, now) : DROP_NONE;
    if (reason == DROP_NONE)
        reason = check_limits(s, ms, flow, n_pdu, now);
    if (reason != DROP_NONE)
        return reason;
    if (!find_room(s, n_pdu, now))
        return DROP_BUDGET;
    if (s->flow_sets.queues > 0) {
        enqueue_in_sets(s, ms, flow, n_pdu, now);
        if (s->aqm)
            sched_aqm_queued(s, flow, n_pdu, set);
        if (sched_room_has(s))
            sched_room_trim(s, ms, flow, now);
        return DROP_NONE;
    }
    flow_queue_put(&flow->queue, n_pdu);
    sched_flow_count_in(s, flow, n_pdu);
    if (flow->queue.pkts == 1)
        sched_ms_filled(s, ms, flow, now);
    else
        sched_age_followed(s, ms, flow, n_pdu, flow_queue_head(&flow->queue), now);
    return DROP_NONE;
}
