/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/queue.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/queue/flow_tags.h"
#include "dataplane/queue/tcp_repeat.h"

/* --- in --- */

static bool is_of_another(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    return flow_sets_number_of(&s->flow_sets, n_pdu) !=
           flow_sets_number_of(&s->flow_sets, flow->queue.list.last);
}

/* With tags a flow has a set from its first N-PDU on. */
static void choose_by_tags(struct sched *s, struct sched_flow *flow)
{
    if (flow->queue.pkts > 0)
        return;
    flow_tags_open(&s->flow_sets, &flow->set);
    flow->turn.flags &= (uint8_t)~SCHED_FLOW_MIXED;
    if (flow->set == FLOW_SETS_NONE)
        flow->turn.flags |= SCHED_FLOW_MIXED;
}

/* A single queue is kept while all N-PDUs would be in one queue of a set. */
static void choose_queues(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    if (s->flow_sets.tags) {
        choose_by_tags(s, flow);
        return;
    }
    if (flow->queue.pkts <= 1)
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_MIXED;
    if (flow->queue.pkts == 0 || flow->turn.flags & SCHED_FLOW_MIXED || !is_of_another(s, flow, n_pdu))
        return;
    flow->set = flow_sets_open(&s->flow_sets, &flow->queue);
    if (flow->set == FLOW_SETS_NONE)
        flow->turn.flags |= SCHED_FLOW_MIXED;
}

void sched_queue_put(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu)
{
    if (s->flow_sets.queues > 0 && flow->set == FLOW_SETS_NONE)
        choose_queues(s, flow, n_pdu);
    if (s->flow_sets.tags && flow->set != FLOW_SETS_NONE)
        flow_tags_wake(&s->flow_sets, flow->set);
    if (flow->set == FLOW_SETS_NONE)
        flow_queue_put(&flow->queue, n_pdu);
    else
        flow_sets_put(&s->flow_sets, flow->set, &flow->queue, n_pdu);
}

bool sched_queue_repeats(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu)
{
    if (flow->queue.pkts == 0)
        return false;
    if (flow->set == FLOW_SETS_NONE)
        return tcp_repeat_has(&flow->queue.list, n_pdu);
    const struct flow_set *set = flow_sets_get(&s->flow_sets, flow->set);
    unsigned own = set->where[flow_sets_number_of(&s->flow_sets, n_pdu)];
    return own != FLOW_SETS_NO_QUEUE &&
           tcp_repeat_has(&flow_sets_queue(&s->flow_sets, set, own)->queue.list, n_pdu);
}

/* --- out --- */

/* Returns an empty set, after an N-PDU has left it. */
static void close_empty(struct sched *s, struct sched_flow *flow)
{
    if (flow->queue.pkts > 0)
        return;
    if (s->flow_sets.tags) {
        flow_tags_keep(&s->flow_sets, flow->set);
        return;
    }
    flow_sets_close(&s->flow_sets, flow->set);
    flow->set = FLOW_SETS_NONE;
}

struct n_pdu *sched_queue_take_of_set(struct sched *s, struct sched_flow *flow, const struct llc_next *next)
{
    struct n_pdu *n_pdu = flow_sets_take(&s->flow_sets, flow->set, &flow->queue, next);
    close_empty(s, flow);
    return n_pdu;
}

struct n_pdu *sched_queue_drop_of(struct sched *s, struct sched_flow *flow, unsigned queue)
{
    struct n_pdu *n_pdu = flow_sets_drop_waiting(&s->flow_sets, flow->set, &flow->queue, queue);
    close_empty(s, flow);
    return n_pdu;
}

struct n_pdu *sched_queue_drop_head(struct sched *s, struct sched_flow *flow)
{
    if (flow->set == FLOW_SETS_NONE)
        return flow_queue_drop_head(&flow->queue);
    return sched_queue_drop_of(s, flow, flow_sets_get(&s->flow_sets, flow->set)->at);
}

struct n_pdu *sched_queue_drop_waiting(struct sched *s, struct sched_flow *flow)
{
    if (flow->set == FLOW_SETS_NONE)
        return flow_queue_drop_waiting(&flow->queue);
    unsigned longest = flow_sets_longest(&s->flow_sets, flow->set, false);
    return longest == FLOW_SETS_NO_QUEUE ? NULL : sched_queue_drop_of(s, flow, longest);
}

