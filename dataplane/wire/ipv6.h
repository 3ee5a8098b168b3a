/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv6 header and fragment header (RFC 8200 clauses 3 and 4.5). Other extension headers are the caller's. */
#ifndef DATAPLANE_WIRE_IPV6_H
#define DATAPLANE_WIRE_IPV6_H

#include "dataplane/base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IPV6_OCTETS = 40,
    IPV6_FRAGMENT_OCTETS = 8,
    IPV6_ADDRESS_OCTETS = 16,
    IPV6_MIN_MTU_OCTETS = 1280,

    IPV6_HOP_BY_HOP = 0, /* next headers */
    IPV6_ROUTING = 43,
    IPV6_FRAGMENT = 44,
    IPV6_ESP = 50,
    IPV6_AUTHENTICATION = 51,
    IPV6_ICMP = 58,
    IPV6_DESTINATION = 60,
    IPV6_MOBILITY = 135,
    IPV6_HIP = 139,
    IPV6_SHIM6 = 140,
};

struct ipv6 {
    const uint8_t *src, *dst; /* 16 octets each: inside the decoded octets; the caller's when encoding */
    uint32_t flow_label;
    uint16_t payload_octets; /* extension headers included */
    uint8_t traffic_class, next_header, hop_limit;
};

struct ipv6_fragment {
    uint32_t id;
    uint16_t offset_octets; /* a multiple of 8 */
    uint8_t next_header;
    bool more;
};

/*
 * Reads one header. Returns the payload's offset, 40; what follows payload_octets is padding. ERR_TRUNCATED:
 * len is below the header or the payload length; ERR_UNSUPPORTED: not version 6. A jumbogram (RFC 2675) shows
 * as a payload of 0 octets behind a hop-by-hop header.
 */
int ipv6_decode(struct ipv6 *out, const uint8_t *bytes, size_t len);

/* Writes one header. Returns 40; ERR_NO_SPACE; ERR_RANGE: a flow label above 20 bits. */
int ipv6_encode(uint8_t *bytes, size_t cap, const struct ipv6 *in);

/* Reads a fragment header; reserved bits are ignored. Returns 8, or ERR_TRUNCATED. */
int ipv6_fragment_decode(struct ipv6_fragment *out, const uint8_t *bytes, size_t len);

/* Returns 8; ERR_NO_SPACE; ERR_RANGE: an offset that is no multiple of 8. */
int ipv6_fragment_encode(uint8_t *bytes, size_t cap, const struct ipv6_fragment *in);

/* True for a next header that names an extension header or a protocol of IPsec, not one of transport. */
bool ipv6_is_extension(uint8_t next_header);

/*
 * Checksum of a transport segment between two addresses (RFC 8200 clause 8.1), ready for its field, which is
 * 0 in bytes; 0 over a segment whose checksum is right. UDP writes 0xffff where this is 0.
 */
uint16_t ipv6_checksum(const struct ipv6 *ip, uint8_t protocol, const uint8_t *bytes, size_t octets);

/* Neighbour Solicitation and Advertisement (RFC 4861 clauses 4.3, 4.4, 4.6.1), ICMPv6 messages without the IP
 * header. Their checksum is the caller's, and so is the hop limit, which has to be 255. */

enum {
    ND_OCTETS = 24,     /* without options */
    ND_MAX_OCTETS = 32, /* as encoded */
    ND_SOLICITATION = 135,
    ND_ADVERTISEMENT = 136,
};

struct nd {
    uint8_t type;
    uint8_t target[16];
    bool has_mac; /* the sender's in a solicitation, the target's in an advertisement */
    uint8_t mac[6];
    bool is_solicited, is_override; /* of an advertisement */
};

/*
 * Reads a whole message of len octets; other options than the MAC address are skipped. Returns len;
 * ERR_TRUNCATED; ERR_UNSUPPORTED: another type; ERR_MALFORMED: a code that is not 0, a target that is
 * multicast, or an option of no length or one that overruns the message.
 */
int nd_decode(struct nd *out, const uint8_t *bytes, size_t len);

/* Writes a message, its checksum 0. Returns 24 or 32, or ERR_NO_SPACE. */
int nd_encode(uint8_t *bytes, size_t cap, const struct nd *in);

#endif
