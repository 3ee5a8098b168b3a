/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which IP packets belong together: a hash of addresses, protocol and ports, the same for all packets of a
 * connection in one direction.
 *
 * A fragment counts without ports, as only the first one shows them, so that those of one packet stay
 * together. Ports are those of TCP and UDP. IPv6 extension headers before them are skipped.
 */
#ifndef DATAPLANE_WIRE_FLOW_HASH_H
#define DATAPLANE_WIRE_FLOW_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * All 32 bits are equally good, and others with another salt. Equal salts give equal hashes on every machine.
 * Reads what it needs, no octet behind len; what is no IP packet, or is cut off, has some hash, too.
 */
uint32_t flow_hash_of(uint64_t salt, const uint8_t *bytes, size_t len);

#endif
