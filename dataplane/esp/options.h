/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options before ESP: the extension headers of IPv6 that may stand before it or before a fragment header (RFC
 * 8200 clause 4.1), hop-by-hop and destination options, and a routing header without segments left. None of
 * their options concerns the node, so they are skipped as clause 4.2 says.
 */
#ifndef DATAPLANE_ESP_OPTIONS_H
#define DATAPLANE_ESP_OPTIONS_H

#include "dataplane/wire/ipv6.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_MAX_OCTETS 256 /* of all headers: a sender does not choose how long the worker reads */

struct rte_mbuf;

static inline bool options_is_one(uint8_t next_header)
{
    return next_header == IPV6_HOP_BY_HOP || next_header == IPV6_DESTINATION || next_header == IPV6_ROUTING;
}

/*
 * Reads them in an IPv6 packet. Returns the offset of the first header that is not one of them, and its
 * number; -1: they are longer than the packet or OPTIONS_MAX_OCTETS, or one of them forbids to skip it.
 */
int options_end(const uint8_t *ip, size_t octets, uint8_t *next_header);

/* Takes them out of an Ethernet frame, as if the sender had left them out; `end` as options_end() says. */
void options_remove(struct rte_mbuf *frame, unsigned end, uint8_t next_header);

#endif
