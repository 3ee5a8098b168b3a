/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The congestion window: slow start and congestion avoidance (RFC 5681), halved for a loss or for congestion
 * that the peer echoes (RFC 3168). Of use to the tcp_*.c files only.
 */
#ifndef SIM_TCP_CWND_H
#define SIM_TCP_CWND_H

#include "sim/tcp.h"

/* The initial window. is_syn_repeated: one segment (RFC 5681 3.1). */
void tcp_cwnd_start(struct tcp *t, bool is_syn_repeated);

/* acked_octets were acknowledged, and the window was used. */
void tcp_cwnd_grow(struct tcp *t, uint64_t acked_octets);

/* ssthresh for a loss, unless an ECE has halved the window that it belongs to. */
void tcp_cwnd_halve_for_loss(struct tcp *t);

/* An acknowledgement up to place `ack`, not yet taken in. True if it has an ECE that counts: the window must
 * not grow by it. Halves the window if that was not done for what is out; nothing is repeated (RFC 3168
 * 6.1.2). */
bool tcp_cwnd_take_echo(struct tcp *t, const struct tcp_header *header, uint64_t ack);

/* New data after a silence: the window that was earned before it is gone (RFC 5681 4.1). */
void tcp_cwnd_after_idle(struct tcp *t, int64_t now);

/* Up to where octets in flight may go. */
uint64_t tcp_cwnd_limit_octets(const struct tcp *t);

#endif
