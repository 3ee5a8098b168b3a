/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole IPv4 packet with TCP, UDP or ICMP echo in it, checksums included (RFC 791, 9293, 768, 792, 1071).
 */
#ifndef SIM_IP_PACKET_H
#define SIM_IP_PACKET_H

#include "dataplane/wire/ipv4.h"
#include "sim/tcp_header.h"

enum {
    IP_PACKET_PROTO_ICMP = 1,
    IP_PACKET_ECHO_OCTETS = 8,
    IP_PACKET_MAX_OCTETS = 1500, /* the MTU of Ethernet; SNDCP carries at least this */
    IP_PACKET_TTL = 64,
};

struct ip_packet_echo {
    bool is_reply;
    uint16_t id, seq;
};

struct ip_packet {
    struct ipv4 ip; /* proto selects one of the headers below */
    struct tcp_header tcp;
    struct udp udp;
    struct ip_packet_echo echo;
    const uint8_t *payload; /* after that header; not owned. NULL to the encoder: zeros */
    uint16_t payload_octets;
};

/*
 * Decodes a packet; out->payload points into bytes. Returns the packet's octets without padding.
 * ERR_CHECKSUM: a checksum is wrong; ERR_UNSUPPORTED: a fragment, another protocol, or ICMP other than echo;
 * else errors of the header codecs.
 */
int ip_packet_decode(struct ip_packet *out, const uint8_t *bytes, size_t len);

/*
 * Encodes a packet from ip.src, dst, id, tos, ttl (0: IP_PACKET_TTL), dont_fragment and proto; computes
 * lengths and checksums. Returns the packet's octets; ERR_NO_SPACE, ERR_RANGE; ERR_UNSUPPORTED: another
 * protocol.
 */
int ip_packet_encode(uint8_t *bytes, size_t cap, const struct ip_packet *in);

#endif
