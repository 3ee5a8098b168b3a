/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Source ports of GTP-C requests. A response goes to the port that its request came from (TS 29.060 clause
 * 10.1.1), so a port that cannot be guessed proves, with the sequence number, that the sender of a response
 * has seen the request. The port is a keyed hash of the GGSN's address and the sequence number: each worker
 * can test a response without a table of the requests that are pending. Whether one is pending is control's
 * to know.
 *
 * A sender that does not see the requests finds port and number of one pending request with a probability of
 * 2^-31 for each datagram.
 */
#ifndef DATAPLANE_WIRE_GTPC_PORT_H
#define DATAPLANE_WIRE_GTPC_PORT_H

#include "dataplane/base/siphash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GTPC_PORT_FIRST 0x8000 /* of 32768 */

/* theirs: the GGSN's address (base/address.h). */
uint16_t gtpc_port_of(const struct siphash_key *key, uint32_t theirs, uint16_t seq);

/* Whether these octets from an address, received at a port, are a response to a request from this port. */
bool gtpc_port_is_right(const struct siphash_key *key, uint32_t theirs, uint16_t port, const uint8_t *bytes,
                        size_t octets);

#endif
