/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler's data of flows, mobiles, cells and links (model: sched.h). They are members of their
 * owners' structs; owners access only the buckets and what sched.h allows.
 */
#ifndef DATAPLANE_SCHED_SCHED_TYPES_H
#define DATAPLANE_SCHED_SCHED_TYPES_H

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/queue/flow_tags.h"
#include "dataplane/queue/longest.h"
#include "dataplane/queue/turns.h"
#include "dataplane/queue/wheel.h"
#include "dataplane/sched/sched_room_types.h"

#define SCHED_DUE         32 /* wakes in a burst; from SCHED_BUSY on the next entries are prefetched */
#define SCHED_BUSY        8
#define SCHED_NO_EXTRA    UINT32_MAX
#define SCHED_LARGEST_PDU TURNS_QUANTUM_OCTETS
#define SCHED_DEFAULT_WEIGHTS                                                                                \
    {                                                                                                        \
        1000, 500, 900, 900, 50, 35, 15, 5                                                                   \
    } /* by enum qclass */
#define SCHED_DEFAULT_RESERVE  64
#define SCHED_UNLIMITED_OCTETS UINT64_MAX

enum sched_flow_flags {
    SCHED_FLOW_EXTRA = 1,     /* in a struct sched_extra */
    SCHED_FLOW_PARKED = 2,    /* waits for its packet flow's bucket */
    SCHED_FLOW_UNORDERED = 4, /* an older N-PDU may be queued behind the one in service */
    SCHED_FLOW_MIXED = 8,     /* its single queue has N-PDUs of several queues of a set */
    SCHED_FLOW_AQM_IDLE = 16, /* its AQM state is idle, for R of its mobile if the scheme has a rate */
    SCHED_FLOW_LOAN = 32,     /* goes first in its class (sched_room.h) */
};

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
    SCHED_MS_PARKED = 1,  /* parked for its bucket */
    SCHED_MS_LIMITED = 2, /* its bucket limits it */
    SCHED_MS_SUSPENDED = 4,
    SCHED_MS_LOST = 8, /* RADIO-STATUS: unreachable until the next frame from it */
};

#define SCHED_MS_FROZEN (SCHED_MS_SUSPENDED | SCHED_MS_LOST)

/* A mobile: 128 octets, two adjacent cache lines. */
struct sched_ms {
    struct bucket bucket;
    struct sched_bvc *bvc;
    int64_t wake_ns;   /* armed on the wheel; MOMENT_NEVER: not */
    int64_t expiry_ns; /* the same for the age of its N-PDUs */
    uint32_t limit_octets;
    uint16_t n201_u;
    uint8_t link_octets; /* NS and BSSGP headers of its frames, for the link's bucket */
    uint8_t flags;
    struct sched_flow flow; /* its first flow; flow.more links the others */
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

/* A class of a cell. */
struct sched_class {
    struct turns turns;  /* of flows */
    uint64_t tag;        /* start tag among the classes of the cell */
    struct turn fresh;   /* in the link's class, for flows that are in TURNS_FRESH here */
    struct turn rest;    /* the same for the other flows */
    uint16_t link_round; /* of the link's class when this class ran empty */
    uint8_t qclass;
    bool is_visited;     /* its turn at the link is that of .rest */
    uint32_t vt, octets; /* virtual time of its mobiles, with order sfq; octets of queued N-PDUs */
};

struct sched_bvc {
    struct bucket bucket;
    struct sched_link *link;
    uint64_t now_tag; /* virtual time of its classes */
    int64_t open_ns;  /* instant at which its bucket opened, or will */
    uint8_t mode;     /* enum sched_mode */
    uint8_t active;   /* bit per class with flows in turns */
    uint32_t seen_idle;
    struct sched_bvc *next, *prev; /* in link->ready */
    struct sched_flow *holder;     /* flow for whose LLC-PDU it was parked: it is next; NULL: none */
    int64_t wake_ns;
    uint64_t seen_octets; /* link->shared_octets at the last test of its entitlement */
    int32_t entitled_octets;
    struct sched_class classes[QCLASS_COUNT];
    struct sched_load load;
};

struct sched_link_class {
    struct turns turns; /* of sched_class: FRESH holds .fresh, the rounds hold .rest */
    uint64_t tag;
    uint64_t octets; /* of queued N-PDUs, in all cells: the class buffer */
    uint32_t pkts;
    uint32_t flows; /* in turns, of cells that share the link */
    uint32_t vt;    /* virtual time of its cells, with order sfq */
};

struct sched_link {
    struct bucket bucket;                 /* rate_bps 0: no rate of its own */
    struct sched_bvc *ready, *ready_last; /* cells in SCHED_MODE_LIMITED */
    uint8_t active;                       /* bit per class with cells in turns */
    bool is_ready;                        /* in s->links */
    bool is_parked;
    uint32_t idle;          /* times that it had nothing to send */
    uint64_t shared_octets; /* sent by cells in SCHED_MODE_LINK */
    uint64_t sent_octets;   /* NS-PDU octets of users */
    uint64_t now_tag;
    struct sched_link *next; /* in s->links */
    int64_t wake_ns;
    struct bucket signalling;
    struct sched_link_class classes[QCLASS_COUNT];
};

struct sched_limit {
    uint64_t octets;
    uint32_t pkts;
};
/* Scope of the instances of an AQM scheme (sched_aqm.h). */
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
    bool flow_tags;                                /* these are served by start tags (flow_tags.h) */
    bool drops_duplicates;                         /* of queued TCP segments (tcp_repeat.h) */
    uint8_t flow_queues;                           /* by 5-tuple, per class of a mobile; 0: off */
    uint8_t fifo_classes; /* bit per class served in order of arrival (sched_fifo.h); not with flow queues */
    uint8_t sfq_classes;  /* bit per class whose mobiles are served by start tags (sched_sfq.h) */
    struct sched_room room;
    int64_t max_age_ns; /* older ones do not begin to leave; MOMENT_NEVER: no limit, -1: none may leave */
    struct segmenting segmenting;
    struct sched_aqm_params aqm[QCLASS_COUNT];
};

struct sched {
    struct sched_params params;
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
    uint8_t fifo_classes;                       /* bit per class in order of arrival */
    uint8_t sorted_classes;                     /* bit per class in order of arrival or of start tags */
    struct sched_link *links, *links_last;      /* ready */
    uint32_t longest_octets;                    /* of an N-PDU, with params.room */
    uint32_t pkts, most_pkts;                   /* queued, of all mobiles; and that may ever be */
    struct n_pdu_list dropped;                  /* with drop_reason; the owner of the scheduler empties it */
    uint32_t due_at, due_count; /* due[due_at .. due_count - 1]: taken off the wheel, not woken yet */
    struct wheel_entry due[SCHED_DUE];
};

#endif
