/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit congestion notification (RFC 3168 section 6.1). For the tcp_*.c files only.
 *   negotiation   SYN with ECE and CWR, SYN-ACK with ECE alone; in force when both were sent
 *   data          ECT(0) on data sent for the first time; never on SYN, bare ACK, probe or repetition
 *   receiver      after a CE, every ACK has ECE, until data with CWR
 *   sender        an ECE halves the window, once for all data outstanding at that moment; a reduction
 *                 after a loss counts as that one, and the reverse; the next new data has CWR
 *
 * Left out: the retry of a SYN without ECN (6.1.1.1), and waiting for the timer at a window of one segment
 * (6.1.2): an ECE leaves at least two, as a loss does.
 */
#ifndef SIM_TCP_ECN_H
#define SIM_TCP_ECN_H

#include "sim/tcp.h"

/* ECN flags of the local SYN or SYN-ACK. */
uint8_t tcp_ecn_syn_flags(const struct tcp *t);

/* Reads from the peer's SYN or SYN-ACK whether ECN is in force. */
void tcp_ecn_take_syn(struct tcp *t, const struct tcp_header *syn);

/* ECN flags of a segment other than SYN and RST. is_new: it has data sent for the first time; it then carries
 * the CWR that is owed. */
uint8_t tcp_ecn_flags(struct tcp *t, bool is_new);

/* Reads CE and CWR of data within the window, for ECE in the next ACKs. */
void tcp_ecn_take_data(struct tcp *t, const struct ip_packet *packet);

/* Notes that the window was reduced. */
void tcp_ecn_reduced(struct tcp *t);

/* Was the window reduced, for a loss or an ECE, since the first unacknowledged segment was sent? */
bool tcp_ecn_has_reduced(const struct tcp *t);

#endif
