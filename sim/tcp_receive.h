/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiving side of a TCP connection: when it acknowledges as Linux 2.4 does, by the rules of its
 * sources. For the files of this folder alone.
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
#ifndef SIM_TCP_RECEIVE_H
#define SIM_TCP_RECEIVE_H

#include "sim/tcp.h"

bool tcp_receive_ato_is_used(const struct tcp *t);

/* The time-out of an ACK has expired. */
void tcp_receive_ato_expired(struct tcp *t);

/* An ACK was sent. */
void tcp_receive_ato_acked(struct tcp *t);

/* The receive window, as far as it may be announced. */
uint64_t tcp_receive_ato_window_octets(const struct tcp *t);

#endif
