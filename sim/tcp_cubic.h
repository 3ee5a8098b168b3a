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

/*
 * HyStart++ (RFC 9406): slow start ends before a loss, when the least RTT of a round trip has risen. The
 * sender then grows a quarter as fast for five round trips (conservative slow start), and then enters
 * congestion avoidance unless the RTT falls again. Only in the first slow start of a connection.
 */

struct tcp_hystart {
    uint64_t round_end;          /* SND.NXT when the round began */
    int64_t last_ns, present_ns; /* least RTT of the round before and of this one */
    int64_t baseline_ns;         /* present_ns when conservative slow start began */
    uint32_t samples;            /* RTTs in this round */
    uint32_t rounds;             /* of conservative slow start that are over */
    bool is_conservative, is_over;
};

void tcp_hystart_start(struct tcp_hystart *h, uint64_t nxt);

/* An acknowledgement up to `ack` with data sent up to nxt; rtt_ns: its sample, -1: none. True: slow start is
 * over. */
bool tcp_hystart_acked(struct tcp_hystart *h, uint64_t ack, uint64_t nxt, int64_t rtt_ns);

/* By how much the window grows for acked_octets. */
uint64_t tcp_hystart_growth(const struct tcp_hystart *h, uint64_t acked_octets, uint32_t mss_octets);

/*
 * Proportional rate reduction (RFC 6937) for recoveries with SACK: what is sent during a recovery follows
 * what arrives, so that the window reaches the threshold at its end. Below the threshold the bound is that of
 * slow start (PRR-SSRB).
 */

struct tcp_prr {
    uint64_t delivered_octets, out_octets; /* since the recovery began: arrived, sent */
    uint64_t flight_octets;                /* RecoverFS: FlightSize at its begin */
};

struct tcp_prr_ack {
    uint64_t delivered_octets; /* newly acknowledged or selectively acknowledged */
    uint64_t in_flight_octets; /* the pipe of RFC 6675 */
    uint64_t ssthresh_octets;
    uint32_t mss_octets;
};

void tcp_prr_start(struct tcp_prr *p, uint64_t flight_octets);
void tcp_prr_sent(struct tcp_prr *p, uint64_t octets);

/* The congestion window after an acknowledgement of the recovery: what is in flight and what may follow. */
uint64_t tcp_prr_acked(struct tcp_prr *p, const struct tcp_prr_ack *ack);

#endif
