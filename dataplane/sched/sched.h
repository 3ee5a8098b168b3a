/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler: the choice of the next LLC-PDU: flow control first, then fairness.
 *
 * Hierarchy: link (NSE) > cell (BVC) > mobile > flow (traffic class, and packet flow if it has one). An
 * LLC-PDU leaves when it conforms at the buckets of its packet flow, mobile, cell and link (TS 48.018 clause
 * 8.2.3.2): all are tested, then all are charged, at one instant.
 *
 * Shares hold at the first level that limits:
 *   - a cell that its own bucket limits shares its rate by weight among its classes,
 *   - the rest of the link's rate is shared by weight among the classes of all other cells,
 *   - a class is shared equally among its mobiles (turns.h), so is a class of the link,
 *   - a mobile that its own bucket limits shares its rate by weight among its flows,
 *   - with flow queues, a mobile's part of a class is shared among its 5-tuples (flow_sets.h).
 * Weights are those of start-time fair queueing (Goyal, Vin and Cheng 1996). Signalling and short messages
 * go before all other classes, up to the share of their weights.
 *
 * A flow is in the turns of its cell's class while it may send. Otherwise its mobile (or, for its packet
 * flow's bucket, the flow) is parked on a timing wheel until the exact instant at which it may, and costs
 * nothing. Cells and links with a closed bucket are parked, too.
 *
 * Its files: order (of the flows in a class), flow, ms, bvc, link, aqm call each other along that tree,
 * upwards when a level fills or empties, and are one circle; arm, queue, pfc, bypass, pick and this one are
 * not.
 *
 * Not here: source and destination of N-PDUs, the announced parameters (context), AQM.
 */
#ifndef DATAPLANE_SCHED_SCHED_H
#define DATAPLANE_SCHED_SCHED_H

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/queue/flow_tags.h"
#include "dataplane/queue/longest.h"
#include "dataplane/queue/turns.h"
#include "dataplane/queue/wheel.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The scheduler's data of flows, mobiles, cells and links (model: sched.h). They are members of their
 * owners' structs; owners access only the buckets and what sched.h allows.
 */

#define SCHED_DUE_PART 16
#define SCHED_DUE                                                                                            \
    64 /* wakes taken ahead, at least three parts; from SCHED_BUSY on later ones are prefetched */
#define SCHED_BUSY        8
#define SCHED_NO_EXTRA    UINT32_MAX
#define SCHED_LARGEST_PDU TURNS_QUANTUM_OCTETS
#define SCHED_LATE_OCTETS                                                                                    \
    (2 * SCHED_LARGEST_PDU) /* at the rate of a bucket: as long it may wait after it opened */
#define SCHED_DEFAULT_WEIGHTS                                                                                \
    {                                                                                                        \
        1000, 500, 900, 900, 50, 35, 15, 5                                                                   \
    } /* by enum qclass */
#define SCHED_DEFAULT_RESERVE 64

enum sched_flow_flags {
    SCHED_FLOW_EXTRA = 1,     /* in a struct sched_extra */
    SCHED_FLOW_PARKED = 2,    /* waits for its packet flow's bucket */
    SCHED_FLOW_UNORDERED = 4, /* an older N-PDU may be queued behind the one in service */
    SCHED_FLOW_MIXED = 8,     /* its single queue has N-PDUs of several queues of a set */
};

/* Bits 4 to 7 of a flow's flags: s->aqm_epoch while its AQM state is idle, for R of its mobile if the scheme
 * has a rate; else 0, or an earlier epoch. */
#define SCHED_FLOW_AQM_IDLE       0xf0
#define SCHED_FLOW_AQM_IDLE_SHIFT 4

/* The N-PDUs of one mobile in one class or packet flow: 64 octets. */
struct sched_flow {
    struct flow_queue queue;
    struct turn turn;
    uint32_t more;      /* index of the mobile's next extra flow, SCHED_NO_EXTRA */
    uint32_t tag;       /* start tag among the flows of its mobile */
    uint32_t long_node; /* in s->longest */
    uint32_t set;       /* in s->flow_sets: queues by 5-tuple, FLOW_SETS_NONE: one for all */
};

