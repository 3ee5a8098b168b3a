/* SPDX-License-Identifier: BSD-3-Clause */
/* UDP header (RFC 768). The checksum is carried, not computed: 0 means none, which IPv4 allows. */
#ifndef DATAPLANE_WIRE_UDP_H
#define DATAPLANE_WIRE_UDP_H

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

#include <stddef.h>

enum { UDP_OCTETS = 8, UDP_MAX_PAYLOAD_OCTETS = 65535 - UDP_OCTETS };

struct udp {
    uint16_t src_port, dst_port;
    uint16_t checksum;
    uint16_t payload_octets;
};

/*
 * Reads one header. Returns the payload's offset, 8; octets behind the UDP length are cut. ERR_TRUNCATED: len
 * is below 8 or the UDP length; ERR_MALFORMED: a UDP length below 8.
 */
static inline int udp_decode(struct udp *out, const uint8_t *bytes, size_t len)
{
    if (len < UDP_OCTETS)
        return ERR_TRUNCATED;
    unsigned octets = bytes_get_u16(bytes + 4);
    if (octets < UDP_OCTETS)
        return ERR_MALFORMED;
    if (octets > len)
        return ERR_TRUNCATED;
    *out = (struct udp){
        .src_port = bytes_get_u16(bytes),
        .dst_port = bytes_get_u16(bytes + 2),
        .checksum = bytes_get_u16(bytes + 6),
        .payload_octets = (uint16_t)(octets - UDP_OCTETS),
    };
    return UDP_OCTETS;
}

/* Writes the header for payload_octets. Returns 8; ERR_NO_SPACE; ERR_RANGE: payload above 65527 octets. */
int udp_encode(uint8_t *bytes, size_t cap, const struct udp *in);

#endif
