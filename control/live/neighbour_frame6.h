/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of neighbour.h over IPv6 (RFC 4861, RFC 4443): as neighbour_frame.h. */
#ifndef CONTROL_LIVE_NEIGHBOUR_FRAME6_H
#define CONTROL_LIVE_NEIGHBOUR_FRAME6_H

#include "control/live/neighbour_frame.h"
#include "control/base/neighbour_ip.h"
#include "dataplane/wire/ipv6.h"

/* A received ICMPv6 message: of a whole packet without extension headers, with a right checksum. */
struct neighbour_frame6 {
    struct neighbour_ip src, dst;
    uint8_t hop_limit;
    const uint8_t *message;
    size_t octets;
};

/* Reads a packet of octets behind an Ethernet header. False: it is not such a message. */
bool neighbour_frame6_read(struct neighbour_frame6 *out, const uint8_t *bytes, size_t octets);

/* A Neighbour Solicitation for `ip` from own at mac, to the solicited-node multicast address. */
size_t neighbour_frame6_solicit(uint8_t *frame, const uint8_t mac[6], const struct neighbour_ip *own,
                                const struct neighbour_ip *ip);

/* A Neighbour Advertisement of own: to the solicitor at to_mac, or to all nodes when to is NULL. */
size_t neighbour_frame6_advertise(uint8_t *frame, const uint8_t mac[6], const struct neighbour_ip *own,
                                  const struct neighbour_ip *to, const uint8_t *to_mac);

/* The reply to an ICMPv6 Echo Request, sent to to_mac; 0: the message is not an Echo Request. */
size_t neighbour_frame6_echo(uint8_t *frame, const uint8_t mac[6], const struct neighbour_frame6 *request,
                             const uint8_t *to_mac);

#endif
