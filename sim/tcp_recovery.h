/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loss recovery: NewReno (RFC 6582) without SACK, RFC 6675 with it, and timeouts. For the tcp_*.c files only.
 *
 * The rescue retransmission of RFC 6675 takes only a segment that was sent once: by the wording of the RFC, a
 * single lost segment would be repeated at once when the application has no more to send.
 */
#ifndef SIM_TCP_RECOVERY_H
#define SIM_TCP_RECOVERY_H

#include "sim/tcp.h"

/* The connection is established: initial window. is_syn_repeated: one segment (RFC 5681 3.1). */
void tcp_recovery_start(struct tcp *t, bool is_syn_repeated);

/* An ACK advanced una by acked_octets; in_flight_octets is the board's before it. may_grow false: the window
 * does not grow. */
void tcp_recovery_acked(struct tcp *t, uint64_t acked_octets, uint64_t in_flight_octets, bool may_grow,
                        int64_t now);

/* During a recovery with SACK: this ACK showed that `octets` arrived (RFC 6937). Call it last. */
void tcp_recovery_delivered(struct tcp *t, uint64_t octets);

/* RFC 6675's IsLost() for all holes, unless RACK finds losses. */
void tcp_recovery_lose_holes(struct tcp *t);

/* RACK-TLP: after an ACK was taken in, and when its timer has expired. */
void tcp_recovery_rack(struct tcp *t, bool is_duplicate, int64_t now);
void tcp_recovery_rack_expired(struct tcp *t, int64_t now);

/* A duplicate ACK. The third one, or with SACK evidence of a loss (IsLost()), starts a recovery. */
void tcp_recovery_duplicate(struct tcp *t, int64_t now);

/* The retransmission timer has expired: all segments count as lost, the window is one segment. Sends nothing.
 */
void tcp_recovery_timeout(struct tcp *t);

#endif
