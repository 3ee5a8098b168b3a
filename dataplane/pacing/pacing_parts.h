/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of the pacing*.c files, for these files alone. */
#ifndef DATAPLANE_PACING_PACING_PARTS_H
#define DATAPLANE_PACING_PACING_PARTS_H

#include "dataplane/pacing/pacing.h"
#include "dataplane/pacing/pacing_load.h"
#include "dataplane/pacing/pacing_loan.h"
#include "dataplane/wire/tcp.h"

#include <assert.h>

#define PACING_NONE UINT32_MAX

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

/* A TCP connection of a mobile. */
struct pacing_flow {
    uint64_t hash; /* of its mobile, addresses and ports */
    int64_t used_ns;
    uint32_t high;   /* end of the downlink octets that passed; SYN_UP: the number behind the mobile's SYN */
    uint32_t edge;   /* right edge of the windows that passed, with has_edge */
    uint32_t window; /* number of the one in which it was counted */
    uint16_t mss;
    uint8_t scale, phase;
    bool has_scale, has_edge, has_passed, is_pending;
    uint16_t held_window; /* field of the held ACK before the clamp */
    uint32_t passed;      /* greatest ACK number that passed, with has_passed */
    uint32_t held_ack;    /* number of the held ACK */
    uint32_t pend_octets; /* that the server may send since its last ACK passed */
    void *held;           /* the caller's buffer with the held ACK; NULL: none */
    int64_t held_ns;      /* when its first ACK since `passed` was held */
    int64_t pend_end_ns;
    uint32_t ms, tag, pend_group;
    struct pacing_link by_mobile, by_hold, by_pend;
};

static_assert(sizeof(struct pacing_flow) <= 128, "the limit of a flow's memory");

/* Head and tail of a list of flows. */
struct pacing_list {
    uint32_t head, last;
};

/* A mobile with held ACKs is in its group's list, sorted by tag. */
struct pacing_mobile {
    struct pacing_at at;
    struct pacing_list held;
    uint32_t next, prev; /* in its group */
    uint32_t tag, vt;
    uint32_t pend_octets;
    uint32_t held_count;
};

/* A class of a cell. */
struct pacing_group {
    uint32_t head, last; /* mobiles with held ACKs */
    uint32_t vt;
    uint32_t permitted_octets;
    uint32_t longest_octets; /* of a downlink packet */
};

struct pacing {
    struct pacing_params params;
    struct pacing_stats stats;
    uint32_t sets;
    struct pacing_flow *flows;
    struct pacing_window *mobiles, *loads;
    struct pacing_loan *loans; /* per mobile */
    uint32_t *seen;            /* per mobile: number of the window in which its class counted it */
    /* NULL unless params.max_hold_ns is above 0 */
    struct pacing_mobile *holders;
    struct pacing_group *groups;
    uint32_t *active; /* groups with held ACKs */
    uint32_t active_count, at;
    struct pacing_list by_hold, by_pend;
    int64_t tick_ns;
    bool is_ticking;
};

/* Lists of flows. */
enum pacing_by { PACING_BY_MOBILE, PACING_BY_HOLD, PACING_BY_PEND };

static inline uint32_t pacing_index_of(const struct pacing *p, const struct pacing_flow *flow)
{
    return (uint32_t)(flow - p->flows);
}

static inline uint32_t pacing_group_index(const struct pacing_at *at)
{
    return (uint32_t)at->bvc * QCLASS_COUNT + at->qclass;
}

static inline struct pacing_group *pacing_group_of(struct pacing *p, const struct pacing_at *at)
{
    return &p->groups[pacing_group_index(at)];
}

static inline bool pacing_is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static inline uint32_t pacing_later(uint32_t tag, uint32_t vt)
{
    return pacing_is_before(tag, vt) ? vt : tag;
}

/* --- pacing_turns.c --- */
bool pacing_turns_new(struct pacing *p, uint32_t mobiles, uint32_t cells);
void pacing_turns_free(struct pacing *p);
void pacing_turns_put(struct pacing *p, struct pacing_list *list, uint32_t flow, enum pacing_by of);
void pacing_turns_remove(struct pacing *p, struct pacing_list *list, uint32_t flow, enum pacing_by of);
/* A downlink segment with data of a known flow arrived. */
void pacing_turns_arrived(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                          uint32_t octets);
/* Before the place of a flow without a held ACK is used again. */
void pacing_turns_forget(struct pacing *p, struct pacing_flow *flow);
/* Octets that an ACK permits, until data arrives or PEND_NS end. */
void pacing_turns_permit(struct pacing *p, struct pacing_flow *flow, uint32_t group, uint32_t octets,
                         int64_t now);
void pacing_turns_end_permits(struct pacing *p, int64_t now);
/* A mobile in the order of its group. */
void pacing_turns_enter(struct pacing *p, uint32_t ms);
void pacing_turns_leave(struct pacing *p, uint32_t ms);
/* An ACK of a flow passes: tags of mobile and flow grow. */
void pacing_turns_charge(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                         uint32_t octets);

/* --- pacing_hold.c --- */
/* Whether the mobile has acknowledged all of a segment's data by an ACK that is held. */
bool pacing_hold_covers(const struct pacing_flow *flow, const struct tcp *tcp);
/* Decides on an uplink segment. */
struct pacing_fate pacing_hold_judge(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at,
                                     const struct pacing_ack *ack, int64_t now);

#endif
