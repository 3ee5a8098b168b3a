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
#include "dataplane/context/ms.h"
#include "dataplane/queue/flow_queue.h"
#include "dataplane/sched/sched.h"
#include "dataplane/wire/flow_hash.h"

/* Parameters of a context: sizes of tables, and treatment of users' packets. */

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
    int64_t *suspended_ns;           /* by index of a mobile that is suspended: since when */
    struct bssgp_elements *elements; /* by index of the mobile that has any; NULL: elements are off */
    struct pdp *pdps;
};

/* False: out of memory, nothing is allocated. */
bool context_new(struct context *c, const struct context_limits *limits, const struct context_policy *policy);
void context_free(struct context *c);

/* Sets the lifetime; requires context_ms_limit() for each mobile afterwards. */
void context_lifetime(struct context *c, const struct lifetime *lifetime);
/* Sets the READY timer as in struct context_policy; -1: too long. */
int context_ready(struct context *c, int64_t ready_ns);

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
/* The caller has filled in the header template (it knows the wire formats). */
int context_nsvc_add(struct context *c, uint16_t index, const struct gb_nsvc *nsvc);
/* Deletes an NS-VC; its share moves to the others of its NSE. */
int context_nsvc_del(struct context *c, uint16_t index);
/* Marks an NS-VC usable or not, or sets its data weight; cells of its NSE may start to send or must stop. */
int context_nsvc_use(struct context *c, uint16_t index, bool usable);
int context_nsvc_weight(struct context *c, uint16_t index, uint8_t data_weight);
int context_bvc_add(struct context *c, uint16_t index, uint16_t bvci, uint16_t nse, int64_t now);
/* -1 also while it has mobiles. */
int context_bvc_del(struct context *c, uint16_t index);
/* The NS-VC for a number, by data weights (TS 48.016 clause 4.4); -1: none is usable. */
int context_nsvc_by_share(const struct gb_nse *nse, uint32_t number);
/* The NS-VC for a mobile's frames, the same while no weight changes. Divides only if the NSE has several. */
static inline int context_nsvc_for(const struct context *c, const struct gb_bvc *bvc, uint32_t lsp)
{
    const struct gb_nse *nse = &c->nses[bvc->nse];
    return nse->is_even && nse->weight == 1 ? nse->nsvc[0] : context_nsvc_by_share(nse, bvc->bvci + lsp);
}

/* BVC-RESET: empties the bucket, resets its parameters, deletes packet flows, drops queued N-PDUs of its
 * mobiles; the cell stays blocked until context_bvc_unblock(). */
int context_bvc_reset(struct context *c, uint16_t index, int64_t now);
int context_bvc_unblock(struct context *c, uint16_t index, bool unblocked);
/* Applies at once to the cell and to mobiles that follow its defaults; to others with their next
 * announcement. */
int context_bvc_policy(struct context *c, uint16_t index, const struct gb_policy *policy, int64_t now);
int context_bvc_flow(struct context *c, uint16_t index, const struct gb_flow *flow, int64_t now);
int context_ms_flow(struct context *c, uint32_t index, const struct gb_flow *flow, int64_t now);
/* Th expired: the mobile follows the cell's defaults again, its level stays. */
int context_ms_defaults(struct context *c, uint32_t index, int64_t now);
/* N201-U of a mobile; an N-PDU in service continues in segments of the new length. */
int context_ms_n201_u(struct context *c, uint32_t index, uint32_t octets, int64_t now);
/* LLC-DISCARDED: removes the octets from the buckets of the cell and, if it is still in that cell, of the
 * mobile and of its packet flow. */
int context_discarded(struct context *c, const struct gb_discard *discard, int64_t now);
/* FLUSH-LL-ACK: removes the octets from the bucket of one cell, and adds them to that of another and of the
 * mobile, if it is there. */
