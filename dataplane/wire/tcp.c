/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/tcp.h"

#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

enum { OPTION_END = 0, OPTION_NOP = 1, OPTION_MSS = 2, OPTION_SCALE = 3, OPTION_SACK = 5 };
enum { OPTION_TIMESTAMPS = 8, OPTION_MD5 = 19, OPTION_AO = 29 };

/* Octets of the segment, from *offset on; 0: no TCP. */
static size_t find_ipv4(const uint8_t *packet, size_t len, int *offset)
{
    struct ipv4 ip;
    *offset = ipv4_decode(&ip, packet, len);
    return *offset >= 0 && ip.proto == IPV4_PROTO_TCP && !ipv4_is_fragment(&ip) ? ip.payload_octets : 0;
}

static size_t find_ipv6(const uint8_t *packet, size_t len, int *offset)
{
    struct ipv6 ip;
    *offset = ipv6_decode(&ip, packet, len);
    return *offset >= 0 && ip.next_header == IPV4_PROTO_TCP ? ip.payload_octets : 0;
}

bool tcp_decode(struct tcp *out, const uint8_t *packet, size_t len)
{
    int offset = 0;
    size_t octets =
        len > 0 && packet[0] >> 4 == 4 ? find_ipv4(packet, len, &offset) : find_ipv6(packet, len, &offset);
    if (octets < TCP_OCTETS)
        return false;
    const uint8_t *bytes = packet + offset;
    size_t header_octets = 4U * (bytes[12] >> 4);
    if (header_octets < TCP_OCTETS || header_octets > octets)
        return false;
    *out = (struct tcp){
        .offset = (uint16_t)offset,
        .data_octets = (uint16_t)(octets - header_octets),
        .src_port = bytes_get_u16(bytes),
        .dst_port = bytes_get_u16(bytes + 2),
        .seq = bytes_get_u32(bytes + 4),
        .ack = bytes_get_u32(bytes + 8),
        .window = bytes_get_u16(bytes + TCP_WINDOW_AT),
        .flags = bytes[13],
    };
    return true;
}

#define MOST_EXTENSIONS 8
#define PORTS_OCTETS    4

/* Where TCP begins; 0: nowhere. */
static size_t skip_ipv4(const uint8_t *packet, size_t len)
{
    struct ipv4 ip;
    int offset = ipv4_decode(&ip, packet, len);
    return offset > 0 && ip.proto == IPV4_PROTO_TCP && ip.fragment_offset_octets == 0 ? (size_t)offset : 0;
}

/* Octets of an extension header; 0: it ends the search. */
static size_t extension_octets(uint8_t type, const uint8_t *header, size_t len)
{
    struct ipv6_fragment fragment;
    if (type == IPV6_FRAGMENT)
        return ipv6_fragment_decode(&fragment, header, len) > 0 && fragment.offset_octets == 0
                   ? IPV6_FRAGMENT_OCTETS
                   : 0;
    bool can_skip = type == IPV6_HOP_BY_HOP || type == IPV6_ROUTING || type == IPV6_DESTINATION;
    return can_skip && len >= 2 ? 8 * (header[1] + (size_t)1) : 0;
}

static size_t skip_ipv6(const uint8_t *packet, size_t len)
{
    struct ipv6 ip;
    int offset = ipv6_decode(&ip, packet, len);
    if (offset < 0)
        return 0;
    size_t at = (size_t)offset;
    uint8_t type = ip.next_header;
    for (unsigned i = 0; i < MOST_EXTENSIONS && type != IPV4_PROTO_TCP && at < len; i++) {
        size_t octets = extension_octets(type, packet + at, len - at);
        if (octets == 0)
            return 0;
        type = packet[at];
        at += octets;
    }
    return type == IPV4_PROTO_TCP ? at : 0;
}

bool tcp_find(struct tcp *out, const uint8_t *packet, size_t len)
{
    size_t at = len > 0 && packet[0] >> 4 == 4 ? skip_ipv4(packet, len) : skip_ipv6(packet, len);
    if (at == 0 || at + PORTS_OCTETS > len)
        return false;
    *out = (struct tcp){.offset = (uint16_t)at,
                        .src_port = bytes_get_u16(packet + at),
                        .dst_port = bytes_get_u16(packet + at + 2)};
    return true;
}

static void read_option(struct tcp_options *out, const uint8_t *option)
{
    out->has_sack |= option[0] == OPTION_SACK;
    out->has_timestamps |= option[0] == OPTION_TIMESTAMPS;
    out->is_signed |= option[0] == OPTION_MD5 || option[0] == OPTION_AO;
    if (option[0] == OPTION_MSS && option[1] == 4)
        out->mss = bytes_get_u16(option + 2);
    if (option[0] == OPTION_SCALE && option[1] == 3) {
        out->has_scale = true;
        out->scale = option[2] < TCP_MAX_SCALE ? option[2] : TCP_MAX_SCALE;
    }
}

void tcp_options_decode(struct tcp_options *out, const uint8_t *packet, const struct tcp *tcp)
{
    const uint8_t *bytes = packet + tcp->offset;
    size_t end = 4U * (bytes[12] >> 4), at = TCP_OCTETS;
    *out = (struct tcp_options){0};
    while (at < end && bytes[at] != OPTION_END) {
        if (bytes[at] == OPTION_NOP) {
            at++;
            continue;
        }
        if (at + 2 > end || bytes[at + 1] < 2 || at + bytes[at + 1] > end)
            return;
        read_option(out, bytes + at);
        at += bytes[at + 1];
    }
}

void tcp_put_window(uint8_t *packet, const struct tcp *tcp, uint16_t window)
{
    uint8_t *bytes = packet + tcp->offset;
    uint32_t more = (uint16_t)~bytes_get_u16(bytes + TCP_WINDOW_AT) + (uint32_t)window;
    uint16_t checksum = ipv4_checksum_add(bytes_get_u16(bytes + TCP_CHECKSUM_AT), more);
    bytes_put_u16(bytes + TCP_WINDOW_AT, window);
    bytes_put_u16(bytes + TCP_CHECKSUM_AT, checksum);
}
