/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hash: words are folded in by multiplying 64 by 64 bits and adding both halves of the product without
 * carry: each bit of both factors reaches most bits of the result. Not a cipher: with the salt collisions can
 * be found.
 */
#include "dataplane/wire/flow_hash.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ipv4.h"

#include <stdbool.h>

#define IPV6_OCTETS      40
#define MAX_EXTENSIONS   8
#define FIRST_FACTOR     UINT64_C(0x8b51f9dd58afd1c5)
#define SECOND_FACTOR    UINT64_C(0xd6e8feb86659fd93)
#define IPV6_FRAGMENT    0xfff9 /* the offset, and more fragments */
#define FRAGMENT_OCTETS  8
#define AUTH_WORD_OCTETS 4

enum {
    PROTO_HOP_BY_HOP = 0,
    PROTO_ROUTING = 43,
    PROTO_FRAGMENT = 44,
    PROTO_AUTH = 51,
    PROTO_DESTINATION = 60,
};

__extension__ typedef unsigned __int128 wide;

static uint64_t fold(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Protocol, and both ports if the packet has them at this offset; then the upper half is 0 only for ports 0.
 * */
static uint64_t transport(uint8_t proto, bool is_whole, const uint8_t *bytes, size_t len, size_t offset)
{
    uint64_t ports = 0;
    if (is_whole && (proto == IPV4_PROTO_TCP || proto == IPV4_PROTO_UDP) && offset + 4 <= len)
        ports = bytes_get_u32(bytes + offset);
    return ports << 32 | proto;
}

static uint32_t flow_hash_finish(uint64_t hash, uint64_t last, uint64_t salt)
{
    return (uint32_t)(fold(fold(hash ^ SECOND_FACTOR, last ^ FIRST_FACTOR) ^ salt, SECOND_FACTOR) >> 32);
}

static uint32_t of_ipv4(uint64_t salt, const uint8_t *bytes, size_t len)
{
    size_t header_octets = (size_t)4 * (bytes[0] & 15);
    bool is_whole = (bytes_get_u16(bytes + 6) & IPV4_FRAGMENT) == 0;
    uint64_t addresses = (uint64_t)bytes_get_u32(bytes + 12) << 32 | bytes_get_u32(bytes + 16);
    return flow_hash_finish(addresses ^ salt, transport(bytes[9], is_whole, bytes, len, header_octets), salt);
}

/* Octets of an extension header whose first two are present, 0: it cannot be skipped. */
static size_t extension_octets(uint8_t proto, const uint8_t *header)
{
    switch (proto) {
    case PROTO_HOP_BY_HOP:
    case PROTO_ROUTING:
    case PROTO_DESTINATION:
        return (size_t)8 * (header[1] + 1U);
    case PROTO_AUTH:
        return (size_t)AUTH_WORD_OCTETS * (header[1] + 2U);
    default:
        return 0;
    }
}

static uint64_t ipv6_transport(const uint8_t *bytes, size_t len)
{
    uint8_t proto = bytes[6];
    size_t offset = IPV6_OCTETS, octets = 0;
    for (unsigned i = 0; i < MAX_EXTENSIONS && offset + FRAGMENT_OCTETS <= len; i++, offset += octets) {
        if (proto == PROTO_FRAGMENT && bytes_get_u16(bytes + offset + 2) & IPV6_FRAGMENT)
            return transport(bytes[offset], false, bytes, len, offset);
        octets = proto == PROTO_FRAGMENT ? FRAGMENT_OCTETS : extension_octets(proto, bytes + offset);
        if (octets == 0)
            break;
        proto = bytes[offset];
    }
    return transport(proto, true, bytes, len, offset);
}

static uint64_t u64(const uint8_t *bytes)
{
    return (uint64_t)bytes_get_u32(bytes) << 32 | bytes_get_u32(bytes + 4);
}

static uint32_t of_ipv6(uint64_t salt, const uint8_t *bytes, size_t len)
{
    uint64_t source = fold(u64(bytes + 8) ^ salt, u64(bytes + 16) ^ FIRST_FACTOR);
    uint64_t destination = fold(u64(bytes + 24) ^ source, u64(bytes + 32) ^ SECOND_FACTOR);
    return flow_hash_finish(destination, ipv6_transport(bytes, len), salt);
}

uint32_t flow_hash_of(uint64_t salt, const uint8_t *bytes, size_t len)
{
    unsigned version = len > 0 ? bytes[0] >> 4 : 0;
    if (version == 4 && len >= IPV4_OCTETS)
        return of_ipv4(salt, bytes, len);
    if (version == 6 && len >= IPV6_OCTETS)
        return of_ipv6(salt, bytes, len);
    return flow_hash_finish(salt, version, salt);
}
