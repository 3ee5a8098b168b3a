/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit congestion notification (RFC 3168 section 6.1). Of use to the tcp_*.c files only.
 *
 *   negotiation   SYN with ECE and CWR, SYN-ACK with ECE alone; in force when both were sent
 *   data          ECT(0) on data that goes for the first time; never on SYN, bare ACK, probe or repetition
 *   receiver      from a CE on, every ACK has ECE, until data with CWR
 *   sender        an ECE halves the window, once for all that was out at that moment; a reduction for a loss
 *                 counts as that one, and the other way round; the next new data has CWR
 *
 * Left out: the retry of a SYN without ECN (6.1.1.1), and waiting for the timer at a window of one segment
 * (6.1.2): an ECE leaves at least two, as a loss does.
 */
#ifndef SIM_TCP_ECN_H
#define SIM_TCP_ECN_H

#include "sim/tcp.h"

/* The flags that our SYN or SYN-ACK has besides. */
uint8_t tcp_ecn_syn_flags(const struct tcp *t);

/* The peer's SYN or SYN-ACK: whether ECN is in force. */
void tcp_ecn_take_syn(struct tcp *t, const struct tcp_header *syn);

/* The flags that a segment has besides which is neither SYN nor RST. is_new: it has data that was never sent
 * before; then CWR, if it is owed, is given up. */
uint8_t tcp_ecn_flags(struct tcp *t, bool is_new);

/* Data within the window arrived: what to tell with the next ACKs. */
void tcp_ecn_take_data(struct tcp *t, const struct ip_packet *packet);

/* The window was reduced. */
void tcp_ecn_reduced(struct tcp *t);

/* True if the window was reduced, for whatever reason, since the first unacknowledged segment was sent. */
bool tcp_ecn_has_reduced(const struct tcp *t);

#endif
