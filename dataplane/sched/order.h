/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of the mobiles of a class that take no turns of a quantum: by arrival (fifo) or by start tags
 * (sfq). For the files of this folder alone.
 */
#ifndef DATAPLANE_SCHED_ORDER_H
#define DATAPLANE_SCHED_ORDER_H

#include "dataplane/sched/sched.h"

/*
 * Classes in order of arrival (params.fifo_classes): one FIFO buffer for all mobiles of a class in a cell,
 * and for all cells that share the link.
 *
 * Model: all flows of such a class are in TURNS_FRESH, in the order in which their heads arrived, so the
 * oldest head is next; its mobile gets no quantum. A mobile or packet flow with a closed bucket is parked as
 * in any class and N-PDUs behind it go first; when the bucket opens it is sorted in by arrival again. The
 * classes of cells stand in the turns of the link by the arrival of their oldest head.
 * N-PDUs of several flows can arrive in one nanosecond. These flows take turns and send one LLC-PDU per turn.
 * Entering costs a walk over the waiting flows that are younger. Not together with flow queues, where heads
 * change on arrival.
 */

static inline bool sched_order_fifo_has(const struct sched *s, unsigned qclass)
{
    return __builtin_expect(s->fifo_classes >> qclass & 1, false);
}

/*
 * Start-time fair queueing of the mobiles of a class (Goyal, Vin and Cheng 1996), with order = "sfq".
 *
 * Model: each flow has a start tag in octets, and sending n octets raises it by n. The flow with the least
 * tag + n is next, n being its next LLC-PDU, so a short LLC-PDU passes longer ones. The virtual time of the
 * class is the start tag that was served last. A flow that was empty begins at the virtual time less
 * params.credit_octets, or at its own tag if this is later: what it did not send before is worth so many
 * octets at most, and what it has sent ahead of its share is a debt, which no pause ends. A flow whose mobile
 * or packet flow was parked keeps the credit, or one largest LLC-PDU if that is more.
 *
 * At the link a cell's tag grows by octets / waiting flows, so that cells share as their mobiles would.
 *
 * Tags are serial numbers of 32 bits. A debt is at most DEBT_MAX_OCTETS; a tag further ahead of the virtual
 * time is that of a flow which was silent for 2^31 octets of its class, and counts as none.
 *
 * With params.airtime n octets raise the tag by n R_default / R, at most COST_MAX n: R is the mobile's, which
 * FLOW-CONTROL-MS tells, and R_default that of the mobiles of its cell, so that mobiles with queued N-PDUs
 * have equal shares of the air and one with R_default is charged as without. A mobile without R of its own
 * has R_default. It is least tag + n that is next, so R may change while N-PDUs are queued. The division is
 * one for each LLC-PDU of a mobile with R of its own: a mobile's two cache lines have no room for a factor.
 *
 * A flow that has sent keeps its turn until it has sent params.ms_quantum_octets in a row, since LLC-PDUs of
 * one mobile that meet in the BSS share a radio block (TS 44.060 §10.4.14), and one alone leaves the rest of
 * its last block empty. Short LLC-PDUs of others go in between. Tags grow as without it, so that
 * shares stay.
 *
 * Flows are in TURNS_FRESH in the order of tag + n. A flow that has sent is sorted in from the last on, one
 * that begins from the first on, where their places mostly are.
 */

/* A flow that was empty has got an N-PDU. It waits for no turn yet. */
void sched_order_sfq_begin(struct sched *s, struct sched_ms *ms, struct sched_flow *flow);

/* Charges octets to the flow whose turn it was. The caller sorts it in again. */
void sched_order_sfq_charge(const struct sched *s, struct sched_class *c, struct sched_flow *flow,
                            uint32_t octets);

/* Charges octets to a class of a cell, which sent them. */
void sched_order_sfq_charge_link(struct sched_link_class *lc, struct sched_class *c, uint32_t octets);

/*
 * Classes whose mobiles are sorted instead of taking turns of a quantum: in order of arrival
 * or of start tags.
 */

static inline bool sched_order_has(const struct sched *s, unsigned qclass)
{
    return __builtin_expect(s->sorted_classes >> qclass & 1, false);
}

/* Puts a flow, which is in no turns and has N-PDUs, into those of its class. */
void sched_order_enter(struct sched *s, struct sched_class *c, struct sched_flow *flow);

/* The next LLC-PDU or the tag of a flow that waits for its turn is another: sorts the flow, and its class at
 * the link, in again. */
void sched_order_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);

/* Sorts a class of a cell with flows that wait for their turn into the turns of the link; `begins`: it was
 * not there before. */
void sched_order_enter_link(const struct sched *s, struct sched_link_class *lc, struct sched_class *c,
                            bool begins);

/* The flow has another class, or its mobile another cell: it begins with nothing used. */
static inline void sched_order_forget(const struct sched *s, const struct sched_class *c,
                                      struct sched_flow *flow)
{
    if (s->params.sfq_classes >> c->qclass & 1)
        flow->turn.tag = c->vt;
    else
        turns_forget(&c->turns, &flow->turn);
}

#endif
