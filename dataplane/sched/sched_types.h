/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the scheduler keeps of flows, mobiles, cells and links (sched.h says how it works). Their owners lay
 * them where they like and keep their hands off, but for the buckets and what sched.h says.
 */
#ifndef DATAPLANE_SCHED_SCHED_TYPES_H
#define DATAPLANE_SCHED_SCHED_TYPES_H

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/qclass.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/queue/flow_queue.h"
#include "dataplane/queue/flow_sets.h"
#include "dataplane/queue/longest.h"
#include "dataplane/queue/turns.h"
#include "dataplane/queue/wheel.h"

#define SCHED_DUE         32 /* wakes in a burst; from SCHED_BUSY on the next are fetched ahead */
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
    SCHED_FLOW_EXTRA = 1,     /* lies in a struct sched_extra */
    SCHED_FLOW_PARKED = 2,    /* waits for its packet flow's bucket */
    SCHED_FLOW_UNORDERED = 4, /* older ones may wait behind the N-PDU in service */
    SCHED_FLOW_MIXED = 8,     /* in its one queue are N-PDUs of several of a set */
};

/* The N-PDUs of one mobile in one class: 64 octets. */
struct sched_flow {
    struct flow_queue queue;
    struct turn turn;
    uint32_t more;      /* index of the mobile's next extra flow, SCHED_NO_EXTRA */
    uint32_t tag;       /* start tag among the flows of its mobile */
    uint32_t long_node; /* in s->longest */
    uint32_t set;       /* in s->flow_sets: queues by 5-tuple, FLOW_SETS_NONE: one for all */
};

enum sched_ms_flags {
    SCHED_MS_PARKED = 1,  /* waits for its bucket */
    SCHED_MS_LIMITED = 2, /* its bucket limits it */
    SCHED_MS_SUSPENDED = 4,
    SCHED_MS_LOST = 8, /* RADIO-STATUS: not reachable until it is heard again */
};

#define SCHED_MS_FROZEN (SCHED_MS_SUSPENDED | SCHED_MS_LOST)

/* A mobile: 128 octets, two lines that lie side by side. */
struct sched_ms {
    struct bucket bucket;
    struct sched_bvc *bvc;
    int64_t wake_ns;   /* the wheel will speak of it then; MOMENT_NEVER: not */
    int64_t expiry_ns; /* the same for the age of what waits */
    uint32_t limit_octets;
    uint16_t n201_u;
    uint8_t link_octets; /* NS and BSSGP headers of its frames, for the link's bucket */
    uint8_t flags;
    struct sched_flow flow; /* its first flow; the others hang on flow.more */
};

/* A further flow of a mobile: another class, or a packet flow (PFC). From a pool. */
struct sched_extra {
    struct sched_flow flow;
    struct sched_ms *ms;
    int64_t wake_ns;
    struct bucket bucket;
    bool has_bucket; /* FLOW-CONTROL-PFC told its parameters */
    bool in_use;
    bool is_pfc; /* made for a packet flow: stays until that is deleted */
};

enum sched_mode {
    SCHED_MODE_STOPPED, /* may not send */
    SCHED_MODE_LINK,    /* takes its share of the link */
    SCHED_MODE_LIMITED, /* its own bucket limits it; has its turn now */
    SCHED_MODE_PARKED,  /* its own bucket limits it; waits for that */
};

/* A class of a cell. */
struct sched_class {
    struct turns turns;  /* of flows */
    uint64_t tag;        /* start tag among the classes of the cell */
    struct turn fresh;   /* in the link's class, for the flows that are fresh here */
    struct turn rest;    /* the same for the others */
    uint16_t link_round; /* of the link's class when this one had nothing left */
    uint8_t qclass;
    bool is_visited; /* its turn at the link is that of .rest */
};

struct sched_bvc {
    struct bucket bucket;
    struct sched_link *link;
    uint64_t now_tag; /* virtual time of its classes */
    int64_t open_ns;  /* since when its bucket has been open, or when it will be */
    uint8_t mode;     /* enum sched_mode */
    uint8_t active;   /* bit per class with flows in turns */
    uint32_t seen_idle;
    struct sched_bvc *next, *prev; /* in link->ready */
    struct sched_flow *holder;     /* whose LLC-PDU it was parked for: next, NULL: nobody's */
    int64_t wake_ns;
    uint64_t seen_octets; /* link->shared_octets when its entitlement was last reckoned */
    int32_t entitled_octets;
    struct sched_class classes[QCLASS_COUNT];
};

struct sched_link_class {
    struct turns turns; /* of sched_class: FRESH holds .fresh, the rounds hold .rest */
    uint64_t tag;
    uint64_t octets; /* of N-PDUs that wait, in all cells: the class buffer */
    uint32_t pkts;
    uint32_t flows; /* in turns, of cells that take part in sharing the link */
};

struct sched_link {
    struct bucket bucket;                 /* rate_bps 0: without a rate of its own */
    struct sched_bvc *ready, *ready_last; /* cells in SCHED_MODE_LIMITED */
    uint8_t active;                       /* bit per class with something in turns */
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

/* What an instance of an AQM scheme is of (sched_aqm.h). */
enum sched_aqm_scope {
    SCHED_AQM_CLASS_OF_NSE,
    SCHED_AQM_CLASS_OF_BVC,
    SCHED_AQM_MS,
    SCHED_AQM_FLOW,
    SCHED_AQM_SCOPES,
};

/* choice.values, if any, live as long as the scheduler's owner needs them: they are copied by sched_new(). */
struct sched_aqm_params {
    struct aqm_choice choice; /* ops NULL: none, limits only */
    uint8_t scope;            /* enum sched_aqm_scope */
};

struct sched_params {
    uint16_t weights[QCLASS_COUNT];                /* 1 to 65535 */
    struct sched_limit class_limits[QCLASS_COUNT]; /* of a class of a link */
    uint32_t ms_limit_pkts;                        /* of a mobile, at most FLOW_QUEUE_MAX_PKTS */
    uint32_t budget_pkts;                          /* of all */
    uint32_t reserve_pkts;                         /* more, for signalling only */
    uint16_t flow_quantum_octets;                  /* of the queues by 5-tuple */
    uint8_t flow_queues;                           /* by 5-tuple, of a mobile in a class; 0: none */
    int64_t max_age_ns; /* an older N-PDU does not begin to leave; MOMENT_NEVER: any may, -1: none */
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
    uint32_t extras_missing; /* times that none was left: the N-PDU joined the mobile's first flow */
    struct flow_sets flow_sets;
    struct sched_aqm *aqm;                 /* NULL: no class has any */
    struct sched_link *links, *links_last; /* ready */
    uint32_t pkts;                         /* that wait, of all */
    uint32_t most_pkts;                    /* that may ever */
    struct n_pdu_list dropped;             /* with drop_reason; the owner takes them */
    uint32_t due_at, due_count; /* due[due_at .. due_count - 1] was taken off the wheel and is to be woken */
    struct wheel_entry due[SCHED_DUE];
};

#endif
