/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet II header, with at most one IEEE 802.1Q tag. */
#ifndef DATAPLANE_WIRE_ETHER_H
#define DATAPLANE_WIRE_ETHER_H

#include "dataplane/base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    ETHER_OCTETS = 14,
    ETHER_TAGGED_OCTETS = 18,
    ETHER_TYPE_IPV4 = 0x0800,
    ETHER_TYPE_ARP = 0x0806,
    ETHER_TYPE_VLAN = 0x8100,
    ETHER_TYPE_IPV6 = 0x86dd,
};

struct ether {
    uint8_t dst[6], src[6];
    uint16_t type; /* after the tag; a second tag shows as ETHER_TYPE_VLAN */
    uint16_t vlan_tci;
    bool has_vlan;
};

/* Reads one header. Returns the payload's offset (14 or 18), or ERR_TRUNCATED. The payload may carry padding.
 */
static inline int ether_decode(struct ether *out, const uint8_t *bytes, size_t len)
{
    if (len < ETHER_OCTETS)
        return ERR_TRUNCATED;
    memcpy(out->dst, bytes, 6);
    memcpy(out->src, bytes + 6, 6);
    out->type = bytes_get_u16(bytes + 12);
    out->vlan_tci = 0;
    out->has_vlan = out->type == ETHER_TYPE_VLAN;
    if (!out->has_vlan)
        return ETHER_OCTETS;
    if (len < ETHER_TAGGED_OCTETS)
        return ERR_TRUNCATED;
    out->vlan_tci = bytes_get_u16(bytes + 14);
    out->type = bytes_get_u16(bytes + 16);
    return ETHER_TAGGED_OCTETS;
}

/* Writes a header, tagged if has_vlan. Returns octets written, or ERR_NO_SPACE. */
int ether_encode(uint8_t *bytes, size_t cap, const struct ether *in);

/* ARP (RFC 826) for IPv4 on Ethernet, without the Ethernet header. */

enum { ARP_OCTETS = 28, ARP_REQUEST = 1, ARP_REPLY = 2 };

struct arp {
    uint16_t operation;
    uint8_t sender_mac[6], target_mac[6];
    uint32_t sender_ip, target_ip; /* host order */
};

/*
 * Reads one packet; padding behind it is ignored. Returns 28; ERR_TRUNCATED; ERR_UNSUPPORTED: another
 * hardware, protocol or address length than those of IPv4 on Ethernet.
 */
int arp_decode(struct arp *out, const uint8_t *bytes, size_t len);

/* Writes one packet. Returns 28, or ERR_NO_SPACE. */
int arp_encode(uint8_t *bytes, size_t cap, const struct arp *in);

#endif
