/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start-time fair queueing of the mobiles of a class (Goyal, Vin and Cheng 1996), with order = "sfq".
 *
 * Model: each flow has a start tag in octets, and sending n octets raises it by n. The flow with the least
 * tag + n is next, n being its next LLC-PDU, so a short LLC-PDU passes longer ones. The virtual time of the
 * class is the start tag that was served last. A flow that was empty begins at the virtual time, or at its
 * own tag if this is later: what it has sent ahead of its share is a debt, which no pause ends. A flow whose
 * mobile or packet flow was parked keeps at most one largest LLC-PDU of what it did not send meanwhile.
 *
 * At the link a cell's tag grows by octets / flows in turns, so that cells share as their mobiles would.
 *
 * Tags are serial numbers of 32 bits. A debt is at most DEBT_MAX_OCTETS; a tag further ahead of the virtual
 * time is that of a flow which was silent for 2^31 octets of its class, and counts as none.
 *
 * Flows are in TURNS_FRESH in the order of tag + n. A flow that has sent is sorted in from the last on, one
 * that begins from the first on, where their places mostly are.
 *
 * For the sched*.c files only.
 */
#ifndef DATAPLANE_SCHED_SCHED_SFQ_H
#define DATAPLANE_SCHED_SCHED_SFQ_H

#include "dataplane/sched/sched_types.h"

/* A flow that was empty has got an N-PDU. It is not in turns. */
void sched_sfq_begin(struct sched *s, struct sched_ms *ms, struct sched_flow *flow);
/* Puts a flow, which is in no turns and has N-PDUs, into those of its class. */
void sched_sfq_enter(struct sched *s, struct sched_class *c, struct sched_flow *flow);
/* Charges octets to the flow whose turn it was. The caller sorts it in again. */
void sched_sfq_charge(struct sched_class *c, struct sched_flow *flow, uint32_t octets);
/* The next LLC-PDU or the tag of a flow in turns is another. */
void sched_sfq_sort(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);
/* The flow has another class, or its mobile another cell: it begins without a debt. */
void sched_sfq_forget(const struct sched_class *c, struct sched_flow *flow);

/* --- cells that share the link --- */
/* Sorts a class of a cell into the turns of the link; `begins`: it was not there before. */
void sched_sfq_enter_link(struct sched_link_class *lc, struct sched_class *c, bool begins);
/* Charges octets to a class of a cell, which sent them. */
void sched_sfq_charge_link(struct sched_link_class *lc, struct sched_class *c, uint32_t octets);

#endif
