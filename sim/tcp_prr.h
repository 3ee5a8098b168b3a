/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proportional rate reduction (RFC 6937) for recoveries with SACK: what is sent during a recovery follows
 * what arrives, so that the window reaches the threshold at its end. Below the threshold the bound is that of
 * slow start (PRR-SSRB).
 */
#ifndef SIM_TCP_PRR_H
#define SIM_TCP_PRR_H

#include <stdint.h>

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
