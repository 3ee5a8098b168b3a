/* SPDX-License-Identifier: BSD-3-Clause */
/* What sched_aqm.c and sched_aqm_state.c know of each other, and nobody else. */
#ifndef DATAPLANE_SCHED_SCHED_AQM_PARTS_H
#define DATAPLANE_SCHED_SCHED_AQM_PARTS_H

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_parts.h"

/* An N-PDU will be the first of its queue, which has no place yet. */
#define SCHED_AQM_NEW_QUEUE FLOW_SETS_NO_QUEUE

/* For how long a rate has been zero. */
struct sched_aqm_still {
    int64_t since_ns; /* MOMENT_NEVER: it is not */
    int64_t total_ns; /* before that */
};

/* To tell which of a row something is: its distance from the first is a whole number of steps, and one that a
 * number divides is divided by shifting and multiplying with the inverse modulo 2^64 of what is odd of it. */
struct sched_aqm_step {
    uint64_t inverse;
    unsigned shift;
};

struct sched_aqm {
    struct aqm_setup *setups[QCLASS_COUNT]; /* NULL: none */
    uint8_t scopes[QCLASS_COUNT];
    struct sched_aqm_owners owners;
    struct sched_aqm_step ms_step, bvc_step, link_step;
    uint32_t mobiles; /* behind whose instances those of extra flows lie, then those of queues */
    uint32_t singles; /* mobiles and extra flows */
    size_t slot_octets;
    uint8_t *slots[SCHED_AQM_SCOPES];
    uint8_t *fresh;                   /* one more, of SCHED_AQM_NEW_QUEUE */
    struct sched_limit *bvc_backlogs; /* NULL: of no use */
    struct sched_aqm_still *ms_stills, *bvc_stills;
};

/* The state of the instance that an N-PDU of a queue of a flow is for. */
void *sched_aqm_state(struct sched *s, struct sched_flow *flow, unsigned queue, int64_t now);

/* The queue of the flow's set, if it has one, that an N-PDU would join, and that which goes next. */
unsigned sched_aqm_queue_for(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu);
unsigned sched_aqm_queue_at(const struct sched *s, const struct sched_flow *flow);

struct sched_limit *sched_aqm_bvc_backlog(const struct sched *s, const struct sched_bvc *bvc,
                                          unsigned qclass);

/* Time for which a mobile could not send for a rate of zero, since ever; only differences mean something. */
int64_t sched_aqm_still_ns(const struct sched *s, const struct sched_ms *ms, int64_t now);

#endif
