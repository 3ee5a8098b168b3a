/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/ip_packet.h"

#include <string.h>

enum { ECHO_REPLY = 0, ECHO_REQUEST = 8, UDP_CHECKSUM_AT = 6, TCP_CHECKSUM_AT = 16, ICMP_CHECKSUM_AT = 2 };

/* Checksum of a TCP segment or UDP datagram with the addresses of its IP header: 0 if the checksum in it is
   right. */
static uint16_t transport_checksum(const uint8_t *ip, const uint8_t *bytes, size_t octets)
{
    uint8_t pseudo[12 + 2] = {0};
    memcpy(pseudo, ip + 12, 8);
    pseudo[9] = ip[9];
    bytes_put_u16(pseudo + 10, (uint16_t)octets);
    /* The segment goes in as the sum of its words: the complement of its own checksum. */
    bytes_put_u16(pseudo + 12, (uint16_t)~ipv4_checksum(bytes, octets));
    return ipv4_checksum(pseudo, sizeof(pseudo));
}

static int decode_echo(struct ip_packet *out, const uint8_t *bytes, size_t len)
{
    if (len < IP_PACKET_ECHO_OCTETS)
        return ERR_TRUNCATED;
    if ((bytes[0] != ECHO_REPLY && bytes[0] != ECHO_REQUEST) || bytes[1] != 0)
        return ERR_UNSUPPORTED;
    if (ipv4_checksum(bytes, len) != 0)
        return ERR_CHECKSUM;
    out->echo = (struct ip_packet_echo){
        .is_reply = bytes[0] == ECHO_REPLY,
        .id = bytes_get_u16(bytes + 4),
        .seq = bytes_get_u16(bytes + 6),
    };
    return IP_PACKET_ECHO_OCTETS;
}

/* Returns the octets of the transport header; *octets becomes those of header and payload. */
static int decode_transport(struct ip_packet *out, const uint8_t *ip, const uint8_t *bytes, size_t *octets)
{
    int header = ERR_UNSUPPORTED;
    if (out->ip.proto == IP_PACKET_PROTO_ICMP)
        return decode_echo(out, bytes, *octets);
    if (out->ip.proto == IPV4_PROTO_TCP)
        header = tcp_header_decode(&out->tcp, bytes, *octets);
    else if (out->ip.proto == IPV4_PROTO_UDP)
        header = udp_decode(&out->udp, bytes, *octets);
    if (header < 0)
        return header;
    bool is_udp = out->ip.proto == IPV4_PROTO_UDP;
    if (is_udp)
        *octets = UDP_OCTETS + (size_t)out->udp.payload_octets;
    bool has_none = is_udp && out->udp.checksum == 0;
    if (!has_none && transport_checksum(ip, bytes, *octets) != 0)
        return ERR_CHECKSUM;
    return header;
}

int ip_packet_decode(struct ip_packet *out, const uint8_t *bytes, size_t len)
{
    *out = (struct ip_packet){0};
    int at = ipv4_decode(&out->ip, bytes, len);
    if (at < 0)
        return at;
    if (!ipv4_is_checksum_good(bytes, (size_t)at))
        return ERR_CHECKSUM;
    if (ipv4_is_fragment(&out->ip))
        return ERR_UNSUPPORTED;
    size_t octets = out->ip.payload_octets;
    int header = decode_transport(out, bytes, bytes + at, &octets);
    if (header < 0)
        return header;
    out->payload = bytes + at + header;
    out->payload_octets = (uint16_t)(octets - (size_t)header);
    return at + out->ip.payload_octets;
}

static int encode_echo(uint8_t *bytes, size_t cap, const struct ip_packet_echo *in)
{
    if (cap < IP_PACKET_ECHO_OCTETS)
        return ERR_NO_SPACE;
    bytes_put_u16(bytes, in->is_reply ? ECHO_REPLY << 8 : ECHO_REQUEST << 8);
    bytes_put_u16(bytes + ICMP_CHECKSUM_AT, 0);
    bytes_put_u16(bytes + 4, in->id);
    bytes_put_u16(bytes + 6, in->seq);
    return IP_PACKET_ECHO_OCTETS;
}

/* Writes the transport header with checksum 0. */
static int encode_transport(uint8_t *bytes, size_t cap, const struct ip_packet *in)
{
    struct tcp_header tcp = in->tcp;
    struct udp udp = in->udp;
    switch (in->ip.proto) {
    case IPV4_PROTO_TCP:
        tcp.checksum = 0;
        return tcp_header_encode(bytes, cap, &tcp);
    case IPV4_PROTO_UDP:
        udp.checksum = 0;
        udp.payload_octets = in->payload_octets;
        return udp_encode(bytes, cap, &udp);
    case IP_PACKET_PROTO_ICMP:
        return encode_echo(bytes, cap, &in->echo);
    }
    return ERR_UNSUPPORTED;
}

static void put_checksum(uint8_t *ip, size_t octets)
{
    uint8_t *bytes = ip + IPV4_OCTETS;
    uint16_t sum;
    switch (ip[9]) {
    case IPV4_PROTO_TCP:
        bytes_put_u16(bytes + TCP_CHECKSUM_AT, transport_checksum(ip, bytes, octets));
        break;
    case IPV4_PROTO_UDP:
        /* 0 would mean no checksum (RFC 768). */
        sum = transport_checksum(ip, bytes, octets);
        bytes_put_u16(bytes + UDP_CHECKSUM_AT, sum ? sum : 0xffff);
        break;
    case IP_PACKET_PROTO_ICMP:
        bytes_put_u16(bytes + ICMP_CHECKSUM_AT, ipv4_checksum(bytes, octets));
        break;
    }
}

int ip_packet_encode(uint8_t *bytes, size_t cap, const struct ip_packet *in)
{
    if (cap < IPV4_OCTETS)
        return ERR_NO_SPACE;
    uint8_t *transport = bytes + IPV4_OCTETS;
    int header = encode_transport(transport, cap - IPV4_OCTETS, in);
    if (header < 0)
        return header;
    size_t octets = (size_t)header + in->payload_octets;
    if (octets > 65535 - IPV4_OCTETS)
        return ERR_RANGE;
    if (octets > cap - IPV4_OCTETS)
        return ERR_NO_SPACE;
    struct ipv4 ip = in->ip;
    ip.payload_octets = (uint16_t)octets;
    ip.ttl = ip.ttl ? ip.ttl : IP_PACKET_TTL;
    ip.fragment_offset_octets = 0;
    ip.more_fragments = false;
    ipv4_encode(bytes, cap, &ip);
    if (in->payload)
        memcpy(transport + header, in->payload, in->payload_octets);
    else
        memset(transport + header, 0, in->payload_octets);
    put_checksum(bytes, octets);
    return (int)(IPV4_OCTETS + octets);
}
