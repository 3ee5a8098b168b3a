/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outer IPv6 on Gn: from frame to UDP payload. Of extension headers only one fragment header is taken, behind
 * the IPv6 header and in front of UDP; a peer has no reason to send others, and to walk them costs time that
 * strangers would choose. UDP without a checksum is not taken (RFC 8200 clause 8.1; TS 29.281 asks for no
 * exception of RFC 6935).
 *
 * What is not here: neighbour discovery, which is control's.
 */
#ifndef DATAPLANE_WORKER_GN_IPV6_H
#define DATAPLANE_WORKER_GN_IPV6_H

#include "dataplane/worker/gn_tx.h"

#include <stdint.h>

/*
 * Unwraps a frame whose IPv6 header is at mbuf->l2_len. Returns the UDP payload, which lies in *mbuf; that is
 * another buffer when the frame completed a datagram in pieces. NULL: it is held, or was dropped and counted.
 */
uint8_t *gn_ipv6_unwrap(struct worker *w, struct rte_mbuf **mbuf, struct gn_datagram *datagram, int64_t now);

#endif
