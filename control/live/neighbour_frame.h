/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the requests and replies of neighbour.h. Each function returns the octets written to frame, which
 * has room for NEIGHBOUR_FRAME_OCTETS, or 0: no frame is to be sent. */
#ifndef CONTROL_LIVE_NEIGHBOUR_FRAME_H
#define CONTROL_LIVE_NEIGHBOUR_FRAME_H

#include "dataplane/wire/ether.h"

#include <stddef.h>
#include <stdint.h>

#define NEIGHBOUR_FRAME_OCTETS 1518

/* An ARP Request for `ip` from own_ip at mac, to the broadcast address. */
size_t neighbour_frame_request(uint8_t *frame, const uint8_t mac[6], uint32_t own_ip, uint32_t ip);

/* The ARP Reply to a request for a local address. */
size_t neighbour_frame_reply(uint8_t *frame, const uint8_t mac[6], const struct arp *request);

/* An IPv4 packet behind an Ethernet header. */
struct neighbour_frame_packet {
    const uint8_t *src_mac; /* the frame's */
    const uint8_t *bytes;   /* of the IP header */
    size_t octets;
};

/* The ICMP Echo Reply to an Echo, sent to the source MAC address of its frame. */
size_t neighbour_frame_echo(uint8_t *frame, const uint8_t mac[6],
                            const struct neighbour_frame_packet *packet);

#endif
