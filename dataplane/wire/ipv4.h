/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv4 header (RFC 791): options are skipped, fragments are shown and left to the caller. */
#ifndef DATAPLANE_WIRE_IPV4_H
#define DATAPLANE_WIRE_IPV4_H

#include "dataplane/base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { IPV4_OCTETS = 20, IPV4_PROTO_TCP = 6, IPV4_PROTO_UDP = 17 };
enum { IPV4_ECN = 3 };           /* bits of the type of service, RFC 3168 */
enum { IPV4_FRAGMENT = 0x3fff }; /* bits beside DF: more fragments, and the offset */

/* header_octets + payload_octets = total length on the wire; header_octets is 20 for the encoder. */
struct ipv4 {
    uint32_t src, dst; /* host order */
    uint16_t id;
    uint16_t fragment_offset_octets;
    uint16_t payload_octets;
    uint8_t header_octets;
    uint8_t tos, ttl, proto;
    bool dont_fragment, more_fragments;
};

static inline bool ipv4_is_fragment(const struct ipv4 *ip)
{
    return ip->more_fragments || ip->fragment_offset_octets;
}

/*
 * Reads one header. Returns the payload's offset; payload_octets comes from the total length, so padding
 * behind the packet is cut. ERR_TRUNCATED: len is below the header or the total length; ERR_MALFORMED: header
 * length below 20 or above the total length; ERR_UNSUPPORTED: not version 4. The checksum is a check of its
 * own.
 */
static inline int ipv4_decode(struct ipv4 *out, const uint8_t *bytes, size_t len)
{
    if (len < IPV4_OCTETS)
        return ERR_TRUNCATED;
    if (bytes[0] >> 4 != 4)
        return ERR_UNSUPPORTED;
    unsigned header_octets = 4 * (bytes[0] & 15), total_octets = bytes_get_u16(bytes + 2);
    if (header_octets < IPV4_OCTETS || header_octets > total_octets)
        return ERR_MALFORMED;
    if (total_octets > len)
        return ERR_TRUNCATED;
    unsigned fragment = bytes_get_u16(bytes + 6);
    *out = (struct ipv4){
        .src = bytes_get_u32(bytes + 12),
        .dst = bytes_get_u32(bytes + 16),
        .id = bytes_get_u16(bytes + 4),
        .fragment_offset_octets = (uint16_t)(fragment << 3),
        .payload_octets = (uint16_t)(total_octets - header_octets),
        .header_octets = (uint8_t)header_octets,
        .tos = bytes[1],
        .ttl = bytes[8],
        .proto = bytes[9],
        .dont_fragment = fragment >> 14 & 1,
        .more_fragments = fragment >> 13 & 1,
    };
    return (int)header_octets;
}

/*
 * Writes a header of 20 octets with its checksum. Returns 20; ERR_NO_SPACE; ERR_RANGE: total length above
 * 65535, or a fragment offset that is no multiple of 8.
 */
int ipv4_encode(uint8_t *bytes, size_t cap, const struct ipv4 *in);

/* Internet checksum (RFC 1071) over octets, ready for its field; 0 over a header whose checksum is right. */
uint16_t ipv4_checksum(const uint8_t *bytes, size_t octets);

/*
 * The checksum of a header whose 16-bit words have grown by `more` together since `checksum` was right
 * (RFC 1624): what a template costs instead of a sum.
 */
static inline uint16_t ipv4_checksum_add(uint16_t checksum, uint32_t more)
{
    uint32_t sum = (uint16_t)~checksum + more;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* True if the header of header_octets (as ipv4_decode() returned it) carries the right checksum. Nearly all
 * have no options: of those the words add up to a multiple of 2^16 - 1, in any order of octets (RFC 1071
 * clause 2). */
static inline bool ipv4_is_checksum_good(const uint8_t *bytes, size_t header_octets)
{
    uint32_t words[IPV4_OCTETS / 4];
    if (header_octets != IPV4_OCTETS)
        return ipv4_checksum(bytes, header_octets) == 0;
    memcpy(words, bytes, sizeof(words));
    uint64_t sum = (uint64_t)words[0] + words[1] + words[2] + words[3] + words[4];
    return sum > 0 && sum % 0xffff == 0;
}

/* UDP header (RFC 768). The checksum is carried, not computed: 0 means none, which IPv4 allows. */

enum { UDP_OCTETS = 8, UDP_MAX_PAYLOAD_OCTETS = 65535 - UDP_OCTETS };

struct udp {
    uint16_t src_port, dst_port;
    uint16_t checksum;
    uint16_t payload_octets;
};

/*
 * Reads one header. Returns the payload's offset, 8; octets behind the UDP length are cut. ERR_TRUNCATED: len
 * is below 8 or the UDP length; ERR_MALFORMED: a UDP length below 8.
 */
static inline int udp_decode(struct udp *out, const uint8_t *bytes, size_t len)
{
    if (len < UDP_OCTETS)
        return ERR_TRUNCATED;
    unsigned octets = bytes_get_u16(bytes + 4);
    if (octets < UDP_OCTETS)
        return ERR_MALFORMED;
    if (octets > len)
        return ERR_TRUNCATED;
    *out = (struct udp){
        .src_port = bytes_get_u16(bytes),
        .dst_port = bytes_get_u16(bytes + 2),
        .checksum = bytes_get_u16(bytes + 6),
        .payload_octets = (uint16_t)(octets - UDP_OCTETS),
    };
    return UDP_OCTETS;
}

/* Writes the header for payload_octets. Returns 8; ERR_NO_SPACE; ERR_RANGE: payload above 65527 octets. */
int udp_encode(uint8_t *bytes, size_t cap, const struct udp *in);

/* ICMP (RFC 792): Echo and Echo Reply, without the IP header. */

enum { ICMP_ECHO_OCTETS = 8, ICMP_ECHO_REPLY = 0, ICMP_ECHO = 8 };

struct icmp_echo {
    uint8_t type; /* ICMP_ECHO or ICMP_ECHO_REPLY */
    uint16_t id, seq;
    const uint8_t *data; /* in the message */
    size_t data_octets;
};

/*
 * Reads a whole message of len octets. Returns len; ERR_TRUNCATED: below 8 octets; ERR_CHECKSUM;
 * ERR_UNSUPPORTED: another type, or a code that is not 0.
 */
int icmp_echo_decode(struct icmp_echo *out, const uint8_t *bytes, size_t len);

/* Writes a message with its checksum; data does not overlap it. Returns its octets, or ERR_NO_SPACE. */
int icmp_echo_encode(uint8_t *bytes, size_t cap, const struct icmp_echo *in);

#endif
