/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_packet.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { END = 0, NO_OPERATION = 1, WINDOW_SCALE = 3, SACK_PERMITTED = 4, SACK = 5, TIMESTAMP = 8 };

static void read_sacks(struct gi_options *out, const uint8_t *bytes, size_t octets)
{
    for (size_t at = 2; at + 8 <= octets && out->sacks < GI_OPTIONS_SACKS; at += 8) {
        out->sack_left[out->sacks] = bytes_get_u32(bytes + at);
        out->sack_right[out->sacks++] = bytes_get_u32(bytes + at + 4);
    }
}

static void read_timestamp(struct gi_options *out, const uint8_t *bytes, size_t octets)
{
    if (octets != 10)
        return;
    out->has_timestamp = true;
    out->ts_value = bytes_get_u32(bytes + 2);
    out->ts_echo = bytes_get_u32(bytes + 6);
}

static void read_one(struct gi_options *out, const uint8_t *bytes, size_t octets)
{
    switch (bytes[0]) {
    case WINDOW_SCALE:
        if (octets == 3)
            out->window_scale = bytes[2] < GI_OPTIONS_MOST_SCALE ? bytes[2] : GI_OPTIONS_MOST_SCALE;
        break;
    case SACK_PERMITTED:
        out->has_sack_permitted = true;
        break;
    case SACK:
        read_sacks(out, bytes, octets);
        break;
    case TIMESTAMP:
        read_timestamp(out, bytes, octets);
        break;
    default:
        break;
    }
}

/* Decodes `octets` octets of options of which `captured` were captured; a truncated or malformed option ends
 * the decoding. */
static void gi_options_decode(struct gi_options *out, const uint8_t *bytes, size_t captured, size_t octets)
{
    out->sacks = 0;
    out->window_scale = GI_OPTIONS_NO_SCALE;
    out->has_sack_permitted = out->has_timestamp = false;
    out->is_cut = captured < octets;
    for (size_t at = 0; at < captured && bytes[at] != END;) {
        if (bytes[at] == NO_OPERATION) {
            at++;
            continue;
        }
        if (at + 2 > captured || bytes[at + 1] < 2 || at + bytes[at + 1] > captured) {
            out->is_cut = true;
            return;
        }
        read_one(out, bytes + at, bytes[at + 1]);
        at += bytes[at + 1];
    }
}

enum { TCP_OCTETS = 20, PORTS_OCTETS = 4, IPV4_MOST_OCTETS = 60 };
enum { NO_NEXT_HEADER = 59, PAD = 0, JUMBO = 0xc2 }; /* of IPv6 */

static uint64_t get_u64(const uint8_t *p)
{
    return (uint64_t)bytes_get_u32(p) << 32 | bytes_get_u32(p + 4);
}

