/* SPDX-License-Identifier: BSD-3-Clause */
/* What the context is made with: how much there may be, and how users' packets are treated. */
#ifndef DATAPLANE_CONTEXT_CONTEXT_PARAMS_H
#define DATAPLANE_CONTEXT_CONTEXT_PARAMS_H

#include "dataplane/context/gb_policy.h"
#include "dataplane/queue/lifetime.h"
#include "dataplane/sched/sched.h"

#define CONTEXT_MAX_READY_NS (INT64_C(30000) * 1000000000) /* half of what ms.heard_ticks holds */

struct context_limits {
    uint32_t nses, nsvcs, bvcs, mobiles, pdps;
    uint32_t extra_flows;   /* of mobiles with several traffic classes or packet flows */
    uint32_t flow_sets;     /* of queues by 5-tuple, if policy.sched asks for such */
    uint32_t npdus;         /* that may ever wait, of all; 0: as policy.sched says */
    uint32_t foreign_teids; /* tunnels whose TEID somebody else chose; 0: all may be */
    bool has_elements;      /* mobiles may have elements of DL-UNITDATA, for which there is a table */
};

/* What DL-UNITDATA carries beside what is set for each mobile. */
struct context_unitdata {
    bool tells_tlli_old; /* after a change, until the mobile is heard under its new TLLI */
    bool is_aligned;     /* alignment octets in front of the LLC-PDU */
};

/* How users' packets are treated. */
struct context_policy {
    struct context_unitdata unitdata;
    struct lifetime lifetime;
    struct sched_params sched; /* max_age_ns and segmenting are set by context_new() */
    struct gb_policy gb;       /* of each cell until context_bvc_policy() */
    int64_t ready_ns;          /* READY timer (TS 24.008, T3314), at most CONTEXT_MAX_READY_NS; 0: none */
    uint64_t flow_salt;        /* of flow queues: which 5-tuples share one */
};

/* No lifetime, the scheduler's defaults, flow control as announced, TLLI(old) but no alignment octets. */
void context_policy_default(struct context_policy *policy);

#endif
