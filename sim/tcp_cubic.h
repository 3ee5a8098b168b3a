/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUBIC (RFC 9438): how the congestion window grows after slow start, and what a reduction leaves of it. All
 * in integers, so that each compiler gives the same window: octets, and milliseconds for the cubic function.
 */
#ifndef SIM_TCP_CUBIC_H
#define SIM_TCP_CUBIC_H

#include <stdbool.h>
#include <stdint.h>

struct tcp_cubic {
    uint64_t w_max_octets; /* window of the last reduction; 0: none yet */
    uint64_t prior_octets; /* cwnd_prior, as w_max without fast convergence */
    uint64_t w_est;        /* window of Reno, in 1/1024 octets */
    uint64_t credit;       /* growth below an octet, times the window */
    int64_t epoch_ns;      /* begin of this congestion avoidance; has_epoch: it has begun */
    int64_t k_ns;          /* from the epoch to w_max; a multiple of 1 ms */
    bool has_epoch, is_after_timeout;
};

/* One acknowledgement. rtt_ns: smoothed. */
struct tcp_cubic_step {
    uint64_t cwnd_octets, acked_octets;
    uint32_t mss_octets;
    int64_t rtt_ns, now;
};

/* The window after an acknowledgement in congestion avoidance (4.2 to 4.5); never below the present one. */
uint64_t tcp_cubic_grow(struct tcp_cubic *c, const struct tcp_cubic_step *step);

/* Takes note of a reduction of the window (4.6, 4.7) and returns the threshold, 0.7 of flight_octets and at
 * least two segments. More may be in flight than the window has while a hole is mended: then 0.7 of the
 * window. */
uint64_t tcp_cubic_reduce(struct tcp_cubic *c, uint64_t cwnd_octets, uint64_t flight_octets,
                          uint32_t mss_octets);

/* The reduction was for a time-out: the next epoch begins at its own window (4.8). */
void tcp_cubic_timeout(struct tcp_cubic *c);

/* Nothing was sent for idle_ns: the epoch does not contain this time (4.2). */
void tcp_cubic_idle(struct tcp_cubic *c, int64_t idle_ns);

#endif
