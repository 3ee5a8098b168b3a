/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outer IPv6 on Gn: from frame to UDP payload. The only extension header accepted is one fragment header
 * between IPv6 and UDP; a GGSN has no reason to send others, and any sender could choose how long the worker
 * follows them. UDP without a checksum is not accepted (RFC 8200 clause 8.1; TS 29.281 requires no exception
 * by RFC 6935).
 *
 * Not here: neighbour discovery, which is control's.
 */
#ifndef DATAPLANE_WORKER_GN_IPV6_H
#define DATAPLANE_WORKER_GN_IPV6_H

#include "dataplane/worker/gn_tx.h"

#include <stdint.h>

/*
 * Unwraps a frame whose IPv6 header is at mbuf->l2_len. Returns the UDP payload in *mbuf, which is another
 * buffer when the frame completed a datagram. NULL: the frame was kept, or dropped and counted.
 */
uint8_t *gn_ipv6_unwrap(struct worker *w, struct rte_mbuf **mbuf, struct gn_datagram *datagram, int64_t now);

#endif
