/* SPDX-License-Identifier: BSD-3-Clause */
/* Flows of pacing, and what it counts of mobiles, classes and cells. For the files of this folder alone. */
#ifndef DATAPLANE_PACING_FLOW_H
#define DATAPLANE_PACING_FLOW_H

#include "dataplane/pacing/pacing.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint32_t pacing_ms_of(int64_t ns)
{
    return (uint32_t)(ns / INT64_C(1000000));
}

#define PACING_LOADS (QCLASS_COUNT + 1) /* of a cell: its classes, and all of them */

/* Octets that arrived for a cell; of these, TCP for a class, and its mobiles; flows of a mobile.
 * In windows of 2^33 ns, each mobile and flow once in a window. */
struct pacing_window {
    uint32_t number;
    uint32_t octets, last_octets;
    uint32_t count, last_count; /* mobiles or flows */
};

enum pacing_phase { PACING_FREE, PACING_SYN_UP, PACING_SYN_DOWN, PACING_KNOWN };

/* A TCP connection of a mobile. Times are in ms. */
struct pacing_flow {
    uint64_t hash; /* of its mobile, addresses and ports */
    uint32_t used_ms;
    uint32_t high;   /* end of the downlink octets that passed; SYN_UP: the number behind the mobile's SYN */
    uint32_t top;    /* the greatest right edge of a window that passed, with has_top */
    uint16_t window; /* with is_counted the number of the one in which it was counted */
    uint16_t mss;    /* octets of data in a full segment */
    uint8_t scale, phase;
    bool has_scale : 1, has_timestamps : 1, has_top : 1, has_acked : 1, has_mark : 1, is_core_timed : 1;
    bool is_counted : 1, was_counted : 1; /* once; in the window before that in which it was counted */
    bool is_opaque : 1; /* a segment passed that was not paced: the next one from the mobile ends the flow */
    bool has_fin_up : 1, has_fin_down : 1;
    uint16_t lost;        /* what the mobile had lost when the flow last looked */
    uint32_t acked;       /* greatest ACK number of the mobile, with has_acked */
    uint32_t syn;         /* number of the mobile's SYN */
    uint32_t doubt;       /* octets before it may be lost */
    uint32_t progress_ms; /* of the last new data or new ACK */
    uint32_t mark;        /* end of a segment that is timed, with has_mark */
    uint32_t mark_ms;     /* its time; before the flow is known that of the SYN */
};

static_assert(sizeof(struct pacing_flow) <= 56, "the limit of a flow's memory");

/* Counts of a mobile. */
struct pacing_user {
    struct pacing_window flows;
    uint32_t left; /* how often it left for another worker */
    uint32_t seen; /* number of the window in which its class counted it */
    uint16_t lost; /* how often octets to it were lost, or its cell was another */
    uint16_t bvc;
};

/* Mean times of a class of a cell; 0: not measured yet. */
struct pacing_means {
    uint32_t core_us; /* between here and its servers and back */
    uint32_t down_us; /* from data to its ACK */
};

struct pacing {
    struct pacing_params params;
    struct pacing_stats stats;
    uint32_t sets;
    struct pacing_flow *flows;
    struct pacing_user *users;
    struct pacing_window *loads;
    struct pacing_means *means;
    struct ewa *ewas; /* per class of a link; NULL: windows by shares */
};

static inline struct pacing_means *pacing_means_of(const struct pacing *p, const struct pacing_at *at)
{
    return &p->means[(uint32_t)at->bvc * QCLASS_COUNT + at->qclass];
}

/* --- shares of mobiles (model: pacing.c) --- */

/* A packet of any class came for a cell: its windows of time end when they are over. */
const struct pacing_window *pacing_turn_cell(struct pacing *p, uint16_t bvc, int64_t now);

/* A packet of a paced class, which only with data makes its mobile one of the class; a flow that has one in
 * either direction. */
void pacing_count_octets(struct pacing *p, const struct pacing_at *at, size_t octets, bool has_data,
                         int64_t now);
void pacing_count_flow(struct pacing *p, struct pacing_flow *flow, uint32_t ms, int64_t now);

/* The flow has been closed. */
void pacing_uncount_flow(struct pacing *p, const struct pacing_flow *flow, uint32_t ms, int64_t now);

/* Whether no mobile of the class waits for a turn, in a cell whose R the last window did not fill. After
 * pacing_share_bps, which ends windows. */
bool pacing_is_idle(const struct pacing *p, const struct pacing_at *at);
/* A mobile's share of its class in its cell, in bit/s; its flows, 1 or more. */
uint64_t pacing_share_bps(struct pacing *p, const struct pacing_at *at, int64_t now);
uint32_t pacing_flows_of(struct pacing *p, uint32_t ms, int64_t now);

#endif
