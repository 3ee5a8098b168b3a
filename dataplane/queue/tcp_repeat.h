/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TCP segments that are queued twice: a sender whose timer ends while its segment still waits here sends the
 * segment again. The copy would cost the air what the original costs, and acknowledges nothing new.
 *
 * An N-PDU repeats a queued one if both are whole IPv4 or IPv6 packets (no fragments, no extension headers)
 * with TCP segments of the same addresses and ports (RFC 9293 clause 3.1), and
 *   - the arriving one has data, and all of it lies in the sequence range of the queued one,
 *   - it has no SYN, FIN, RST or URG,
 *   - its ACK number is not newer than the queued one's.
 * Data is not compared. Window, timestamps and SACK of the copy are lost with it.
 */
#ifndef DATAPLANE_QUEUE_TCP_REPEAT_H
#define DATAPLANE_QUEUE_TCP_REPEAT_H

#include "dataplane/base/n_pdu.h"

/* Queued N-PDUs that are compared with an arriving one, from the oldest on: the price has a limit. */
#define TCP_REPEAT_MOST_PKTS 64

/* Does n_pdu repeat one of the first TCP_REPEAT_MOST_PKTS of a list? */
bool tcp_repeat_has(const struct n_pdu_list *list, const struct n_pdu *n_pdu);

#endif
