/* SPDX-License-Identifier: BSD-3-Clause */
/* State changes of a connection (RFC 9293 3.3.2) and their events. For the tcp_*.c files only. */
#ifndef SIM_TCP_STATE_H
#define SIM_TCP_STATE_H

#include "sim/tcp.h"

/* Takes over the options of the peer's SYN; packet has SYN. */
void tcp_state_take_syn(struct tcp *t, const struct ip_packet *packet);

/* The local SYN was acknowledged and the peer's has arrived. */
void tcp_state_establish(struct tcp *t, int64_t now);

/* The local FIN was acknowledged. */
void tcp_state_fin_acked(struct tcp *t, int64_t now);

/* The peer's FIN arrived in order. */
void tcp_state_peer_fin(struct tcp *t, int64_t now);

/* Closes the connection; calls on_closed() unless it was called. */
void tcp_state_close(struct tcp *t, enum tcp_end end, int64_t now);

/* Starts or restarts TIME-WAIT. */
void tcp_state_time_wait(struct tcp *t, int64_t now);

#endif
