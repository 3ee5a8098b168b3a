/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ipv6.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"
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
