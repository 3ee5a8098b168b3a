/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classes whose mobiles are sorted instead of taking turns of a quantum: in order of arrival (sched_fifo.h)
 * or of start tags (sched_sfq.h). For the sched*.c files only.
 */
#ifndef DATAPLANE_SCHED_SCHED_ORDER_H
#define DATAPLANE_SCHED_SCHED_ORDER_H

#include "dataplane/sched/sched_fifo.h"
#include "dataplane/sched/sched_sfq.h"

static inline bool sched_order_has(const struct sched *s, unsigned qclass)
{
    return __builtin_expect(s->sorted_classes >> qclass & 1, false);
}

/* Puts a flow, which is in no turns and has N-PDUs, into those of its class. */
static inline void sched_order_enter(struct sched *s, struct sched_class *c, struct sched_flow *flow)
{
    if (sched_fifo_has(s, c->qclass))
        sched_fifo_enter(c, flow);
    else
        sched_sfq_enter(s, c, flow);
}

/* The head of a flow in turns is another: sorts the flow, and its class at the link, in again. */
static inline void sched_order_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    if (sched_fifo_has(s, flow->turn.qclass))
        sched_fifo_sort(s, bvc, flow);
    else
        sched_sfq_sort(s, bvc, flow);
}

/* The flow has another class, or its mobile another cell: it begins with nothing used. */
static inline void sched_order_forget(const struct sched *s, const struct sched_class *c,
                                      struct sched_flow *flow)
{
    if (s->params.sfq_classes >> c->qclass & 1)
        sched_sfq_forget(c, flow);
    else
        turns_forget(&c->turns, &flow->turn);
}

#endif
