/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-U in UDP in IPv6 in Ethernet, made octet by octet, without the codecs. */
#ifndef TESTS_UNIT_DATAPLANE_WORKER_GN_IPV6_FRAME_H
#define TESTS_UNIT_DATAPLANE_WORKER_GN_IPV6_FRAME_H

#include "tests/unit/dataplane/worker/kit.h"

#include <stddef.h>
#include <stdint.h>

/* Where things lie in a frame. */
enum {
    GN_IPV6_IP = 14,
    GN_IPV6_UDP = 54,
    GN_IPV6_GTP = 62,
};

/* What control tells the worker: places 0, 1 and 2. */
#define GN_IPV6_SGSN  (ADDRESS_IPV6 + 0)
#define GN_IPV6_GGSN  (ADDRESS_IPV6 + 1)
#define GN_IPV6_OTHER (ADDRESS_IPV6 + 2)
extern const uint8_t gn_ipv6_addresses[3][16]; /* 2001:db8::1 and so on */

/* Orders the addresses, and a context in slot 1 whose tunnel has this TEID and ends on them. */
void gn_ipv6_order(struct kit *kit, uint32_t teid);

/* Writes a frame from one address and port to another. Returns its octets. */
size_t gn_ipv6_wrap(uint8_t *out, const uint8_t *const ip[2], const uint16_t port[2], const uint8_t *gtp,
                    size_t gtp_octets);

/* A G-PDU from the GGSN with an N-PDU as gn_frame_inner() makes it. */
size_t gn_ipv6_g_pdu(uint8_t *out, uint32_t teid, uint16_t inner_octets, uint16_t seed);

/* Sets the UDP checksum anew. */
void gn_ipv6_sum(uint8_t *frame);

/* Cuts a frame's IPv6 packet in pieces of piece_octets (a multiple of 8), number `index` of which is written
 * as a frame of its own. Returns its octets, 0 behind the last one. */
size_t gn_ipv6_fragment(uint8_t *out, const uint8_t *frame, size_t octets, size_t piece_octets,
                        unsigned index);

#endif
