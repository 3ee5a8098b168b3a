/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/moment.h"
#include "dataplane/queue/flow_sets.h"

#include <assert.h>

static struct flow_queue *queue_at(const struct flow_sets *fs, const struct flow_set *set, unsigned i)
{
    return &flow_sets_queue(fs, set, i)->queue;
}

/* Applies the changes of a queue since `before` to the flow's counts. */
static void recount(struct flow_queue *q, const struct flow_queue *before, const struct flow_queue *after)
{
    q->octets -= before->octets - after->octets;
    q->pkts = (uint16_t)(q->pkts - (before->pkts - after->pkts));
}

uint32_t flow_sets_remove_pdp(const struct flow_sets *fs, uint32_t set, struct flow_queue *q, uint32_t pdp,
                              struct n_pdu_list *out)
{
    struct flow_set *from = flow_sets_get(fs, set);
    uint32_t removed = 0;
    for (uint64_t left = from->used; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        struct flow_queue before = *queue_at(fs, from, i);
        removed += flow_queue_remove_pdp(queue_at(fs, from, i), pdp, out);
        recount(q, &before, queue_at(fs, from, i));
    }
    flow_sets_choose(fs, from, q);
    return removed;
}

unsigned flow_sets_longest(const struct flow_sets *fs, uint32_t set, bool in_octets)
{
    struct flow_set *of = flow_sets_get(fs, set);
    unsigned best = FLOW_SETS_NO_QUEUE;
    uint32_t most = 0;
    for (uint64_t left = of->used; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        const struct flow_queue *queue = queue_at(fs, of, i);
        uint32_t length = in_octets ? queue->octets : queue->pkts;
        if (queue->pkts > queue->is_begun && length > most) {
            best = i;
            most = length;
        }
    }
    return best;
}

struct n_pdu *flow_sets_drop_waiting(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                                     unsigned queue)
{
    struct flow_set *from = flow_sets_get(fs, set);
    struct flow_queue before = *queue_at(fs, from, queue);
    struct n_pdu *n_pdu = flow_queue_drop_waiting(queue_at(fs, from, queue));
    recount(q, &before, queue_at(fs, from, queue));
    flow_sets_choose(fs, from, q);
    return n_pdu;
}

static struct n_pdu *drop_head(const struct flow_sets *fs, struct flow_set *from, struct flow_queue *q,
                               unsigned queue)
{
    struct flow_queue before = *queue_at(fs, from, queue);
    struct n_pdu *n_pdu = flow_queue_drop_head(queue_at(fs, from, queue));
    recount(q, &before, queue_at(fs, from, queue));
    flow_sets_choose(fs, from, q);
    return n_pdu;
}

/* The queue whose head arrived first. FLOW_SETS_NO_QUEUE: all are empty. */
static unsigned oldest(const struct flow_sets *fs, const struct flow_set *set)
{
    unsigned best = FLOW_SETS_NO_QUEUE;
    int64_t best_ns = MOMENT_NEVER;
    for (uint64_t left = set->used; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        const struct n_pdu *head = flow_queue_head(queue_at(fs, set, i));
        if (head && (best == FLOW_SETS_NO_QUEUE || head->arrival_ns < best_ns)) {
            best = i;
            best_ns = head->arrival_ns;
        }
    }
    return best;
}

struct n_pdu *flow_sets_drop_older(const struct flow_sets *fs, uint32_t set, struct flow_queue *q,
                                   int64_t latest_ns)
{
    struct flow_set *from = flow_sets_get(fs, set);
    unsigned i = oldest(fs, from);
    if (i == FLOW_SETS_NO_QUEUE || flow_queue_head(queue_at(fs, from, i))->arrival_ns > latest_ns)
        return NULL;
    return drop_head(fs, from, q, i);
}

int64_t flow_sets_oldest_ns(const struct flow_sets *fs, uint32_t set)
{
    const struct flow_set *of = flow_sets_get(fs, set);
    unsigned i = oldest(fs, of);
    assert(i != FLOW_SETS_NO_QUEUE);
    return flow_queue_head(queue_at(fs, of, i))->arrival_ns;
}

void flow_sets_join(struct flow_sets *fs, uint32_t set, struct flow_queue *q)
{
    struct flow_set *from = flow_sets_get(fs, set);
    struct flow_queue all = {0};
    while (q->pkts > 0)
        flow_queue_put(&all, drop_head(fs, from, q, q->is_begun ? from->at : oldest(fs, from)));
    flow_sets_close(fs, set);
    *q = all;
}