int context_flushed(struct context *c, const struct gb_flush *flush, int64_t now);
/* sched_ms_can_signal() and sched_ms_signal() of an LLC-PDU. */
bool context_ms_can_signal(struct context *c, struct ms *ms, uint32_t octets, int64_t now);
void context_ms_signal(struct ms *ms, uint32_t octets, int64_t now);
/* A mobile's bucket, after catching up with changes of the defaults that it follows. */
const struct bucket *context_ms_bucket(struct context *c, struct ms *ms);
/* Allows or forbids a cell to send, by its state and its NSE's NS-VCs. */
void context_bvc_refresh(struct context *c, struct gb_bvc *bvc);

/* -1: reserved (4 to 7, above 127), added before, or no room. */
int context_pfc_add(struct context *c, uint32_t index, uint8_t pfi, int64_t now);
/* An entry of FLOW-CONTROL-PFC; adds the predefined packet flows (0 to 3). */
int context_pfc_flow(struct context *c, uint32_t index, uint8_t pfi, const struct gb_flow *flow, int64_t now);
/* Its queued N-PDUs continue as the mobile's other packets. */
int context_pfc_del(struct context *c, uint32_t index, uint8_t pfi, int64_t now);

/* -1 also for values that no frame can carry: N201-U outside 140..1520, an IMSI that is too long. */
int context_ms_add(struct context *c, uint32_t index, const struct ms_params *params, int64_t now);
/* Sets the limit of its queue, and tests the age of its queued N-PDUs by the present lifetime. */
int context_ms_limit(struct context *c, uint32_t index, uint32_t octets, int64_t now);
/* Deletes a mobile with its PDP contexts; its queued N-PDUs are dropped as context_deleted. */
int context_ms_del(struct context *c, uint32_t index);
/* Another TLLI from the next frame on. keep_old: the mobile is also known by the former one until the next
 * change, and frames carry that as TLLI(old) (TS 48.018 clause 10.2.1) until context_ms_tlli_heard(). */
int context_ms_tlli(struct context *c, uint32_t index, uint32_t tlli, bool keep_old);
/* A frame arrived with its present TLLI. */
void context_ms_tlli_heard(struct ms *ms);
/* Its IMSI, which its frames carry from the next one on. */
int context_ms_imsi(struct context *c, uint32_t index, const struct ms_imsi *imsi);
/* Sets the optional elements of its frames from the next one on; empty: none. -1 also where elements are
 * off. */
int context_ms_elements(struct context *c, uint32_t index, const struct bssgp_elements *elements);
/* A mobile's elements; NULL: it has none. */
static inline const struct bssgp_elements *context_elements_of(const struct context *c, const struct ms *ms)
{
    return ms->has_elements ? &c->elements[ms - c->mobiles] : NULL;
}
/* Prefetches the data that an N-PDU of a mobile on a SAPI and its frame need. */
static inline void context_ms_prefetch(const struct context *c, uint32_t index, uint8_t sapi)
{
    ms_prefetch(&c->mobiles[index], sapi);
    if (c->elements)
        prefetch_line(&c->elements[index]);
}
/* Moves a mobile to another cell, of this NSE or not, with its queued N-PDUs. Its bucket is new, with that
 * cell's defaults; own announcements and packet flows end. The caller has heard the mobile there. */
int context_ms_move(struct context *c, uint32_t index, uint16_t bvc, int64_t now);
/* Re-homes a mobile of a deleted cell: as context_ms_move(), but nothing is sent to it until it is heard. */
int context_ms_park(struct context *c, uint32_t index, uint16_t bvc, int64_t now);
/* SUSPEND and RESUME; RADIO-STATUS, which ends when the mobile is heard. */
int context_ms_suspend(struct context *c, uint32_t index, bool is_suspended, int64_t now);
int context_ms_lost(struct context *c, uint32_t index, bool is_lost, int64_t now);

/* The NSE of a mobile's cell, and whether a cell is the mobile's. */
static inline uint16_t context_ms_nse(const struct context *c, uint32_t index)
{
    return c->bvcs[c->mobiles[index].bvc].nse;
}

static inline bool context_ms_is_in(const struct context *c, uint32_t index, uint16_t nse, uint16_t bvci)
{
    const struct gb_bvc *bvc = &c->bvcs[c->mobiles[index].bvc];
    return bvci == bvc->bvci && nse == bvc->nse;
}