enum sched_ms_flags {
    SCHED_MS_PARKED = 1,    /* parked for its bucket */
    SCHED_MS_LIMITED = 2,   /* its bucket limits it */
    SCHED_MS_SUSPENDED = 4, /* by its BSS, or by control: held, or its cell is not decided */
    SCHED_MS_LOST = 8,      /* RADIO-STATUS: unreachable until the next frame from it */
    SCHED_MS_CLOSED = 16,   /* LLC takes no N-PDU of it in acknowledged mode: sched_ms_close() */
};

#define SCHED_MS_FROZEN (SCHED_MS_SUSPENDED | SCHED_MS_LOST)

/* The cause of a mobile's wait (wait.h). Those up to TURN are stored in its flags. */
enum sched_wait_cause {
    SCHED_WAIT_NONE, /* nothing is queued */
    SCHED_WAIT_MS,
    SCHED_WAIT_PFC,
    SCHED_WAIT_WINDOW,
    SCHED_WAIT_SUSPENDED,
    SCHED_WAIT_PAGE,
    SCHED_WAIT_TURN,
    SCHED_WAIT_BVC,
    SCHED_WAIT_LINK,
    SCHED_WAIT_DOWN,
    SCHED_WAIT_MOVING, /* between workers (worker/moves.h) */
    SCHED_WAIT_CAUSES,
};

#define SCHED_MS_WAIT_SHIFT  5
#define SCHED_WAIT_TICK_BITS 14
#define SCHED_WAIT_PLACES    16

/* How long a mobile has waited for each cause: a cache line. */
struct sched_wait {
    uint32_t ticks[SCHED_WAIT_PLACES];
};

/* The mobile for whose LLC-PDU a cell or link is parked; NULL: it is not parked. */
struct sched_parked_for {
    struct sched_ms *ms;
    uint32_t since_ticks;
};

/* A mobile: 192 octets, two adjacent cache lines, and one for changes of its wait. */
struct sched_ms {
    struct bucket bucket;
    struct sched_bvc *bvc;
    int64_t wake_ns;   /* armed on the wheel; MOMENT_NEVER: not */
    int64_t expiry_ns; /* the same for the age of its N-PDUs */
    uint32_t limit_octets;
    uint16_t n201_u;
    uint8_t link_octets;    /* NS and BSSGP headers of its frames, for the link's bucket */
    uint8_t flags;          /* enum sched_ms_flags; the upper three bits: enum sched_wait_cause */
    struct sched_flow flow; /* its first flow; flow.more links the others */
    struct sched_wait wait;
};

/* A further flow of a mobile: another class, or a packet flow (PFC). From a pool. */
struct sched_extra {
    struct sched_flow flow;
    struct sched_ms *ms;
    int64_t wake_ns;
    struct bucket bucket;
    bool has_bucket; /* FLOW-CONTROL-PFC has set its parameters */
    bool in_use;
    bool is_pfc; /* of a packet flow: kept until that is deleted */
};

enum sched_mode {
    SCHED_MODE_STOPPED, /* must not send */
    SCHED_MODE_LINK,    /* takes its share of the link */
    SCHED_MODE_LIMITED, /* its own bucket limits it and is open */
    SCHED_MODE_PARKED,  /* its own bucket limits it; parked for it */
};

struct sched_limit {
    uint64_t octets;
    uint32_t pkts;
};

