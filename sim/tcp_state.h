/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a connection's life (RFC 9293 3.3.2) and the events that tell of them. For the tcp_*.c files
 * only. */
#ifndef SIM_TCP_STATE_H
#define SIM_TCP_STATE_H

#include "sim/tcp.h"

/* Takes over what the peer's SYN offers; packet has SYN. */
void tcp_state_take_syn(struct tcp *t, const struct ip_packet *packet);

/* Our SYN was acknowledged and the peer's is here. */
void tcp_state_establish(struct tcp *t, int64_t now);

/* Our FIN was acknowledged. */
void tcp_state_fin_acked(struct tcp *t, int64_t now);

/* The peer's FIN arrived in order. */
void tcp_state_peer_fin(struct tcp *t, int64_t now);

/* No more packets; tells the application unless it knows already. */
void tcp_state_close(struct tcp *t, enum tcp_end end, int64_t now);

/* TIME-WAIT begins, or begins anew. */
void tcp_state_time_wait(struct tcp *t, int64_t now);

#endif