static inline void context_ms_heard(struct context *c, struct ms *ms, int64_t now)
{
    ms->heard_ticks = ms_ticks(now);
    if (ms->sched.flags & SCHED_MS_LOST)
        sched_ms_thaw(&c->sched, &ms->sched, SCHED_MS_LOST, now);
}

/* Whether its READY timer has expired, up to 1.07 s late; it runs from when the cell came up at the
 * earliest. */
static inline bool context_ms_is_silent(const struct context *c, const struct ms *ms, int64_t now)
{
    uint16_t ticks = ms_ticks(now), ready = c->ready_ticks;
    return ready > 0 && (uint16_t)(ticks - ms->heard_ticks) > ready &&
           (uint16_t)(ticks - c->bvcs[ms->bvc].up_ticks) > ready;
}

/* -1 also for an NSAPI outside 5..15, a SAPI other than 3, 5, 9, 11, a reserved PFI. */
int context_pdp_add(struct context *c, uint32_t index, const struct pdp_params *params);
int context_pdp_del(struct context *c, uint32_t index, int64_t now);
/* Another packet flow, or none, and another traffic class, for later N-PDUs. */
int context_pdp_pfi(struct context *c, uint32_t index, uint8_t pfi);
int context_pdp_qclass(struct context *c, uint32_t index, uint8_t qclass);

/* --- N-PDUs --- */
/* Applies past changes of the defaults to a mobile that follows them, and future ones at once. */
void context_ms_attend(struct context *c, struct ms *ms);

/* sched_enqueue() of a mobile's N-PDU, and its bypass, sched_bypass(). To be called instead of these. */
static inline int context_enqueue(struct context *c, struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    if (ms->sched.flags & SCHED_MS_SUSPENDED && ms->drops_suspended)
        return DROP_SUSPENDED;
    if (!ms->is_busy)
        context_ms_attend(c, ms);
    if (c->sched.flow_sets.queues > 0)
        n_pdu->flow_hash = flow_hash_of(c->flow_salt, n_pdu->data, n_pdu->octets);
    return sched_enqueue(&c->sched, &ms->sched, n_pdu, now);
}
static inline int context_pass(struct context *c, struct ms *ms, struct n_pdu *n_pdu,
                               struct sched_grant *grants, int64_t now)
{
    if (!ms->is_busy)
        context_ms_attend(c, ms);
    return sched_bypass(&c->sched, &ms->sched, n_pdu, grants, now);
}

/* Number of queued N-PDUs. */
uint64_t context_queued_pkts(const struct context *c);

/*
 * The state of mobiles, cells and links as another thread reads it while the worker changes it. Each number
 * is one that the worker has written; two numbers may be of different instants. Nothing is changed, and no
 * lock is taken.
 */

struct context_look {
    uint64_t level_octets;         /* in the bucket now */
    uint64_t max_octets, rate_bps; /* Bmax and R in force */
    uint64_t queued_octets, queued_pkts;
};

/* A mobile by its index; false: it is not in use at this worker. */
bool context_look_ms(const struct context *c, uint32_t index, int64_t now, struct context_look *out);

/* A cell; queued[] by class has queued_octets and queued_pkts only. */
bool context_look_bvc(const struct context *c, uint16_t index, int64_t now, struct context_look *out,
                      struct context_look queued[QCLASS_COUNT]);

/* The Gb link of an NSE; rate_bps 0: no limit. */
bool context_look_link(const struct context *c, uint16_t index, int64_t now, struct context_look *out);

static inline struct gb_bvc *context_bvc_at(struct context *c, uint16_t index)
{
    return index < c->limits.bvcs && c->bvcs[index].in_use ? &c->bvcs[index] : NULL;
}

static inline struct ms *context_ms_at(struct context *c, uint32_t index)
{
    return index < c->limits.mobiles && c->mobiles[index].in_use ? &c->mobiles[index] : NULL;
}

void context_list_add(struct context *c, struct ms *ms);
void context_list_remove(struct context *c, struct ms *ms);
/* The list of busy mobiles; adding one that is in it, or removing one that is not, has no effect. */
void context_busy_add(struct context *c, struct ms *ms);
void context_busy_remove(struct context *c, struct ms *ms);

#endif