/* A class of a cell. */
struct sched_class {
    struct turns turns;  /* of flows */
    uint64_t tag;        /* start tag among the classes of the cell */
    struct turn fresh;   /* in the link's class, for flows that are in TURNS_FRESH here */
    struct turn rest;    /* the same for the other flows */
    uint16_t link_round; /* of the link's class when this class ran empty */
    uint8_t qclass;
    bool is_visited; /* its turn at the link is that of .rest */
    uint32_t vt;     /* virtual time of its mobiles, with order sfq */
    struct sched_limit queued;
    struct sched_flow *run; /* with order sfq: the flow that sent last; NULL: it waits for no turn */
    uint32_t run_octets;    /* that it sent in a row */
};

struct sched_bvc {
    struct bucket bucket;
    struct sched_link *link;
    uint64_t now_tag; /* virtual time of its classes */
    int64_t open_ns;  /* instant at which its bucket opened, or will */
    uint8_t mode;     /* enum sched_mode */
    uint8_t active;   /* bit per class with flows that wait for their turn */
    uint32_t seen_idle;
    struct sched_bvc *next, *prev; /* in link->ready */
    struct sched_flow *holder;     /* flow for whose LLC-PDU it was parked: it is next; NULL: none */
    int64_t wake_ns;
    uint64_t seen_octets; /* link->shared_octets at the last test of its entitlement */
    int32_t entitled_octets;
    uint64_t ms_rate_bps; /* default R of its mobiles; 0: not known */
    uint64_t sent_octets; /* of LLC-PDUs, without those that the BSS discarded */
    struct sched_parked_for parked_for;
    uint32_t down_ticks; /* a clock that runs while it may not send (wait.c) */
    struct sched_class classes[QCLASS_COUNT];
};

struct sched_link_class {
    struct turns turns; /* of sched_class: FRESH holds .fresh, the rounds hold .rest */
    uint64_t tag;
    uint64_t octets; /* of queued N-PDUs, in all cells: the class buffer */
    uint32_t pkts;
    uint32_t flows; /* that wait for their turn, of cells that share the link */
    uint32_t vt;    /* virtual time of its cells, with order sfq */
};

/*
 * How NS-PDUs become longer on a link by a guard, with padding to blocks. Of `octets`, an NS-PDU and what the
 * operator adds to it, the bucket counts
 *
 *     ceil((octets + before_octets) / block) block + behind_octets,    block = pad_octets + 1, a power of 2
 */
struct sched_link_frame {
    uint8_t pad_octets;
    int16_t before_octets, behind_octets;
};

struct sched_link {
    struct bucket bucket;                 /* rate_bps 0: no rate of its own */
    struct sched_bvc *ready, *ready_last; /* cells in SCHED_MODE_LIMITED */
    uint8_t active;                       /* bit per class with cells that wait for their turn */
    bool is_ready;                        /* in s->links */
    bool is_parked;
    bool is_framed; /* frame is not zero */
    struct sched_link_frame frame;
    uint32_t idle;          /* times that it had nothing to send */
    uint64_t shared_octets; /* sent by cells in SCHED_MODE_LINK */
    uint64_t sent_octets;   /* NS-PDU octets of users */
    uint64_t now_tag;
    struct sched_link *next; /* in s->links */
    int64_t wake_ns;
    struct bucket signalling;
    struct sched_parked_for parked_for;
    struct sched_link_class classes[QCLASS_COUNT];
};

/* Scope of the instances of an AQM scheme (aqm.h). */
enum sched_aqm_scope {
    SCHED_AQM_CLASS_OF_NSE,
    SCHED_AQM_CLASS_OF_BVC,
    SCHED_AQM_MS,
    SCHED_AQM_FLOW,
    SCHED_AQM_SCOPES,
};

/* sched_new() copies choice.values, which the caller keeps until then. */
struct sched_aqm_params {
    struct aqm_choice choice; /* ops NULL: no scheme, limits only */
    uint8_t scope;            /* enum sched_aqm_scope */
};

