/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ether.h"

#include <string.h>

int ether_encode(uint8_t *bytes, size_t cap, const struct ether *in)
{
    size_t octets = in->has_vlan ? ETHER_TAGGED_OCTETS : ETHER_OCTETS;
    if (cap < octets)
        return ERR_NO_SPACE;
    memcpy(bytes, in->dst, 6);
    memcpy(bytes + 6, in->src, 6);
    if (in->has_vlan) {
        bytes_put_u16(bytes + 12, ETHER_TYPE_VLAN);
        bytes_put_u16(bytes + 14, in->vlan_tci);
    }
    bytes_put_u16(bytes + octets - 2, in->type);
    return (int)octets;
}

#define HARDWARE_ETHERNET 1
#define LENGTHS           0x0604 /* of a MAC and of an IPv4 address */

int arp_decode(struct arp *out, const uint8_t *bytes, size_t len)
{
    if (len < ARP_OCTETS)
        return ERR_TRUNCATED;
    if (bytes_get_u16(bytes) != HARDWARE_ETHERNET || bytes_get_u16(bytes + 2) != ETHER_TYPE_IPV4 ||
        bytes_get_u16(bytes + 4) != LENGTHS)
        return ERR_UNSUPPORTED;
    out->operation = bytes_get_u16(bytes + 6);
    memcpy(out->sender_mac, bytes + 8, 6);
    out->sender_ip = bytes_get_u32(bytes + 14);
    memcpy(out->target_mac, bytes + 18, 6);
    out->target_ip = bytes_get_u32(bytes + 24);
    return ARP_OCTETS;
}

int arp_encode(uint8_t *bytes, size_t cap, const struct arp *in)
{
    if (cap < ARP_OCTETS)
        return ERR_NO_SPACE;
    bytes_put_u16(bytes, HARDWARE_ETHERNET);
    bytes_put_u16(bytes + 2, ETHER_TYPE_IPV4);
    bytes_put_u16(bytes + 4, LENGTHS);
    bytes_put_u16(bytes + 6, in->operation);
    memcpy(bytes + 8, in->sender_mac, 6);
    bytes_put_u32(bytes + 14, in->sender_ip);
    memcpy(bytes + 18, in->target_mac, 6);
    bytes_put_u32(bytes + 24, in->target_ip);
    return ARP_OCTETS;
}
