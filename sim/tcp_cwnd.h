/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The congestion window: slow start and congestion avoidance (RFC 5681), halved after a loss or for
 * congestion that the peer echoes (RFC 3168). For the files of this folder
 * alone.
 */
#ifndef SIM_TCP_CWND_H
#define SIM_TCP_CWND_H

#include "sim/tcp.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Explicit congestion notification (RFC 3168 section 6.1).
 *   negotiation   SYN with ECE and CWR, SYN-ACK with ECE alone; in force when both were sent
 *   data          ECT(0) on data sent for the first time; never on SYN, bare ACK, probe or repetition
 *   receiver      after a CE, every ACK has ECE, until data with CWR
 *   sender        an ECE halves the window, once for all data outstanding at that moment; a reduction
 *                 after a loss counts as that one, and the reverse; the next new data has CWR
 *
 * Left out: the retry of a SYN without ECN (6.1.1.1), and waiting for the timer at a window of one segment
 * (6.1.2): an ECE leaves at least two, as a loss does.
 */

/* ECN flags of the local SYN or SYN-ACK. */
uint8_t tcp_ecn_syn_flags(const struct tcp *t);

/* Reads from the peer's SYN or SYN-ACK whether ECN is in force. */
void tcp_ecn_take_syn(struct tcp *t, const struct tcp_header *syn);

/* ECN flags of a segment other than SYN and RST. is_new: it has data sent for the first time; it then carries
 * the CWR that is owed. */
uint8_t tcp_ecn_flags(struct tcp *t, bool is_new);

/* Reads CE and CWR of data within the window, for ECE in the next ACKs. */
void tcp_ecn_take_data(struct tcp *t, const struct ip_packet *packet);

/* The initial window. is_syn_repeated: one segment (RFC 5681 3.1). */
void tcp_cwnd_start(struct tcp *t, bool is_syn_repeated);

/* Grows the window for acked_octets; call it only if the window was used. */
void tcp_cwnd_grow(struct tcp *t, uint64_t acked_octets, int64_t now);

/* Ends the first slow start where HyStart++ says so; rtt_ns: the sample of this ACK, -1: none. */
void tcp_cwnd_judge_rtt(struct tcp *t, int64_t rtt_ns);

/* Sets ssthresh after a loss, unless the window was reduced since the first unacknowledged segment was sent.
 */
void tcp_cwnd_halve_for_loss(struct tcp *t);

/* Reads the ECE of an acknowledgement up to position `ack`, before it is taken in. True: the window must not
 * grow by it. Halves the window once per window of data; retransmits nothing (RFC 3168 6.1.2). */
bool tcp_cwnd_take_echo(struct tcp *t, const struct tcp_header *header, uint64_t ack);

/* New data after an idle RTO: back to the initial window (RFC 5681 4.1). */
void tcp_cwnd_after_idle(struct tcp *t, int64_t now);

/* The limit of the octets in flight. */
uint64_t tcp_cwnd_limit_octets(const struct tcp *t);

#endif
