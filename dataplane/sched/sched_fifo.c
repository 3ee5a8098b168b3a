/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched_fifo.h"

#include "dataplane/sched/sched_parts.h"

typedef int64_t arrival_fn(struct turn *turn);

/* Of the head of a flow; a flow that has just run empty leaves its turns soon. */
static int64_t arrival_of_flow(struct turn *turn)
{
    const struct n_pdu *head = flow_queue_head(&sched_class_flow(turn)->queue);
    return head ? head->arrival_ns : INT64_MIN;
}

/* Of the oldest head of a class of a cell. */
static int64_t arrival_of_class(struct turn *turn)
{
    struct sched_class *c = SCHED_OWNER(turn, struct sched_class, fresh);
    struct turn *first = turns_list(&c->turns, TURNS_FRESH)->head;
    return first ? arrival_of_flow(first) : INT64_MIN;
}

/* From the last on: an N-PDU that has just arrived is the youngest. */
static void sort_in(struct turns *turns, struct turn *turn, arrival_fn *arrival_of)
{
    int64_t arrival_ns = arrival_of(turn);
    struct turn *before = turns_list(turns, TURNS_FRESH)->last;
    while (before && arrival_of(before) > arrival_ns)
        before = before->prev;
    turns_put_behind(turns, turn, before, TURNS_FRESH);
}

void sched_fifo_enter(struct sched_class *c, struct sched_flow *flow)
{
    sort_in(&c->turns, &flow->turn, arrival_of_flow);
}

void sched_fifo_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    turns_leave(&c->turns, &flow->turn);
    sched_fifo_enter(c, flow);
    if (bvc->mode == SCHED_MODE_LINK)
        sched_link_sync(s, bvc->link, c);
}

void sched_fifo_enter_link(struct sched_link_class *lc, struct sched_class *c)
{
    sort_in(&lc->turns, &c->fresh, arrival_of_class);
}