struct n_pdu *sched_queue_drop_older(struct sched *s, struct sched_flow *flow, int64_t latest_ns)
{
    if (flow->set != FLOW_SETS_NONE) {
        struct n_pdu *n_pdu = flow_sets_drop_older(&s->flow_sets, flow->set, &flow->queue, latest_ns);
        close_empty(s, flow);
        return n_pdu;
    }
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    return head && head->arrival_ns <= latest_ns ? flow_queue_drop_head(&flow->queue) : NULL;
}

uint32_t sched_queue_remove_pdp(struct sched *s, struct sched_flow *flow, uint32_t pdp,
                                struct n_pdu_list *out)
{
    if (flow->set == FLOW_SETS_NONE)
        return flow_queue_remove_pdp(&flow->queue, pdp, out);
    uint32_t removed = flow_sets_remove_pdp(&s->flow_sets, flow->set, &flow->queue, pdp, out);
    close_empty(s, flow);
    return removed;
}

void sched_queue_join(struct sched *s, struct sched_flow *flow)
{
    if (flow->set == FLOW_SETS_NONE)
        return;
    flow_sets_join(&s->flow_sets, flow->set, &flow->queue);
    flow->set = FLOW_SETS_NONE;
    flow->turn.flags |= SCHED_FLOW_MIXED;
}

void sched_queue_forget(struct sched *s, struct sched_flow *flow)
{
    if (flow->set == FLOW_SETS_NONE)
        return;
    flow_sets_close(&s->flow_sets, flow->set);
    flow->set = FLOW_SETS_NONE;
}

bool sched_queue_pass_over(struct sched *s, struct sched_flow *flow, unsigned sapis)
{
    return flow->set != FLOW_SETS_NONE && flow_sets_pass_over(&s->flow_sets, flow->set, &flow->queue, sapis);
}

/* --- limits --- */

/* The queue that drops for an arriving N-PDU: the longest, unless the N-PDU's own would be.
 * FLOW_SETS_NO_QUEUE: none. */
static unsigned payer_of(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu,
                         bool in_octets)
{
    const struct flow_sets *fs = &s->flow_sets;
    const struct flow_set *set = flow_sets_get(fs, flow->set);
    unsigned longest = flow_sets_longest(fs, flow->set, in_octets);
    unsigned own = set->where[flow_sets_number_of(fs, n_pdu)];
    uint32_t with = in_octets ? n_pdu->octets : 1;
    if (longest == FLOW_SETS_NO_QUEUE)
        return FLOW_SETS_NO_QUEUE;
    const struct flow_queue *other = &flow_sets_queue(fs, set, longest)->queue;
    if (own != FLOW_SETS_NO_QUEUE) {
        const struct flow_queue *mine = &flow_sets_queue(fs, set, own)->queue;
        with += in_octets ? mine->octets : mine->pkts;
    }
    return with > (in_octets ? other->octets : other->pkts) ? FLOW_SETS_NO_QUEUE : longest;
}

unsigned sched_queue_payer(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu,
                           bool in_octets)
{
    if (flow->queue.pkts == 0) /* with tags it would get a set, which an N-PDU that is refused leaves empty */
        return FLOW_SETS_NO_QUEUE;
    if (flow->set == FLOW_SETS_NONE)
        choose_queues(s, flow, n_pdu);
    return flow->set == FLOW_SETS_NONE ? FLOW_SETS_NO_QUEUE : payer_of(s, flow, n_pdu, in_octets);
}

/* --- prefetch --- */

static void fetch_queues(const struct sched *s, const struct sched_flow *flow)
{
    prefetch_line_write(flow_queue_head(&flow->queue));
    if (flow->set != FLOW_SETS_NONE)
        flow_sets_prefetch_all(&s->flow_sets, flow->set);
}

/* Two turns ahead: memory takes longer than an LLC-PDU. The mobile was prefetched when its cell woke; the one
 * behind it is the next that the cell looks at. */
void sched_queue_fetch(const struct sched *s, const struct sched_bvc *bvc)
{
    bvc = bvc->next ? bvc->next->next : NULL;
    if (!bvc || !bvc->holder)
        return;
    fetch_queues(s, bvc->holder);
    const char *behind = (const char *)bvc->holder->turn.next;
    if (!behind)
        return;
    prefetch_line_write(behind);
    prefetch_line_write(behind - offsetof(struct sched_ms, flow.turn));
}
