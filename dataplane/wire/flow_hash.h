/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash of an IP packet's addresses, protocol and ports, the same for all packets of a connection in one
 * direction.
 *
 * Fragments are hashed without ports, which only the first one has, so that those of one packet stay
 * together. Ports are those of TCP and UDP. IPv6 extension headers before them are skipped.
 */
#ifndef DATAPLANE_WIRE_FLOW_HASH_H
#define DATAPLANE_WIRE_FLOW_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * All 32 bits are equally good, and depend on the salt. Equal salts give equal hashes on every machine.
 * Reads no octet behind len; octets that are no complete IP packet have a hash, too.
 */
uint32_t flow_hash_of(uint64_t salt, const uint8_t *bytes, size_t len);

#endif
