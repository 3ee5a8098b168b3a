/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HyStart++ (RFC 9406): slow start ends before a loss, when the least RTT of a round trip has risen. The
 * sender then grows a quarter as fast for five round trips (conservative slow start), and then enters
 * congestion avoidance unless the RTT falls again. Only in the first slow start of a connection.
 */
#ifndef SIM_TCP_HYSTART_H
#define SIM_TCP_HYSTART_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
