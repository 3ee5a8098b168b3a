/* SPDX-License-Identifier: BSD-3-Clause */
/* The sender's handling of a received segment: acknowledgement, SACK blocks, window. For the tcp_*.c files
   only. */
#ifndef SIM_TCP_ACK_H
#define SIM_TCP_ACK_H

#include "sim/tcp.h"

/* The position of a sequence number in the local stream; below 0: older than the stream. */
int64_t tcp_ack_place(const struct tcp *t, uint32_t wire);

/*
 * Takes in the acknowledgement of an acceptable segment at position `seq` of the peer's stream. False: it
 * acknowledges octets that were never sent.
 */
bool tcp_ack_take(struct tcp *t, const struct ip_packet *packet, uint64_t seq, int64_t now);

/* The retransmission timer has expired. */
void tcp_ack_timeout(struct tcp *t, int64_t now);

#endif
