/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of a context: sizes of tables, and treatment of users' packets. */
#ifndef DATAPLANE_CONTEXT_CONTEXT_PARAMS_H
#define DATAPLANE_CONTEXT_CONTEXT_PARAMS_H

#include "dataplane/context/gb_policy.h"
#include "dataplane/queue/lifetime.h"
#include "dataplane/sched/sched.h"

#define CONTEXT_MAX_READY_NS (INT64_C(30000) * 1000000000) /* half the range of ms.heard_ticks */

struct context_limits {
    uint32_t nses, nsvcs, bvcs, mobiles, pdps;
    uint32_t extra_flows;   /* of mobiles with several traffic classes or packet flows */
    uint32_t flow_sets;     /* sets of queues by 5-tuple, if policy.sched has these */
    uint32_t npdus;         /* that may ever be queued, of all mobiles; 0: as policy.sched says */
    uint32_t foreign_teids; /* tunnels with a TEID not allocated by gbflow; 0: up to all */
    bool has_elements;      /* mobiles may have optional elements of DL-UNITDATA; allocates their table */
};

/* Optional elements of DL-UNITDATA that are not set for each mobile. */
struct context_unitdata {
    bool tells_tlli_old; /* after a change, until a frame with the new TLLI */
    bool is_aligned;     /* alignment octets in front of the LLC-PDU */
};

/* Treatment of users' packets. */
struct context_policy {
    struct context_unitdata unitdata;
    struct lifetime lifetime;
    struct sched_params sched; /* max_age_ns and segmenting are set by context_new() */
    struct gb_policy gb;       /* of each cell until context_bvc_policy() */
    int64_t ready_ns;          /* READY timer (TS 24.008, T3314), at most CONTEXT_MAX_READY_NS; 0: off */
    uint64_t flow_salt;        /* of the hash that assigns 5-tuples to flow queues */
};

/* No lifetime, the scheduler's defaults, flow control as announced, TLLI(old) but no alignment octets. */
void context_policy_default(struct context_policy *policy);

#endif
