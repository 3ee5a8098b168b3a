/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending: encodes segments of a TCP connection and selects the next one to send. For the tcp_*.c files of
   this folder alone. */
#ifndef SIM_TCP_SEND_H
#define SIM_TCP_SEND_H

#include "sim/tcp.h"

#include <stdbool.h>
#include <stdint.h>

/* The clock of the timestamps option: milliseconds. */
uint32_t tcp_send_timestamp(int64_t now);

/* Sends SYN or SYN-ACK for the first time. */
void tcp_send_syn(struct tcp *t, int64_t now);

/* Sends all that congestion and receive window allow, then a bare ACK if one is still owed. */
void tcp_send_pending(struct tcp *t, int64_t now);

/* Sends the first unacknowledged segment again, regardless of the windows. */
void tcp_send_first_again(struct tcp *t, int64_t now);

/* Sends the first segment again that is marked as lost, regardless of the windows. */
void tcp_send_lost_again(struct tcp *t, int64_t now);

/* Sends a segment regardless of the congestion window: true: a new one; false: the last one again (RFC 8985
 * 7.3). */
bool tcp_send_probe(struct tcp *t, int64_t now);

/* At the persist timer: sends a short segment if the window has room, else a zero-window probe. */
void tcp_send_against_window(struct tcp *t, int64_t now);

/* True if new data may leave now: there is some, and both windows have room. */
bool tcp_send_may_send_new(const struct tcp *t);

/* Sends RST with the number after the octets sent so far. */
void tcp_send_reset(struct tcp *t, int64_t now);

#endif
