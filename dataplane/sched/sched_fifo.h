/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classes in order of arrival (params.fifo_classes): one FIFO buffer for all mobiles of a class in a cell,
 * and for all cells that share the link.
 *
 * Model: all flows of such a class are in TURNS_FRESH, in the order in which their heads arrived, so the
 * oldest head is next; its mobile gets no quantum. A mobile or packet flow with a closed bucket is parked as
 * in any class and N-PDUs behind it go first; when the bucket opens it is sorted in by arrival again. The
 * classes of cells stand in the turns of the link by the arrival of their oldest head.
 * N-PDUs of several flows can arrive in one nanosecond. These flows take turns and send one LLC-PDU per turn.
 * Entering costs a walk over the flows in turns that are younger. Not together with flow queues, where heads
 * change on arrival.
 *
 * For the sched*.c files only.
 */
#ifndef DATAPLANE_SCHED_SCHED_FIFO_H
#define DATAPLANE_SCHED_SCHED_FIFO_H

#include "dataplane/sched/sched_types.h"

static inline bool sched_fifo_has(const struct sched *s, unsigned qclass)
{
    return __builtin_expect(s->fifo_classes >> qclass & 1, false);
}

/* Puts a flow, which is in no turns and has N-PDUs, into those of its class. */
void sched_fifo_enter(struct sched_class *c, struct sched_flow *flow);
/* The head of a flow in turns is another: sorts the flow, and its class at the link, in again. */
void sched_fifo_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);
/* Sorts a class of a cell with flows in turns into the turns of the link. */
void sched_fifo_enter_link(struct sched_link_class *lc, struct sched_class *c);

#endif
