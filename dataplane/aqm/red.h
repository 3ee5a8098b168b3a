/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random early detection (Floyd and Jacobson 1993), shared by its variants.
 *
 *   average    at each arrival avg += weight (q - avg); after the queue stood empty for a time t instead
 *              avg *= (1 - weight)^m, m = t over the time a packet of mean size takes at the known rate
 *   chance     p = max_chance (avg - min) / (max - min), 0 below min, 1 from max on; gentle: on from
 *              max_chance at max to 1 at 2 max
 *   spacing    with c packets let in since the last signal, p / (1 - c p): the gap between signals is uniform
 *              over 1 .. 1/p. Section 7 of the paper; its pseudo-code counts one more after a signal.
 *   max        from there on (gentle: from 2 max on) dropped, ECN or not (RFC 3168 section 7), unless
 *              mark_above_max says otherwise.
 * Not implemented: the pause that some simulators put between signals.
 */
#ifndef DATAPLANE_AQM_RED_H
#define DATAPLANE_AQM_RED_H

#include "dataplane/aqm/aqm.h"

#define RED_LAW_BITS 24 /* fractional bits of the average */

/* Thresholds and slopes in the average's units. */
struct red_curve {
    int64_t min, max, end; /* at end and above all are signalled */
    int64_t max_chance;
    int64_t slope, gentle_slope; /* factor per 2^RED_LAW_BITS of the average's units */
    int64_t weight;
};

struct red_law {
    struct red_curve curve;
    int64_t packet_ns;      /* a packet's time when the rate is not known */
    uint64_t packet_octets; /* mean size */
    uint64_t inverse;       /* 2^94 / (bits of that size x 10^9) */
    uint64_t size_factor;   /* 2^32 / packet_octets where the chance is scaled by size, else 0 */
    bool counts_packets, is_gentle, marks_above_max;
};

struct red_state {
    int64_t average;
    int64_t idle_since_ns;
    uint32_t count; /* let in since the last signal */
};

/* min, max in octets or packets; chance and weight as factors. Divides: not per packet. */
void red_law_curve(struct red_curve *curve, int64_t min, int64_t max, bool is_gentle);

/* Sets size and time of the packet in which idle time is counted. */
void red_law_packet(struct red_law *law, uint64_t octets, int64_t packet_ns);

/* The verdict on an arriving packet; the curve may be the instance's own. */
enum aqm_verdict red_law_arrive(const struct red_law *law, const struct red_curve *curve,
                                struct red_state *state, const struct aqm_view *view, int64_t now);

/* Notes the start of an idle time, when the N-PDU that leaves was the last. */
static inline void red_law_leave(struct red_state *state, const struct aqm_view *view, int64_t now)
{
    if (view->backlog_pkts == 0)
        state->idle_since_ns = now;
}

#endif
