/* SPDX-License-Identifier: BSD-3-Clause */
/* TCP header (RFC 9293) with the options MSS, window scale, timestamps (RFC 7323) and SACK (RFC 2018). */
#ifndef SIM_TCP_HEADER_H
#define SIM_TCP_HEADER_H

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ipv4.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TCP_HEADER_OCTETS = 20,
    TCP_HEADER_MAX_OCTETS = 60,
    TCP_HEADER_MAX_SACKS = 4, /* 3 beside timestamps */
};

enum {
    TCP_FIN = 0x01,
    TCP_SYN = 0x02,
    TCP_RST = 0x04,
    TCP_PSH = 0x08,
    TCP_ACK = 0x10,
    TCP_URG = 0x20,
    TCP_ECE = 0x40,
    TCP_CWR = 0x80,
};

struct tcp_header_sack {
    uint32_t start, end; /* end is the octet after the block */
};

struct tcp_header {
    uint16_t src_port, dst_port;
    uint32_t seq, ack;
    uint32_t ts_value, ts_echo;
    uint16_t window; /* as on the wire, not scaled */
    uint16_t checksum;
    uint16_t mss;
    uint8_t flags;
    uint8_t window_scale;
    uint8_t sacks;
    bool has_mss, has_window_scale, has_timestamps, sack_permitted;
    struct tcp_header_sack sack[TCP_HEADER_MAX_SACKS];
};

/*
 * Decodes one header. Returns the payload's offset. Unknown options are skipped. ERR_TRUNCATED: len is below
 * the header's own length; ERR_MALFORMED: data offset below 5, or an option that does not fit its length or
 * the header.
 */
int tcp_header_decode(struct tcp_header *out, const uint8_t *bytes, size_t len);

/*
 * Encodes the header with in->checksum as given. Returns its octets, a multiple of 4; ERR_NO_SPACE: cap;
 * ERR_RANGE: the options do not fit 40 octets.
 */
int tcp_header_encode(uint8_t *bytes, size_t cap, const struct tcp_header *in);

/* Octets that tcp_header_encode() will write, options and padding included. */
int tcp_header_octets(const struct tcp_header *in);

/* A whole IPv4 packet with TCP, UDP or ICMP echo in it, checksums included (RFC 791, 9293, 768, 792, 1071).
 */

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
