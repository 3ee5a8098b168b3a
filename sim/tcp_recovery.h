/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loss recovery: NewReno (RFC 6582) without SACK, RFC 6675 with it, and timeouts. For the files of this
 * folder alone.
 *
 * The rescue retransmission of RFC 6675 takes only a segment that was sent once: by the wording of the RFC, a
 * single lost segment would be repeated at once when the application has no more to send.
 */
#ifndef SIM_TCP_RECOVERY_H
#define SIM_TCP_RECOVERY_H

#include "sim/tcp.h"

#include <stdint.h>

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
