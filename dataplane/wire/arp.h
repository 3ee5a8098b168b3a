/* SPDX-License-Identifier: BSD-3-Clause */
/* ARP (RFC 826) for IPv4 on Ethernet, without the Ethernet header. */
#ifndef DATAPLANE_WIRE_ARP_H
#define DATAPLANE_WIRE_ARP_H

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

#include <stddef.h>

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
