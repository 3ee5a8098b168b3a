/* SPDX-License-Identifier: BSD-3-Clause */
/* The receiving side of a TCP connection, and loss recovery. For the files of this folder alone. */
#ifndef SIM_TCP_STACK_H
#define SIM_TCP_STACK_H

#include "sim/tcp.h"

#include <stdint.h>

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

bool tcp_receive_ato_is_used(const struct tcp *t);

/* The time-out of an ACK has expired. */
void tcp_receive_ato_expired(struct tcp *t);

/* An ACK was sent. */
void tcp_receive_ato_acked(struct tcp *t);

/* The receive window, as far as it may be announced. */
uint64_t tcp_receive_ato_window_octets(const struct tcp *t);

/*
 * Loss recovery: NewReno (RFC 6582) without SACK, RFC 6675 with it, and timeouts. For the tcp_*.c files only.
 *
 * The rescue retransmission of RFC 6675 takes only a segment that was sent once: by the wording of the RFC, a
 * single lost segment would be repeated at once when the application has no more to send.
 */

/* The sender's handling of a received segment: acknowledgement, SACK blocks, window. For the tcp_*.c files
   only. */

/* The position of a sequence number in the local stream; below 0: older than the stream. */
int64_t tcp_recovery_place(const struct tcp *t, uint32_t wire);

/*
 * Takes in the acknowledgement of an acceptable segment at position `seq` of the peer's stream. False: it
 * acknowledges octets that were never sent.
 */
bool tcp_recovery_take(struct tcp *t, const struct ip_packet *packet, uint64_t seq, int64_t now);

/* The retransmission timer has expired. */
void tcp_recovery_expired(struct tcp *t, int64_t now);

/* The connection is established: initial window. is_syn_repeated: one segment (RFC 5681 3.1). */
void tcp_recovery_start(struct tcp *t, bool is_syn_repeated);
void tcp_recovery_rack_expired(struct tcp *t, int64_t now);

#endif
