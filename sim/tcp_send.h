/* SPDX-License-Identifier: BSD-3-Clause */
/* How a connection makes segments, and which one leaves next. Of use to the tcp_*.c files only. */
#ifndef SIM_TCP_SEND_H
#define SIM_TCP_SEND_H

#include "sim/tcp.h"

/* The clock of the timestamps option: milliseconds. */
uint32_t tcp_send_timestamp(int64_t now);

/* SYN or SYN-ACK, for the first time. */
void tcp_send_syn(struct tcp *t, int64_t now);

/* Everything that congestion and receive window allow, then a pure ACK if one is still owed. */
void tcp_send_pending(struct tcp *t, int64_t now);

/* The first unacknowledged segment again, whatever the windows say. */
void tcp_send_first_again(struct tcp *t, int64_t now);

/* What has to leave against a window that holds it back: a short segment if there is any room, else a probe.
 */
void tcp_send_against_window(struct tcp *t, int64_t now);

void tcp_send_ack(struct tcp *t, int64_t now);

/* RST; behind what was sent, or with the number that the offending segment acknowledged. */
void tcp_send_reset(struct tcp *t, int64_t now);

#endif
