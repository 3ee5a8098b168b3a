/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker's tables of NSEs, NS-VCs, cells, mobiles and PDP contexts, with their flow control. The control
 * core allocates the indices, so a table needs no allocator of its own.
 *
 * Memory is allocated in context_new(). Functions return 0, or -1 when an index is out of range, in use, or
 * not in use.
 */
#ifndef DATAPLANE_CONTEXT_CONTEXT_H
#define DATAPLANE_CONTEXT_CONTEXT_H

#include "dataplane/base/bigmem.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/th.h"
#include "dataplane/context/ms.h"
#include "dataplane/queue/flow_queue.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/sched.h"

/* Parameters of a context: sizes of tables, and treatment of users' packets. */

#define CONTEXT_MAX_READY_NS (INT64_C(30000) * 1000000000) /* half the range of ms.heard_ticks */

struct context_limits {
    uint32_t nses, nsvcs, bvcs, mobiles, pdps;
    uint32_t extra_flows;   /* of mobiles with several traffic classes or packet flows */
    uint32_t flow_sets;     /* sets of queues by 5-tuple, if policy.sched has these */
    uint32_t npdus;         /* that may ever be queued, of all mobiles; 0: as policy.sched says */
    uint32_t foreign_teids; /* tunnels with a TEID not allocated by gbflow; 0: up to all */
    bool has_elements;      /* mobiles may have optional elements of DL-UNITDATA; allocates their table */
    bool has_volumes;       /* volumes of contexts are counted; allocates their table */
};

/* N-PDUs of a PDP context, and their octets, in one direction. */
struct context_volume {
    uint64_t octets, npdus; /* passed: sent towards the GGSN, or with all segments to the BSS */
    uint64_t dropped_octets, dropped_npdus; /* dropped by this node */
};

/* Volumes of a PDP slot at a worker: they only grow, also from one context of the slot to the next. Others
 * may read them at any time. */
struct context_volumes {
    struct context_volume up, down;
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
    struct sched_params sched; /* max_age_ns, segmenting and acknowledged are set by context_new() */
    struct gb_policy gb;       /* of each cell until context_bvc_policy() */
    int64_t ready_ns;          /* READY timer (TS 24.008, T3314), at most CONTEXT_MAX_READY_NS; 0: off */
    uint64_t flow_salt;        /* of the hash that assigns 5-tuples to flow queues */
};

/* No lifetime, the scheduler's defaults, flow control as announced, TLLI(old) but no alignment octets. */
void context_policy_default(struct context_policy *policy);

#define CONTEXT_LINK_MAX_RATE_BPS UINT64_C(100000000000)

struct context {
    struct context_limits limits;
    struct lifetime lifetime;
    struct gb_policy gb_policy; /* of new cells */
    uint64_t flow_salt;
    uint16_t ready_ticks; /* READY timer, rounded up; 0: off */
    struct context_unitdata unitdata;
    struct sched sched;
    struct gb_nse *nses;
    struct gb_nsvc *nsvcs;
    struct gb_bvc *bvcs;
    struct gb_counts *counts; /* QCLASS_COUNT for each cell */
    struct ms *mobiles;
    struct ths ths;
    int64_t *suspended_ns;           /* by index of a mobile that is suspended: since when */
    struct bssgp_elements *elements; /* by index of the mobile that has any; NULL: elements are off */
    bool are_elements_used;          /* a mobile has, or had, some: their table is prefetched */
    struct pdp *pdps;
    struct context_volumes *volumes; /* by PDP slot; NULL: not counted */
};

/* False: out of memory, nothing is allocated. */
bool context_new(struct context *c, const struct context_limits *limits, const struct context_policy *policy);
void context_free(struct context *c);

/* Sets the lifetime; requires context_ms_limit() for each mobile afterwards. */
void context_lifetime(struct context *c, const struct lifetime *lifetime);
/* Sets the READY timer as in struct context_policy; -1: too long. */
int context_ready(struct context *c, int64_t ready_ns);

/* sched_aqm_exchange(). */
void context_aqm(struct context *c, struct sched_aqm **aqm, int64_t now);

