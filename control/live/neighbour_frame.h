/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of neighbour.h: what is asked, and what is answered. Each returns octets written to frame, which
 * has room for NEIGHBOUR_FRAME_OCTETS, or 0: there is nothing to say. */
#ifndef CONTROL_LIVE_NEIGHBOUR_FRAME_H
#define CONTROL_LIVE_NEIGHBOUR_FRAME_H

#include "dataplane/wire/arp.h"

#include <stddef.h>
#include <stdint.h>

#define NEIGHBOUR_FRAME_OCTETS 1518

/* "Who has `ip`", from our MAC and address, to everybody. */
size_t neighbour_frame_request(uint8_t *frame, const uint8_t mac[6], uint32_t own_ip, uint32_t ip);

/* The answer to an ARP request for an address of ours. */
size_t neighbour_frame_reply(uint8_t *frame, const uint8_t mac[6], const struct arp *request);

/* An IPv4 packet behind an Ethernet header. */
struct neighbour_frame_packet {
    const uint8_t *src_mac; /* the frame's */
    const uint8_t *bytes;   /* of the IP header */
    size_t octets;
};

/* The answer to an ICMP Echo, to where its frame came from. */
size_t neighbour_frame_echo(uint8_t *frame, const uint8_t mac[6],
                            const struct neighbour_frame_packet *packet);

#endif
