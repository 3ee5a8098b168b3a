/* SPDX-License-Identifier: BSD-3-Clause */
/* The N-PDUs of a flow, one by one. */
#include "dataplane/sched/tree.h"
#include "tests/unit/dataplane/sched/audit.h"

#define HOLDS(condition, complaint)                                                                          \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            return (complaint);                                                                              \
    } while (0)
#define CHECKED(call)                                                                                        \
    do {                                                                                                     \
        const char *complaint_ = (call);                                                                     \
        if (complaint_)                                                                                      \
            return complaint_;                                                                               \
    } while (0)

static const char *check_queue(const struct flow_queue *q)
{
    uint32_t octets = 0, pkts = 0;
    const struct n_pdu *last = NULL;
    for (const struct n_pdu *n = q->list.head; n; last = n, n = n->next, pkts++) {
        HOLDS(n == q->list.head || n->sent_octets == 0, "an N-PDU behind the head is in service");
        HOLDS(n->sent_octets < n->octets, "an N-PDU waits that has left");
        HOLDS(!n->next || n->next_octets == n->next->octets, "length of the N-PDU behind another");
        octets += (uint32_t)(n->octets - n->sent_octets);
    }
    HOLDS(!last || q->list.last == last, "the last N-PDU of a queue is not its last");
    HOLDS(q->octets == octets, "octets of a queue");
    HOLDS(q->pkts == pkts, "packets of a queue");
    HOLDS(pkts == 0 || q->head_octets == q->list.head->octets - q->list.head->sent_octets,
          "octets of a head");
    HOLDS(pkts == 0 || q->is_begun == (q->list.head->sent_octets > 0), "a head in service, or not");
    return NULL;
}

/* What a flow shows of its set. */
static const char *check_shown(const struct flow_sets *fs, const struct flow_set *set,
                               const struct flow_queue *shown, const struct flow_queue *sum)
{
    const struct flow_queue *at = &flow_sets_queue(fs, set, set->at)->queue;
    HOLDS(shown->octets == sum->octets && shown->pkts == sum->pkts, "what waits in a set of queues");
    HOLDS(at->pkts > 0 && shown->list.head == at->list.head, "who goes next of a set");
    HOLDS(shown->head_octets == at->head_octets && shown->is_begun == at->is_begun, "the head of a set");
    return NULL;
}

static const char *check_places(const struct flow_sets *fs, const struct flow_set *set)
{
    const struct flow_sets_link *links = flow_sets_links(fs, set);
    uint8_t seen[FLOW_SETS_MAX_QUEUES] = {0};
    for (unsigned place = 0; place < FLOW_SETS_PLACES; place++) {
        unsigned last = place;
        for (unsigned link = links[place].next; link != place; link = links[link].next) {
            unsigned i = link - FLOW_SETS_PLACES;
            HOLDS(i < fs->queues && flow_sets_queue(fs, set, i)->place == place, "place of a queue");
            HOLDS(links[link].prev == last, "links of a queue");
            HOLDS(seen[i]++ == 0, "a queue is twice in a ring");
            last = link;
        }
        HOLDS(links[place].prev == last, "the last queue of a ring");
    }
    for (unsigned i = 0; i < fs->queues; i++)
        HOLDS(seen[i] == (set->used >> i & 1), "a queue is in no ring");
    return NULL;
}

static const char *check_member(const struct flow_sets *fs, const struct flow_set *set, unsigned i)
{
    const struct flow_sets_queue *member = flow_sets_queue(fs, set, i);
    const struct flow_queue *queue = &member->queue;
    CHECKED(check_queue(queue));
    if (!(set->used >> i & 1)) {
        HOLDS(queue->pkts == 0, "a queue with N-PDUs has no turn");
        return NULL;
    }
    HOLDS(set->where[member->number] == i, "a queue that nobody finds");
    HOLDS(!queue->is_begun || queue->pkts == 0 || set->at == i, "in service, and not next");
    for (const struct n_pdu *n = queue->list.head; n; n = n->next)
        HOLDS(flow_sets_number_of(fs, n) == member->number, "an N-PDU in the queue of another 5-tuple");
    return NULL;
}

static const char *check_set(const struct flow_sets *fs, const struct sched_flow *flow)
{
    const struct flow_set *set = flow_sets_get(fs, flow->set);
    struct flow_queue sum = {0};
    HOLDS(flow->queue.pkts > 0 || fs->tags, "a set of queues with nothing in it");
    for (unsigned i = 0; i < fs->queues; i++) {
        CHECKED(check_member(fs, set, i));
        sum.octets += flow_sets_queue(fs, set, i)->queue.octets;
        sum.pkts = (uint16_t)(sum.pkts + flow_sets_queue(fs, set, i)->queue.pkts);
    }
    if (fs->tags && flow->queue.pkts == 0)
        return flow_tags_set(fs, flow->set)->is_kept ? NULL : "an empty set that is not kept";
    if (!fs->tags)
        CHECKED(check_places(fs, set));
    return check_shown(fs, set, &flow->queue, &sum);
}

/* Without a set all are of one queue, unless there was no set for them. */
static const char *check_one(const struct flow_sets *fs, const struct sched_flow *flow)
{
    CHECKED(check_queue(&flow->queue));
    for (const struct n_pdu *n = flow->queue.list.head; n && fs->queues > 0; n = n->next)
        HOLDS(flow->turn.flags & SCHED_FLOW_MIXED ||
                  flow_sets_number_of(fs, n) == flow_sets_number_of(fs, flow->queue.list.head),
              "two 5-tuples in one queue");
    return NULL;
}

const char *audit_queue(const struct sched *s, const struct sched_flow *flow, uint32_t *sets)
{
    *sets += flow->set != FLOW_SETS_NONE;
    return flow->set == FLOW_SETS_NONE ? check_one(&s->flow_sets, flow) : check_set(&s->flow_sets, flow);
}
