/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ipv6.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/ipv4.h"

#include <string.h>

#define FLOW_LABEL_MAX 0xfffffU

int ipv6_decode(struct ipv6 *out, const uint8_t *bytes, size_t len)
{
    if (len < IPV6_OCTETS)
        return ERR_TRUNCATED;
    uint32_t first = bytes_get_u32(bytes);
    if (first >> 28 != 6)
        return ERR_UNSUPPORTED;
    uint16_t payload_octets = bytes_get_u16(bytes + 4);
    if (IPV6_OCTETS + (size_t)payload_octets > len)
        return ERR_TRUNCATED;
    *out = (struct ipv6){
        .src = bytes + 8,
        .dst = bytes + 24,
        .flow_label = first & FLOW_LABEL_MAX,
        .payload_octets = payload_octets,
        .traffic_class = (uint8_t)(first >> 20),
        .next_header = bytes[6],
        .hop_limit = bytes[7],
    };
    return IPV6_OCTETS;
}

int ipv6_encode(uint8_t *bytes, size_t cap, const struct ipv6 *in)
{
    if (in->flow_label > FLOW_LABEL_MAX)
        return ERR_RANGE;
    if (cap < IPV6_OCTETS)
        return ERR_NO_SPACE;
    bytes_put_u32(bytes, UINT32_C(6) << 28 | (uint32_t)in->traffic_class << 20 | in->flow_label);
    bytes_put_u16(bytes + 4, in->payload_octets);
    bytes[6] = in->next_header;
    bytes[7] = in->hop_limit;
    memcpy(bytes + 8, in->src, IPV6_ADDRESS_OCTETS);
    memcpy(bytes + 24, in->dst, IPV6_ADDRESS_OCTETS);
    return IPV6_OCTETS;
}

int ipv6_fragment_decode(struct ipv6_fragment *out, const uint8_t *bytes, size_t len)
{
    if (len < IPV6_FRAGMENT_OCTETS)
        return ERR_TRUNCATED;
    uint16_t place = bytes_get_u16(bytes + 2);
    *out = (struct ipv6_fragment){
        .id = bytes_get_u32(bytes + 4),
        .offset_octets = place & 0xfff8,
        .next_header = bytes[0],
        .more = place & 1,
    };
    return IPV6_FRAGMENT_OCTETS;
}

int ipv6_fragment_encode(uint8_t *bytes, size_t cap, const struct ipv6_fragment *in)
{
    if (in->offset_octets % 8)
        return ERR_RANGE;
    if (cap < IPV6_FRAGMENT_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = in->next_header;
    bytes[1] = 0;
    bytes_put_u16(bytes + 2, in->offset_octets | in->more);
    bytes_put_u32(bytes + 4, in->id);
    return IPV6_FRAGMENT_OCTETS;
}

bool ipv6_is_extension(uint8_t next_header)
{
    static const uint8_t headers[] = {IPV6_HOP_BY_HOP,     IPV6_ROUTING,     IPV6_FRAGMENT, IPV6_ESP,
                                      IPV6_AUTHENTICATION, IPV6_DESTINATION, IPV6_MOBILITY, IPV6_HIP,
                                      IPV6_SHIM6};
    return memchr(headers, next_header, sizeof headers);
}

uint16_t ipv6_checksum(const struct ipv6 *ip, uint8_t protocol, const uint8_t *bytes, size_t octets)
{
    uint8_t sums[14];
    bytes_put_u16(sums, (uint16_t)~ipv4_checksum(ip->src, IPV6_ADDRESS_OCTETS));
    bytes_put_u16(sums + 2, (uint16_t)~ipv4_checksum(ip->dst, IPV6_ADDRESS_OCTETS));
    bytes_put_u32(sums + 4, (uint32_t)octets);
    bytes_put_u32(sums + 8, protocol);
    bytes_put_u16(sums + 12, (uint16_t)~ipv4_checksum(bytes, octets));
    return ipv4_checksum(sums, sizeof sums);
}

#define OPTION_UNIT    8
#define SOURCE_MAC     1
#define TARGET_MAC     2
#define FLAG_SOLICITED 0x40
#define FLAG_OVERRIDE  0x20

static uint8_t mac_option(uint8_t type)
{
    return type == ND_SOLICITATION ? SOURCE_MAC : TARGET_MAC;
}

static int read_options(struct nd *out, const uint8_t *bytes, size_t len)
{
    for (size_t at = ND_OCTETS; at < len;) {
        size_t octets = len - at < 2 ? 0 : (size_t)bytes[at + 1] * OPTION_UNIT;
        if (octets == 0 || octets > len - at)
            return ERR_MALFORMED;
        if (bytes[at] == mac_option(out->type) && octets == OPTION_UNIT) {
            out->has_mac = true;
            memcpy(out->mac, bytes + at + 2, sizeof(out->mac));
        }
        at += octets;
    }
    return (int)len;
}

int nd_decode(struct nd *out, const uint8_t *bytes, size_t len)
{
    if (len < ND_OCTETS)
        return ERR_TRUNCATED;
    if (bytes[0] != ND_SOLICITATION && bytes[0] != ND_ADVERTISEMENT)
        return ERR_UNSUPPORTED;
    if (bytes[1] != 0 || bytes[8] == 0xff)
        return ERR_MALFORMED;
    bool is_answer = bytes[0] == ND_ADVERTISEMENT;
    *out = (struct nd){.type = bytes[0],
                       .is_solicited = is_answer && (bytes[4] & FLAG_SOLICITED),
                       .is_override = is_answer && (bytes[4] & FLAG_OVERRIDE)};
    memcpy(out->target, bytes + 8, sizeof(out->target));
    return read_options(out, bytes, len);
}

int nd_encode(uint8_t *bytes, size_t cap, const struct nd *in)
{
    size_t octets = in->has_mac ? ND_MAX_OCTETS : ND_OCTETS;
    if (cap < octets)
        return ERR_NO_SPACE;
    memset(bytes, 0, octets);
    bytes[0] = in->type;
    if (in->type == ND_ADVERTISEMENT)
        bytes[4] = (uint8_t)((in->is_solicited ? FLAG_SOLICITED : 0) | (in->is_override ? FLAG_OVERRIDE : 0));
    memcpy(bytes + 8, in->target, sizeof(in->target));
    if (in->has_mac) {
        bytes[ND_OCTETS] = mac_option(in->type);
        bytes[ND_OCTETS + 1] = 1;
        memcpy(bytes + ND_OCTETS + 2, in->mac, sizeof(in->mac));
    }
    return (int)octets;
}
