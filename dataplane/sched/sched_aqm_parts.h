/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by sched_aqm.c and sched_aqm_state.c only. */
#ifndef DATAPLANE_SCHED_SCHED_AQM_PARTS_H
#define DATAPLANE_SCHED_SCHED_AQM_PARTS_H

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_parts.h"

/* The N-PDU will be the first of a 5-tuple's queue, which is not assigned yet. */
#define SCHED_AQM_NEW_QUEUE FLOW_SETS_NO_QUEUE

/* The time for which R was 0; of a mobile, while that of its cell was not. */
struct sched_aqm_still {
    int64_t since_ns; /* MOMENT_NEVER: R is not 0 */
    int64_t total_ns; /* before since_ns */
};

/* Computes an element's index from its distance to the first, a multiple of the element's size: a shift by
 * the size's power of two, and a multiplication by the inverse modulo 2^64 of its odd factor. */
struct sched_aqm_step {
    uint64_t inverse;
    unsigned shift;
};

struct sched_aqm {
    struct aqm_setup *setups[QCLASS_COUNT]; /* NULL: no scheme */
    uint8_t scopes[QCLASS_COUNT];
    struct sched_aqm_owners owners;
    struct sched_aqm_step ms_step, bvc_step, link_step;
    uint32_t mobiles; /* slots of mobiles come first, then those of extra flows, then those of queues */
    uint32_t singles; /* mobiles and extra flows */
    size_t slot_octets;
    uint8_t *slots[SCHED_AQM_SCOPES];
    uint8_t *fresh;                   /* one more slot, of SCHED_AQM_NEW_QUEUE */
    struct sched_limit *bvc_backlogs; /* NULL: not needed */
    struct sched_aqm_still *ms_stills, *bvc_stills;
};

/* The state of the instance for an N-PDU of a flow's queue. */
void *sched_aqm_state(struct sched *s, struct sched_flow *flow, unsigned queue, int64_t now);

/* The queue of the flow's set, if it has one, that an N-PDU would join; and the one that is next. */
unsigned sched_aqm_queue_for(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu);
unsigned sched_aqm_queue_at(const struct sched *s, const struct sched_flow *flow);

struct sched_limit *sched_aqm_bvc_backlog(const struct sched *s, const struct sched_bvc *bvc,
                                          unsigned qclass);

/* Time for which R of a mobile or its cell has been 0 since the start; only differences are meaningful. */
int64_t sched_aqm_still_ns(const struct sched *s, const struct sched_ms *ms, int64_t now);

#endif
