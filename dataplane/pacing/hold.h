/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hold of ACKs and the loan of a mobile that begins: it asks for something after a time without octets of
 * TCP, with nothing queued or in the BSS (which the caller tests). Until the loan is used up, its ACKs pass
 * at once and its windows cover the rest. Tags grow as for all, so the mobile pays it back, and its share
 * stays.
 *
 *     after  max(0.8 s, 2 MSS / share)  without octets
 *     loan = min(6000, 4 s x share) octets, 0 if that is less than 4 MSS
 *
 * For the files of this folder alone.
 */
#ifndef DATAPLANE_PACING_HOLD_H
#define DATAPLANE_PACING_HOLD_H

#include "dataplane/pacing/pacing.h"
#include "dataplane/wire/tcp.h"

#include <assert.h>
#include <stdint.h>

/*
 * How many octets of TCP arrived for a class in a cell and on a link, and for how many mobiles; how many
 * flows a mobile has. Counted in windows of 2^32 ns, each mobile and flow once in a window.
 */

#define PACING_LOADS (QCLASS_COUNT + 1) /* of a cell: its classes, and all of them */

struct pacing_window {
    uint32_t number;
    uint32_t octets, last_octets;
    uint32_t count, last_count; /* mobiles or flows */
};

/* Windows of the classes of a cell, or of a link, then that of all of them; R of it. */
struct pacing_load {
    struct pacing_window *windows;
    uint64_t rate_bps;
    bool is_link;
};

/* The rate of a class in the last window, in bit/s; without one, R. */
uint64_t pacing_load_rate_bps(const struct pacing_load *load, uint8_t qclass, int64_t now);

/* A mobile's share of its class, in bit/s. */
uint64_t pacing_load_share_bps(const struct pacing_load *load, const struct pacing_at *at, int64_t now);

/* How many mobiles of a class had octets in the last window. */
uint32_t pacing_load_mobiles(const struct pacing_load *load, uint8_t qclass, int64_t now);

struct pacing_loan {
    int64_t last_ns; /* of the last octets to the mobile, or when the loan began; 0: never */
    uint32_t left_octets;
};

/* The mobile sends data: a loan may begin. */
void pacing_loan_ask(struct pacing_loan *loan, uint64_t share_bps, uint16_t mss, int64_t now);

/* Octets of data to the mobile. */
void pacing_loan_use(struct pacing_loan *loan, uint32_t octets, int64_t now);

#define MS_NS INT64_C(1000000)

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
    uint16_t mss;    /* octets of data in a full segment */
    uint8_t scale, phase;
    bool has_scale : 1, has_timestamps : 1, has_edge : 1, has_passed : 1, is_pending : 1;
    bool is_opaque : 1; /* a segment passed that was not paced: the next one from the mobile ends the flow */
    uint16_t held_window;        /* field of the held ACK before the clamp */
    uint32_t passed;             /* greatest ACK number that passed, with has_passed */
    uint32_t held_ack, held_seq; /* numbers of the held ACK */
    uint32_t syn;                /* number of the mobile's SYN */
    uint32_t pend_octets;        /* that the server may send since its last ACK passed */
    void *held;                  /* the caller's buffer with the held ACK; NULL: none */
    int64_t held_ns;             /* when its first ACK since `passed` was held */
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
    uint32_t order;          /* of its link and class */
    uint32_t tag;            /* in its order: octets permitted, for each of its mobiles */
    uint32_t run_ms;         /* the mobile whose ACK was released last */
    uint32_t run_octets;     /* that its ACKs permitted without another's in between */
};

/* A class of a link: the turns of its groups that share the link. */
struct pacing_order {
    uint32_t vt;
    uint32_t permitted_octets; /* of its groups together */
    uint32_t groups;           /* with held ACKs */
};

struct pacing {
    struct pacing_params params;
    struct pacing_stats stats;
    uint32_t sets;
    struct pacing_flow *flows;
    struct pacing_window *mobiles, *loads, *link_loads;
    struct ewa *ewas;          /* per class of a link; NULL: windows by shares */
    struct pacing_loan *loans; /* per mobile */
    uint32_t *left;            /* per mobile: how often it left for another worker */
    uint32_t *seen;            /* per mobile: number of the window in which its class counted it */
    /* NULL unless params.max_hold_ns is above 0 */
    struct pacing_mobile *holders;
    struct pacing_group *groups;
    struct pacing_order *orders;
    uint32_t *active; /* groups with held ACKs */
    uint32_t active_count, at;
    struct pacing_list by_hold, by_pend;
    int64_t tick_ns;
    bool is_ticking;
};

/* The load that a packet's class belongs to: that of its link, if its cell shares it, else of its cell. */
struct pacing_load pacing_load_of(struct pacing *p, const struct pacing_at *at);

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