/* Number of queued N-PDUs. */
static inline uint64_t context_queued_pkts(const struct context *c)
{
    return c->sched.pkts;
}

/* Counters of a cell (index) in a class; from 0 on when the cell is added. */
static inline struct gb_counts *context_counts(const struct context *c, uint16_t index, unsigned qclass)
{
    return &c->counts[index * QCLASS_COUNT + qclass];
}
int context_nse_add(struct context *c, uint16_t index, uint16_t nsei, int64_t now);
/* Whether the NSE has cells. */
bool context_nse_has_cells(const struct context *c, uint16_t index);
/* -1 also while it has NS-VCs or cells. */
int context_nse_del(struct context *c, uint16_t index);
/* Sets the rate of its link, in NS-PDU octets; rate_bps 0: no limit. -1 also above CONTEXT_LINK_MAX_RATE_BPS
 * or BUCKET_MAX_OCTETS, or for a share of signalling below 1 bit/s or above 100 percent. */
int context_nse_rate(struct context *c, uint16_t index, const struct sched_link_rate *rate, int64_t now);
/* How frames become longer on its link. -1: there is no such NSE. */
int context_nse_frame(struct context *c, uint16_t index, struct sched_link_frame frame);
/* The caller has filled in the header template (it knows the wire formats). */
int context_nsvc_add(struct context *c, uint16_t index, const struct gb_nsvc *nsvc);
/* Deletes an NS-VC; its share moves to the others of its NSE. */
int context_nsvc_del(struct context *c, uint16_t index);
/* Marks an NS-VC usable or not, or sets its data weight; cells of its NSE may start to send or must stop. */
int context_nsvc_use(struct context *c, uint16_t index, bool usable);
int context_nsvc_weight(struct context *c, uint16_t index, uint8_t data_weight);
/* The NS-VC for a number, by data weights (TS 48.016 clause 4.4); -1: none is usable. */
int context_nsvc_by_share(const struct gb_nse *nse, uint32_t number);
/* The NS-VC for a mobile's frames, the same while no weight changes. Divides only if the NSE has several. */
static inline int context_nsvc_for(const struct context *c, const struct gb_bvc *bvc, uint32_t lsp)
{
    const struct gb_nse *nse = &c->nses[bvc->nse];
    return nse->is_even && nse->weight == 1 ? nse->nsvc[0] : context_nsvc_by_share(nse, bvc->bvci + lsp);
}

/* A mobile's elements; NULL: it has none. */
static inline const struct bssgp_elements *context_elements_of(const struct context *c, const struct ms *ms)
{
    return ms->has_elements ? &c->elements[ms - c->mobiles] : NULL;
}
/* Prefetches the data that an N-PDU of a mobile on a SAPI and its frame need. */
static inline void context_ms_prefetch(const struct context *c, uint32_t index, uint8_t sapi)
{
    ms_prefetch(&c->mobiles[index], sapi);
    if (c->are_elements_used)
        prefetch_line(&c->elements[index]);
}
static inline struct gb_bvc *context_bvc_at(struct context *c, uint16_t index)
{
    return index < c->limits.bvcs && c->bvcs[index].in_use ? &c->bvcs[index] : NULL;
}

static inline struct ms *context_ms_at(struct context *c, uint32_t index)
{
    return index < c->limits.mobiles && c->mobiles[index].in_use ? &c->mobiles[index] : NULL;
}

/* Allows or forbids a cell to send, by its state and its NSE's NS-VCs. */
static inline void context_bvc_refresh(struct context *c, struct gb_bvc *bvc)
{
    sched_bvc_use(&c->sched, &bvc->sched, bvc->unblocked && bvc->flow_known && c->nses[bvc->nse].weight > 0);
}

/* The list of a cell's mobiles. */
void context_list_add(struct context *c, struct ms *ms);
void context_list_remove(struct context *c, struct ms *ms);
/* The list of busy mobiles; adding one that is in it, or removing one that is not, has no effect. */
void context_busy_add(struct context *c, struct ms *ms);
void context_busy_remove(struct context *c, struct ms *ms);

#endif