struct gi_address gi_packet_ipv6(const uint8_t *octets)
{
    return (struct gi_address){get_u64(octets), get_u64(octets + 8)};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Reads a header without a length: the payload has all other octets of the frame. */
static int decode_unsized_ipv4(struct ipv4 *ip, const uint8_t *bytes, size_t captured, size_t wire_octets)
{
    uint8_t header[IPV4_MOST_OCTETS];
    size_t octets = (size_t)4 * (bytes[0] & 15);
    if (octets < IPV4_OCTETS || captured < octets)
        return octets < IPV4_OCTETS ? ERR_MALFORMED : ERR_TRUNCATED;
    if (wire_octets > GI_PACKET_UNSEGMENTED_OCTETS)
        return ERR_MALFORMED;
    memcpy(header, bytes, octets);
    bytes_put_u16(header + 2, (uint16_t)octets);
    return ipv4_decode(ip, header, octets);
}

/* The codec reads only the header, so it gets the length on the wire. */
static int decode_ipv4(struct gi_packet *out, const uint8_t *bytes, size_t captured, size_t wire_octets)
{
    struct ipv4 ip;
    if (captured < IPV4_OCTETS)
        return ERR_TRUNCATED;
    out->has_no_length = bytes_get_u16(bytes + 2) == 0;
    int offset = out->has_no_length ? decode_unsized_ipv4(&ip, bytes, captured, wire_octets)
                                    : ipv4_decode(&ip, bytes, wire_octets);
    if (offset < 0)
        return offset;
    if ((size_t)offset > captured)
        return ERR_TRUNCATED;
    uint32_t payload_octets =
        out->has_no_length ? (uint32_t)(wire_octets - (size_t)offset) : ip.payload_octets;
    out->src = gi_packet_ipv4(ip.src);
    out->dst = gi_packet_ipv4(ip.dst);
    out->protocol = ip.proto;
    out->ip_octets = (uint32_t)offset + payload_octets;
    out->fragment =
        (struct gi_fragment){ip.id, ip.fragment_offset_octets, ipv4_is_fragment(&ip), !ip.more_fragments};
    out->transport = bytes + offset;
    out->transport_octets = payload_octets;
    out->transport_captured = least(captured - (size_t)offset, payload_octets);
    return 0;
}

static void step_over(struct gi_packet *out, size_t octets)
{
    out->transport += octets;
    out->transport_captured -= octets;
    out->transport_octets -= (uint32_t)octets;
}

static size_t read_fragment(struct gi_packet *out)
{
    struct ipv6_fragment f;
    int octets = ipv6_fragment_decode(&f, out->transport, out->transport_captured);
    if (octets < 0)
        return 0;
    out->fragment = (struct gi_fragment){f.id, f.offset_octets, f.more || f.offset_octets > 0, !f.more};
    return (size_t)octets;
}

/* Skips hop-by-hop, routing, destination and fragment headers before the transport header. */
static void skip_extensions(struct gi_packet *out)
{
    while (out->transport_captured >= 8 && out->fragment.offset_octets == 0) {
        bool is_plain = out->protocol == IPV6_HOP_BY_HOP || out->protocol == IPV6_ROUTING ||
                        out->protocol == IPV6_DESTINATION;
        if (!is_plain && out->protocol != IPV6_FRAGMENT)
            return;
        size_t octets = is_plain ? 8 + (size_t)8 * out->transport[1] : read_fragment(out);
        if (octets == 0 || octets > out->transport_captured)
            return;
        out->protocol = out->transport[0];
        step_over(out, octets);
    }
}

/* The length in the jumbo option of a hop-by-hop header (RFC 2675 clause 2); 0: no such option, or it is not
 * captured. */
static uint32_t jumbo_octets(const uint8_t *header, size_t captured)
{
    size_t end = captured < 8 ? 0 : least(captured, 8 + (size_t)8 * header[1]);
    for (size_t at = 2; at + 6 <= end; at += header[at] == PAD ? 1 : 2 + (size_t)header[at + 1])
        if (header[at] == JUMBO && header[at + 1] == 4)
            return bytes_get_u32(header + at + 2);
    return 0;
}

/* Of a packet whose header has no length. Negative: an error. */
static int64_t payload_of(struct gi_packet *out, const struct ipv6 *ip, const uint8_t *bytes, size_t captured,
                          size_t wire_octets)
{
    if (ip->next_header == NO_NEXT_HEADER)
        return 0;
    uint32_t jumbo =
        ip->next_header == IPV6_HOP_BY_HOP ? jumbo_octets(bytes + IPV6_OCTETS, captured - IPV6_OCTETS) : 0;
    size_t octets = jumbo ? jumbo : wire_octets - IPV6_OCTETS;
    out->has_no_length = jumbo == 0;
    if (octets > wire_octets - IPV6_OCTETS)
        return ERR_TRUNCATED;
    return octets > GI_PACKET_UNSEGMENTED_OCTETS || octets < 8 ? ERR_MALFORMED : (int64_t)octets;
}

static int decode_ipv6(struct gi_packet *out, const uint8_t *bytes, size_t captured, size_t wire_octets)
{
    struct ipv6 ip;
    int offset = captured < IPV6_OCTETS ? ERR_TRUNCATED : ipv6_decode(&ip, bytes, wire_octets);
    if (offset < 0)
        return offset;
    int64_t payload_octets =
        ip.payload_octets ? ip.payload_octets : payload_of(out, &ip, bytes, captured, wire_octets);
    if (payload_octets < 0)
        return (int)payload_octets;
    out->src = gi_packet_ipv6(ip.src);
    out->dst = gi_packet_ipv6(ip.dst);
    out->protocol = ip.next_header;
    out->ip_octets = IPV6_OCTETS + (uint32_t)payload_octets;
    out->fragment = (struct gi_fragment){.is_last = true};
    out->transport = bytes + IPV6_OCTETS;
    out->transport_octets = (uint32_t)payload_octets;
    out->transport_captured = least(captured - IPV6_OCTETS, (size_t)payload_octets);
    skip_extensions(out);
    return 0;
}

static void decode_tcp(struct gi_packet *out)
{
    const uint8_t *p = out->transport;
    size_t header = out->transport_captured < TCP_OCTETS ? 0 : (size_t)4 * (p[12] >> 4);
    if (header < TCP_OCTETS || header > out->transport_octets)
        return;
    out->is_tcp = true;
    out->seq = bytes_get_u32(p + 4);
    out->ack = bytes_get_u32(p + 8);
    out->flags = p[13];
    out->window = bytes_get_u16(p + 14);
    out->payload_octets = out->transport_octets - (uint32_t)header;
    gi_options_decode(&out->options, p + TCP_OCTETS, least(out->transport_captured, header) - TCP_OCTETS,
                      header - TCP_OCTETS);
}

const char *gi_packet_address_text(struct gi_address a, char text[GI_PACKET_ADDRESS_CHARS])
{
    uint8_t octets[16];
    for (unsigned i = 0; i < 8; i++) {
        octets[i] = (uint8_t)(a.high >> (56 - 8 * i));
        octets[8 + i] = (uint8_t)(a.low >> (56 - 8 * i));
    }
    bool is_ipv4 = gi_packet_is_ipv4(a);
    inet_ntop(is_ipv4 ? AF_INET : AF_INET6, is_ipv4 ? octets + 12 : octets, text, GI_PACKET_ADDRESS_CHARS);
    return text;
}

int gi_packet_decode(struct gi_packet *out, const uint8_t *bytes, size_t captured, size_t wire_octets)
{
    if (captured < 1)
        return ERR_TRUNCATED;
    out->is_tcp = out->has_no_length = out->is_closed = false;
    out->src_port = out->dst_port = 0;
    int rc = bytes[0] >> 4 == 4   ? decode_ipv4(out, bytes, captured, wire_octets)
             : bytes[0] >> 4 == 6 ? decode_ipv6(out, bytes, captured, wire_octets)
                                  : ERR_UNSUPPORTED;
    bool has_ports = rc == 0 && (out->protocol == IPV4_PROTO_TCP || out->protocol == IPV4_PROTO_UDP) &&
                     out->fragment.offset_octets == 0 && out->transport_captured >= PORTS_OCTETS;
    if (!has_ports)
        return rc;
    out->src_port = bytes_get_u16(out->transport);
    out->dst_port = bytes_get_u16(out->transport + 2);
    if (out->protocol == IPV4_PROTO_TCP && !out->fragment.is_one)
        decode_tcp(out);
    return 0;
}
