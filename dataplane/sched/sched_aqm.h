/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active queue management at work in the queues: one scheme for each traffic class (dataplane/aqm), asked
 * when an N-PDU comes, before limits are, and when its first segment is about to leave: all buckets have
 * said yes, nothing is charged yet. One in service is not asked about again. What is dropped there gives its
 * turn to the next head at the same instant, for which flow control is asked anew.
 *
 * An instance is of a scope. Its state begins when the scope is first used, stays when it runs empty, and
 *   class of a link, of a cell   stays as long as these,
 *   mobile (its flow: a class or a packet flow) goes with it to other cells, begins anew with a new mobile,
 *   queue by 5-tuple             is the queue's as long as that is in its set; a flow of one queue has one.
 *
 * The rate that a view tells is the least of the buckets' R on the way, the cell's divided by weight among
 * the classes with something in turns, and for a mobile among those in turns of its class. A class of a link
 * without a rate has the N-PDU's cell's. Queues of one mobile are told the mobile's.
 *
 * Time is parked while the mobile's or its cell's R is 0; while both are it counts twice, but never more
 * than the age.
 *
 * Not here: what schemes decide (dataplane/aqm).
 */
#ifndef DATAPLANE_SCHED_SCHED_AQM_H
#define DATAPLANE_SCHED_SCHED_AQM_H

#include "dataplane/sched/sched.h"

struct sched_aqm;

/* Where mobiles, cells and links lie: arrays of their owners' structures. */
struct sched_aqm_owners {
    const struct sched_ms *mobiles;
    const struct sched_bvc *bvcs;
    const struct sched_link *links;
    size_t ms_octets, bvc_octets, link_octets; /* from one to the next */
};

/* Takes what the schemes of s->params need, nothing without any. False: no memory, or wrong parameters. */
bool sched_aqm_new(struct sched *s, const struct sched_counts *counts);
void sched_aqm_free(struct sched *s);

/* Before the first N-PDU. Without schemes: no effect. */
void sched_aqm_place(struct sched *s, const struct sched_aqm_owners *owners);

/* The scheme of a class with its counters; NULL: none. */
const struct aqm_setup *sched_aqm_setup(const struct sched *s, unsigned qclass);

/* Brings to the cache what a scheme keeps of a mobile, of which nothing is looked at. */
void sched_aqm_prefetch(const struct sched *s, const struct sched_ms *ms);

/* --- for the scheduler's other parts; s->aqm is not NULL --- */
/* Whether N-PDUs of a class have to be shown to a scheme. */
bool sched_aqm_has(const struct sched *s, unsigned qclass);
/* A mobile or an extra flow is a new one. */
void sched_aqm_forget(struct sched *s, struct sched_flow *flow, int64_t now);
/* A cell or a link is no more; what comes in its place begins anew. */
void sched_aqm_forget_bvc(struct sched *s, const struct sched_bvc *bvc);
void sched_aqm_forget_link(struct sched *s, const struct sched_link *link);
/* One comes: DROP_NONE, or DROP_AQM and it stays the caller's. Marks it. */
int sched_aqm_on_enqueue(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, struct n_pdu *n_pdu,
                         int64_t now);
/* Both for one that is not queued: its mobile's first flow is empty and of its class. */
int sched_aqm_on_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now);
/* It was queued; `set` is the flow's from before sched_aqm_on_enqueue(). */
void sched_aqm_queued(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu, uint32_t set);
/* The head of a flow is about to leave. False: it was dropped, and the flow may be empty now. */
bool sched_aqm_on_dequeue(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);
/* Waiting octets and N-PDUs of a flow became more, or less. */
void sched_aqm_count(struct sched *s, struct sched_flow *flow, int64_t octets, int32_t pkts);
/* Rates may have become zero, or no longer be. */
void sched_aqm_ms_changed(struct sched *s, const struct sched_ms *ms, int64_t now);
void sched_aqm_bvc_changed(struct sched *s, const struct sched_bvc *bvc);
/* A mobile goes from its cell to another. */
void sched_aqm_moved(struct sched *s, struct sched_ms *ms, struct sched_bvc *to, int64_t now);

#endif
