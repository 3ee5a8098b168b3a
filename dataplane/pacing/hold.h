/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of pacing, and the hold of ACKs: their order, and when they pass. For the files of this folder
 * alone.
 */
#ifndef DATAPLANE_PACING_HOLD_H
#define DATAPLANE_PACING_HOLD_H

#include "dataplane/pacing/pacing.h"
#include "dataplane/wire/tcp.h"

#include <assert.h>
#include <stdint.h>

#define MS_NS INT64_C(1000000)

static inline uint32_t pacing_ms_of(int64_t ns)
{
    return (uint32_t)(ns / MS_NS);
}

static inline bool pacing_is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

#define PACING_LOADS (QCLASS_COUNT + 1) /* of a cell: its classes, and all of them */

/* Octets that arrived for a cell; of these, TCP for a class, and its mobiles; flows of a mobile.
 * In windows of 2^32 ns, each mobile and flow once in a window. */
struct pacing_window {
    uint32_t number;
    uint32_t octets, last_octets;
    uint32_t count, last_count; /* mobiles or flows */
};

enum pacing_phase { PACING_FREE, PACING_SYN_UP, PACING_SYN_DOWN, PACING_KNOWN };

/* An uplink segment of a flow. */
struct pacing_ack {
    const struct tcp *tcp;
    void *buffer;    /* the caller's, with the segment */
    uint16_t window; /* field before the clamp */
    bool has_sack;
};

/* In a list of flows: indices, PACING_NONE at the ends. */
struct pacing_link {
    uint32_t next, prev;
};

/* A TCP connection of a mobile. Times are in ms. */
struct pacing_flow {
    uint64_t hash; /* of its mobile, addresses and ports */
    uint32_t used_ms;
    uint32_t high;   /* end of the downlink octets that passed; SYN_UP: the number behind the mobile's SYN */
    uint32_t edge;   /* right edge of the windows that passed, with has_edge */
    uint16_t window; /* number of the one in which it was counted */
    uint16_t mss;    /* octets of data in a full segment */
    uint8_t scale, phase;
    bool has_scale : 1, has_timestamps : 1, has_edge : 1, has_acked : 1, has_passed : 1, is_pending : 1;
    bool has_mark : 1, is_core_timed : 1;
    bool was_counted : 1; /* in the window before that in which it was counted */
    bool has_fin_up : 1, has_fin_down : 1;
    bool is_opaque : 1; /* a segment passed that was not paced: the next one from the mobile ends the flow */
    uint16_t lost;      /* what the mobile had lost when the flow last looked */
    uint16_t held_window; /* field of the held ACK before the clamp */
    uint32_t acked;    /* greatest ACK number of the mobile, with has_acked: that of the held ACK, if any */
    uint32_t passed;   /* greatest ACK number that passed, with has_passed */
    uint32_t held_seq; /* number of the held ACK */
    uint32_t syn;      /* number of the mobile's SYN */
    uint32_t doubt;    /* octets before it may be lost */
    uint32_t progress_ms; /* of the last new data or new ACK */
    uint32_t mark;        /* end of a segment that is timed, with has_mark */
    uint32_t mark_ms;     /* its time; before the flow is known that of the SYN */
    uint32_t pend_octets; /* that the server may send since its last ACK passed */
    uint32_t pend_end_ms, pend_group;
    uint32_t held_ms; /* when its first ACK since `passed` was held */
    void *held;       /* the caller's buffer with the held ACK; NULL: none */
    uint32_t ms, tag;
    struct pacing_link by_mobile, by_hold, by_pend;
};

static_assert(sizeof(struct pacing_flow) <= 128, "the limit of a flow's memory");

/* Head and tail of a list of flows. */
struct pacing_list {
    uint32_t head, last;
};

/* Counts of a mobile. */
struct pacing_user {
    struct pacing_window flows;
    uint32_t left; /* how often it left for another worker */
    uint32_t seen; /* number of the window in which its class counted it */
    uint16_t lost; /* how often octets to it were lost, or its cell was another */
    uint16_t bvc;
};

/* A mobile with held ACKs is in its group's list, sorted by tag. */
struct pacing_mobile {
    struct pacing_at at;
    struct pacing_list held;
    uint32_t next, prev; /* in its group */
    uint32_t tag, vt;
    uint32_t pend_octets;
    uint32_t held_count;
    uint32_t held_ms; /* with a held ACK: a hold subtracts its begin and adds its end */
    uint32_t held_vt; /* of its class when the hold began, or an ACK of it passed last */
};

/* A class of a cell. */
struct pacing_group {
    uint32_t head, last; /* mobiles with held ACKs */
    uint32_t active_at;  /* its place in pacing.active, with held ACKs */
    uint32_t held_count; /* ACKs */
    struct pacing_list permits;
    uint32_t vt;
    uint32_t permitted_octets;
    uint32_t longest_octets; /* of a downlink packet */
    uint32_t run_ms;         /* the mobile whose ACK was released last */
    uint32_t run_octets;     /* that its ACKs permitted without another's in between */
    uint32_t core_us;        /* between here and its servers and back, a mean; 0: not measured yet */
    uint32_t down_us;        /* from data to its ACK, a mean */
    uint32_t room_octets;
    uint32_t least_octets; /* queued at a tick of the interval */
    uint16_t ticks, empty; /* of the interval, and of these with nothing queued */
    uint32_t interval_ms;  /* its begin */
};

struct pacing {
    struct pacing_params params;
    struct pacing_stats stats;
    uint32_t sets;
    struct pacing_flow *flows;
    struct pacing_user *users;
    struct pacing_window *loads;
    struct pacing_group *groups;
    struct ewa *ewas; /* per class of a link; NULL: windows by shares */
    /* NULL unless params.holds */
    struct pacing_mobile *holders;
    uint32_t *active; /* groups with held ACKs */
    uint32_t active_count, at;
    struct pacing_list by_hold;
    int64_t tick_ns;
    bool is_ticking;
};

static inline struct pacing_group *pacing_group_of(const struct pacing *p, const struct pacing_at *at)
{
    return &p->groups[(uint32_t)at->bvc * QCLASS_COUNT + at->qclass];
}

bool pacing_turns_new(struct pacing *p, const struct pacing_limits *limits);
void pacing_turns_free(struct pacing *p);
/* A downlink segment with data of a known flow arrived. */
void pacing_turns_arrived(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                          uint32_t octets);
/* Before the place of a flow without a held ACK is used again. */
void pacing_turns_forget(struct pacing *p, struct pacing_flow *flow);

/* Whether the mobile has acknowledged all of a segment's data by an ACK that is held. */
bool pacing_hold_covers(const struct pacing_flow *flow, const struct tcp *tcp);
/* Whether an acknowledgement is older than the held one. */
bool pacing_hold_is_late(const struct pacing_flow *flow, uint32_t ack);
/* The flow's held ACK passes now; NULL: it has none. */
void *pacing_hold_end(struct pacing *p, struct pacing_flow *flow, int64_t now);
/* Decides on an uplink segment. */
struct pacing_fate pacing_hold_judge(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                                     const struct pacing_ack *ack, int64_t now);

#endif
