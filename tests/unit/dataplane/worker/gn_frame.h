/* SPDX-License-Identifier: BSD-3-Clause */
/* G-PDUs in UDP in IPv4 in Ethernet as a GGSN may send them, made octet by octet, without the codecs. */
#ifndef TESTS_UNIT_DATAPLANE_WORKER_GN_FRAME_H
#define TESTS_UNIT_DATAPLANE_WORKER_GN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where things lie in a frame without tag and options. */
enum {
    GN_FRAME_IP = 14,
    GN_FRAME_UDP = 34,
    GN_FRAME_GTP = 42,
    GN_FRAME_INNER = 50,
};

struct gn_frame {
    uint32_t teid;
    uint16_t inner_octets; /* of the N-PDU, an IPv4 packet when it is 20 or more */
    uint16_t seed;         /* of its contents */
    bool has_vlan;
    uint8_t ip_option_words;
    uint8_t gtp_flags;          /* besides version and protocol type: E 4, S 2, PN 1 */
    uint8_t extension;          /* type of the extension header, with E */
    uint8_t extension_units[2]; /* of four octets: the first one, and a second one of the same type */
    uint8_t padding_octets;     /* of Ethernet, behind the IP packet */
};

/* Writes the frame, returns its octets. */
size_t gn_frame_build(uint8_t *out, const struct gn_frame *in);

/* An N-PDU comes for a context. */
struct kit;
void gn_frame_put(struct kit *kit, uint32_t teid, uint16_t inner_octets);

/*
 * Writes a frame with any GTP octets in UDP, from ip[0] and port[0] to ip[1] and port[1]; IP identification
 * 0. Returns its octets.
 */
size_t gn_frame_wrap(uint8_t *out, const uint32_t ip[2], const uint16_t port[2], const uint8_t *gtp,
                     size_t gtp_octets);

/* Writes only the N-PDU. */
void gn_frame_inner(uint8_t *out, uint16_t octets, uint16_t seed);

/* Sets the header checksum of an IPv4 header anew. */
void gn_frame_sum_ip(uint8_t *ip);

/*
 * Cuts an untagged frame's IP packet in pieces of piece_octets (a multiple of 8) and writes number `index` of
 * them as a frame of its own. Returns its octets, 0 behind the last one.
 */
size_t gn_frame_fragment(uint8_t *out, const uint8_t *frame, size_t octets, size_t piece_octets,
                         unsigned index);

#endif