struct sched_params {
    uint16_t weights[QCLASS_COUNT];                /* 1 to 65535 */
    struct sched_limit class_limits[QCLASS_COUNT]; /* of a class of a link */
    uint32_t ms_limit_pkts;                        /* of a mobile, at most FLOW_QUEUE_MAX_PKTS */
    uint32_t budget_pkts;                          /* of all mobiles */
    uint32_t reserve_pkts;                         /* in addition, for signalling only */
    uint16_t flow_quantum_octets;                  /* of queues by 5-tuple */
    uint16_t ms_quantum_octets;                    /* in a row, with order sfq (order.h); 0: one LLC-PDU */
    bool flow_tags;                                /* these are served by start tags (flow_tags.h) */
    bool drops_duplicates;                         /* of queued TCP segments (tcp_repeat.h) */
    uint8_t flow_queues;                           /* by 5-tuple, per class of a mobile; 0: off */
    uint8_t fifo_classes;   /* bit per class served in order of arrival (order.h); not with flow queues */
    uint8_t sfq_classes;    /* bit per class whose mobiles are served by start tags (order.h) */
    bool airtime;           /* a mobile's octets count by its R, with order sfq (order.h) */
    uint32_t credit_octets; /* that a mobile may lag behind its class, with order sfq (order.h) */
    int64_t max_age_ns;     /* older ones do not begin to leave; MOMENT_NEVER: no limit, -1: none may leave */
    struct segmenting segmenting;
    struct segmenting acknowledged; /* of N-PDUs with is_acknowledged */
    struct sched_aqm_params aqm[QCLASS_COUNT];
};

/* Room for this many mobiles, extra flows, cells, links and sets of flow queues (if params use them). */
struct sched_counts {
    uint32_t mobiles, extras, bvcs, links;
    uint32_t flow_sets; /* of queues by 5-tuple */
    uint32_t pkts;      /* that may ever be queued, whatever params are set later; 0: as params are now */
};

struct sched {
    struct sched_params params;
    struct sched_counts counts;
    uint32_t inverse_weights[QCLASS_COUNT];
    struct wheel wheel;
    struct longest longest;
    struct sched_extra *extras;
    uint32_t extras_count, extras_free;
    uint32_t extras_missing; /* times that the pool was empty: the N-PDU joined the mobile's first flow */
    struct flow_sets flow_sets;
    struct sched_aqm *aqm;                      /* NULL: no class has a scheme */
    struct aqm_setup *aqm_setups[QCLASS_COUNT]; /* schemes of classes, as in aqm; NULL: none */
    uint8_t aqm_classes;                        /* bit per class with a scheme */
    uint8_t aqm_epoch;                          /* 1 to 15: another one after each change of schemes */
    uint32_t aqm_ids;                           /* schemes that classes have had */
    uint8_t fifo_classes;                       /* bit per class in order of arrival */
    uint8_t sorted_classes;                     /* bit per class in order of arrival or of start tags */
    struct sched_link *links, *links_last;      /* ready */
    uint32_t now_ticks;                         /* sched_wait_at() */
    uint32_t pkts, most_pkts;                   /* queued, of all mobiles, with those that wait beside their
                                                   queues (worker/forward.h); and that may ever be */
    struct n_pdu_list dropped;                  /* with drop_reason; the owner of the scheduler empties it */
    /* Shortens an N-PDU that is about to leave, before its first segment, if it can (SNDCP). It passed
     * all tests of buckets with its former length; what leaves is charged. NULL: none is shortened. */
    void (*shorten)(void *arg, struct sched_ms *ms, struct n_pdu *n_pdu);
    void *shorten_arg;
    /* Ring, its counts without end: due_at .. due_count - 1 are taken off the wheel and not woken yet, those
     * before due_near prefetched. */
    uint32_t due_at, due_near, due_count;
    struct wheel_entry due[SCHED_DUE];
};

/* Weights as above, no limit but FLOW_QUEUE_MAX_PKTS, no lifetime; the caller sets the SNDCP and LLC
 * headers. */
void sched_params_default(struct sched_params *params);

