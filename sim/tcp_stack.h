/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a TCP connection to each other: what it sends and receives, its congestion window, and loss
 * recovery. */
#ifndef SIM_TCP_STACK_H
#define SIM_TCP_STACK_H

#include "sim/tcp.h"

#include <stdint.h>

/* Encodes segments of a connection and selects the next one to send. For the tcp_*.c files only. */

/* The payload of every stream: position and ports determine each octet, so a receiver can check it. */

/* A stream's key, the same at both ends. */
static inline uint32_t tcp_pattern_key(uint16_t src_port, uint16_t dst_port)
{
    return (uint32_t)src_port << 16 | dst_port;
}

void tcp_pattern_fill(uint8_t *bytes, uint32_t octets, uint32_t key, uint64_t place);

/* The number of octets that differ from the pattern. */
uint32_t tcp_pattern_mismatches(const uint8_t *bytes, uint32_t octets, uint32_t key, uint64_t place);

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

/*
 * When a receiver acknowledges as Linux 2.4 does, by the rules of its sources. For the tcp_*.c files only.
 *
 * Model. ACKs are sent at once for more than one full segment, while data is missing, and for a number of
 * segments at the beginning, after a gap longer than the RTO and after a loss (quick ACKs: half of the window
 * in segments, 16 at most). Otherwise an ACK waits for the ACK time-out: it begins with 40 ms, doubles each
 * time it expires, and follows the time between segments: half of itself and that time. At most it is
 * `delayed_ack_timeout_ns` (0.5 s in Linux), SRTT, and 0.2 s for a segment with PSH.
 * The announced window begins with four segments, and grows by two with each segment.
 *
 * Left out: the mode for interactive connections, memory of the buffer.
 */

bool tcp_ato_is_used(const struct tcp *t);

/* The time-out of an ACK has expired. */
void tcp_ato_expired(struct tcp *t);

/* An ACK was sent. */
void tcp_ato_acked(struct tcp *t);

/* The receive window, as far as it may be announced. */
uint64_t tcp_ato_window_octets(const struct tcp *t);

/*
 * The congestion window: slow start and congestion avoidance (RFC 5681), halved after a loss or for
 * congestion that the peer echoes (RFC 3168). For the tcp_*.c files only.
 */

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

/*
 * Loss recovery: NewReno (RFC 6582) without SACK, RFC 6675 with it, and timeouts. For the tcp_*.c files only.
 *
 * The rescue retransmission of RFC 6675 takes only a segment that was sent once: by the wording of the RFC, a
 * single lost segment would be repeated at once when the application has no more to send.
 */

/* The sender's handling of a received segment: acknowledgement, SACK blocks, window. For the tcp_*.c files
   only. */

/* The position of a sequence number in the local stream; below 0: older than the stream. */
int64_t tcp_ack_place(const struct tcp *t, uint32_t wire);

/*
 * Takes in the acknowledgement of an acceptable segment at position `seq` of the peer's stream. False: it
 * acknowledges octets that were never sent.
 */
bool tcp_ack_take(struct tcp *t, const struct ip_packet *packet, uint64_t seq, int64_t now);

/* The retransmission timer has expired. */
void tcp_ack_timeout(struct tcp *t, int64_t now);

/* The connection is established: initial window. is_syn_repeated: one segment (RFC 5681 3.1). */
void tcp_recovery_start(struct tcp *t, bool is_syn_repeated);
void tcp_recovery_rack_expired(struct tcp *t, int64_t now);

#endif
