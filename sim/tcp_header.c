/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_header.h"

#include "dataplane/base/bytes.h"

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

enum {
    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_WINDOW_SCALE = 3,
    OPTION_SACK_PERMITTED = 4,
    OPTION_SACK = 5,
    OPTION_TIMESTAMPS = 8,
    MAX_OPTIONS_OCTETS = TCP_HEADER_MAX_OCTETS - TCP_HEADER_OCTETS,
    MAX_WINDOW_SCALE = 14,
};

static int decode_sacks(struct tcp_header *out, const uint8_t *body, unsigned octets)
{
    if (octets % 8 || octets == 0)
        return ERR_MALFORMED;
    out->sacks = (uint8_t)(octets / 8);
    for (unsigned i = 0; i < out->sacks; i++)
        out->sack[i] = (struct tcp_header_sack){
            .start = bytes_get_u32(body + (size_t)8 * i),
            .end = bytes_get_u32(body + (size_t)8 * i + 4),
        };
    return 0;
}

/* Decodes one option with `octets` after its kind and length. */
static int decode_option(struct tcp_header *out, uint8_t kind, const uint8_t *body, unsigned octets)
{
    static const struct {
        uint8_t kind, octets;
    } fixed[] = {
        {OPTION_MSS, 2}, {OPTION_WINDOW_SCALE, 1}, {OPTION_SACK_PERMITTED, 0}, {OPTION_TIMESTAMPS, 8}};
    for (unsigned i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        if (kind == fixed[i].kind && octets != fixed[i].octets)
            return ERR_MALFORMED;
    switch (kind) {
    case OPTION_MSS:
        out->has_mss = true;
        out->mss = bytes_get_u16(body);
        break;
    case OPTION_WINDOW_SCALE:
        out->has_window_scale = true;
        out->window_scale = body[0] > MAX_WINDOW_SCALE ? MAX_WINDOW_SCALE : body[0];
        break;
    case OPTION_SACK_PERMITTED:
        out->sack_permitted = true;
        break;
    case OPTION_TIMESTAMPS:
        out->has_timestamps = true;
        out->ts_value = bytes_get_u32(body);
        out->ts_echo = bytes_get_u32(body + 4);
        break;
    case OPTION_SACK:
        return decode_sacks(out, body, octets);
    }
    return 0;
}

static int decode_options(struct tcp_header *out, const uint8_t *bytes, unsigned octets)
{
    for (unsigned i = 0; i < octets && bytes[i] != OPTION_END;) {
        if (bytes[i] == OPTION_NOP) {
            i++;
            continue;
        }
        if (octets - i < 2 || bytes[i + 1] < 2 || bytes[i + 1] > octets - i)
            return ERR_MALFORMED;
        int error = decode_option(out, bytes[i], bytes + i + 2, bytes[i + 1] - 2u);
        if (error < 0)
            return error;
        i += bytes[i + 1];
    }
    return 0;
}

int tcp_header_decode(struct tcp_header *out, const uint8_t *bytes, size_t len)
{
    if (len < TCP_HEADER_OCTETS)
        return ERR_TRUNCATED;
    unsigned octets = bytes[12] >> 4 << 2;
    if (octets < TCP_HEADER_OCTETS)
        return ERR_MALFORMED;
    if (octets > len)
        return ERR_TRUNCATED;
    *out = (struct tcp_header){
        .src_port = bytes_get_u16(bytes),
        .dst_port = bytes_get_u16(bytes + 2),
        .seq = bytes_get_u32(bytes + 4),
        .ack = bytes_get_u32(bytes + 8),
        .flags = bytes[13],
        .window = bytes_get_u16(bytes + 14),
        .checksum = bytes_get_u16(bytes + 16),
    };
    int error = decode_options(out, bytes + TCP_HEADER_OCTETS, octets - TCP_HEADER_OCTETS);
    return error < 0 ? error : (int)octets;
}

/* Octets of the options, padded; may exceed MAX_OPTIONS_OCTETS. */
static unsigned options_octets(const struct tcp_header *in)
{
    unsigned octets = in->has_mss ? 4 : 0;
    octets += in->has_window_scale ? 4 : 0;
    octets += in->sack_permitted ? 4 : 0;
    octets += in->has_timestamps ? 12 : 0;
    return octets + (in->sacks ? 4 + 8u * in->sacks : 0);
}

int tcp_header_octets(const struct tcp_header *in)
{
    return (int)(TCP_HEADER_OCTETS + options_octets(in));
}

/* Writes NOPs for alignment, kind and length; returns where the body starts. */
static uint8_t *put_option(uint8_t *p, unsigned nops, uint8_t kind, unsigned body_octets)
{
    memset(p, OPTION_NOP, nops);
    p[nops] = kind;
    p[nops + 1] = (uint8_t)(2 + body_octets);
    return p + nops + 2;
}

static void encode_options(uint8_t *p, const struct tcp_header *in)
{
    if (in->has_mss) {
        p = put_option(p, 0, OPTION_MSS, 2);
        bytes_put_u16(p, in->mss);
        p += 2;
    }
    if (in->has_window_scale) {
        p = put_option(p, 1, OPTION_WINDOW_SCALE, 1);
        *p++ = in->window_scale;
    }
    if (in->sack_permitted)
        p = put_option(p, 2, OPTION_SACK_PERMITTED, 0);
    if (in->has_timestamps) {
        p = put_option(p, 2, OPTION_TIMESTAMPS, 8);
        bytes_put_u32(p, in->ts_value);
        bytes_put_u32(p + 4, in->ts_echo);
        p += 8;
    }
    if (in->sacks)
        p = put_option(p, 2, OPTION_SACK, 8u * in->sacks);
    for (unsigned i = 0; i < in->sacks; i++, p += 8) {
        bytes_put_u32(p, in->sack[i].start);
        bytes_put_u32(p + 4, in->sack[i].end);
    }
}

int tcp_header_encode(uint8_t *bytes, size_t cap, const struct tcp_header *in)
{
    unsigned options = options_octets(in);
    if (options > MAX_OPTIONS_OCTETS || in->sacks > TCP_HEADER_MAX_SACKS)
        return ERR_RANGE;
    if (cap < TCP_HEADER_OCTETS + options)
        return ERR_NO_SPACE;
    bytes_put_u16(bytes, in->src_port);
    bytes_put_u16(bytes + 2, in->dst_port);
    bytes_put_u32(bytes + 4, in->seq);
    bytes_put_u32(bytes + 8, in->ack);
    bytes[12] = (uint8_t)((TCP_HEADER_OCTETS + options) << 2);
    bytes[13] = in->flags;
    bytes_put_u16(bytes + 14, in->window);
    bytes_put_u16(bytes + 16, in->checksum);
    bytes_put_u16(bytes + 18, 0);
    encode_options(bytes + TCP_HEADER_OCTETS, in);
    return (int)(TCP_HEADER_OCTETS + options);
}