/* One LLC-PDU that leaves now. */
struct sched_grant {
    struct sched_ms *ms;
    struct n_pdu *n_pdu;  /* the caller's after the last segment, else the queue's */
    uint16_t offset;      /* of the payload in the N-PDU */
    uint8_t segment;      /* SNDCP segment number */
    struct llc_next next; /* payload_octets, llc_octets, last */
};

#define SCHED_PASS_MAX 4 /* LLC-PDUs that may bypass the queue together */

/* sched_new() returns false when out of memory. */
bool sched_new(struct sched *s, const struct sched_counts *counts, const struct sched_params *params);
void sched_free(struct sched *s);

/*
 * Queues an N-PDU. Set are qclass, pfi (only of a packet flow that has been added), sapi, and with flow
 * queues flow_hash. DROP_NONE, or the reason, and the caller keeps it. Other N-PDUs may be put on
 * s->dropped, when the budget is used up, or at a mobile's limit when another of its flow queues is longer.
 */
int sched_enqueue(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now);
/* The same, but no AQM scheme is asked and no duplicate is looked for: of a mobile whose N-PDUs may leave by
 * another way. */
int sched_enqueue_held(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now);

/* The headers of an N-PDU's segments. */
static inline const struct segmenting *sched_segmenting(const struct sched *s, bool is_acknowledged)
{
    return __builtin_expect(is_acknowledged, false) ? &s->params.acknowledged : &s->params.segmenting;
}

/* The number of LLC-PDUs of a whole N-PDU. */
static inline unsigned sched_segments(const struct sched *s, const struct sched_ms *ms,
                                      const struct n_pdu *n_pdu)
{
    const struct segmenting *how = sched_segmenting(s, n_pdu->is_acknowledged);
    uint32_t first_room = (uint32_t)ms->n201_u - how->first_octets;
    uint32_t room = (uint32_t)ms->n201_u - how->later_octets, octets = n_pdu->octets;
    return octets <= first_room ? 1 : 1 + (octets - first_room + room - 1) / room;
}

/*
 * Bypass for an N-PDU of at most SCHED_PASS_MAX LLC-PDUs while its mobile, cell and link have nothing to
 * send and all its LLC-PDUs conform. Returns how many leave now, in grants (with room for them), charged and
 * never queued. 0: AQM dropped it; it is on s->dropped. -1: nothing was done; queue it. Same result as
 * sched_enqueue() and sched_pick(), at less cost.
 */
int sched_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, struct sched_grant *grants,
                 int64_t now);

/* The next LLC-PDU that conforms at now at every level, charged. False: none does. First wakes due entries
 * and drops N-PDUs that are too old. */
bool sched_pick(struct sched *s, struct sched_grant *grant, int64_t now);

/* As sched_pick() without sending: for a caller that cannot send all LLC-PDUs that conform, so that due
 * mobiles then compete by their shares. */
void sched_advance(struct sched *s, int64_t now);

/* When to call again: INT64_MIN: now, as there may be an LLC-PDU; MOMENT_NEVER: only events can help. */
int64_t sched_next_ns(const struct sched *s);

/* --- settings while packets are queued: sched.c. They apply to later N-PDUs; queued N-PDUs beyond a
 * limit leave or grow too old --- */
struct sched_bounds {
    uint32_t ms_limit_pkts, budget_pkts, reserve_pkts;
    uint16_t flow_quantum_octets;
};
/* -1, and nothing is set: no such class, weight 0, more packets than there is room for, or too small a
 * quantum. */
int sched_set_class(struct sched *s, unsigned qclass, uint32_t weight, const struct sched_limit *limit);
int sched_set_bounds(struct sched *s, const struct sched_bounds *bounds);
/* Requires sched_ms_look_again() for each mobile afterwards. */
void sched_set_age(struct sched *s, int64_t max_age_ns);
/* Tests the age of a mobile's queued N-PDUs again: drops those too old, and arms for the others. */
void sched_ms_look_again(struct sched *s, struct sched_ms *ms, int64_t now);

#endif
