/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cell (BVC): its classes share its rate by weight, and its bucket limits it, or it takes its share of the
 * link.
 */
#ifndef DATAPLANE_SCHED_BVC_H
#define DATAPLANE_SCHED_BVC_H

#include "dataplane/sched/arm.h"

/* Classes that go before all others, up to their share. */
#define SCHED_SHARE_STRICT ((1U << QCLASS_SIGNALLING) | (1U << QCLASS_SMS))
static inline uint64_t sched_share_cost(const struct sched *s, unsigned qclass, uint32_t octets)
{
    return (uint64_t)octets * s->inverse_weights[qclass];
}

/* A cell with an empty bucket (Bmax = R = 0) that must not send. */
void sched_bvc_init(struct sched_bvc *bvc, struct sched_link *link, int64_t now);

/* Allows or forbids a cell to send; queues stay. */
void sched_bvc_use(struct sched *s, struct sched_bvc *bvc, bool usable);

/* Its last mobile has been removed and it must not send: as sched_link_fini(). */
void sched_bvc_fini(struct sched *s, struct sched_bvc *bvc);

/* The caller changed its bucket: a cell or link parked for it tests its bucket again. */
void sched_bvc_changed(struct sched *s, struct sched_bvc *bvc);

static inline struct sched_flow *sched_class_flow(struct turn *turn)
{
    return SCHED_OWNER(turn, struct sched_flow, turn);
}
static inline struct sched_bvc *sched_class_bvc(struct sched_class *c)
{
    return SCHED_OWNER(c - c->qclass, struct sched_bvc, classes);
}
void sched_class_enter(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);
void sched_class_leave(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow);

/* The cell's bucket is closed until open_ns for the flow whose turn it is: parks the cell, which is limited
 * by its bucket from now on; the flow keeps its turn. */
void sched_bvc_close(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow, int64_t open_ns,
                     int64_t now);
/* Parks one that is in no list. */
void sched_bvc_park(struct sched *s, struct sched_bvc *bvc, int64_t open_ns);
/* Puts a parked one at the end of its link's list. */
void sched_bvc_ready(struct sched *s, struct sched_bvc *bvc);
void sched_bvc_woken(struct sched *s, struct sched_bvc *bvc, int64_t at_ns);

/* After a class of a cell in SCHED_MODE_LIMITED has sent. True: its bucket still limits the cell, which is in
 * no list until sched_bvc_park() or sched_bvc_ready(). */
bool sched_bvc_sent(struct sched *s, struct sched_class *c, uint32_t octets, int64_t now);

#endif
