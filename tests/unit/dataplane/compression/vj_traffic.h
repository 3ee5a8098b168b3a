/* SPDX-License-Identifier: BSD-3-Clause */
/* VJ traffic: random packets of TCP connections, and what passes between them, as compression of headers
 * meets them: options, urgent data, numbers that wrap, IDs of all kinds, resets, segments sent again and
 * stepping back, ECN, fragments, other protocols, wrong lengths and checksums. Equal seeds give equal octets.
 */
#ifndef TESTS_UNIT_DATAPLANE_COMPRESSION_VJ_TRAFFIC_H
#define TESTS_UNIT_DATAPLANE_COMPRESSION_VJ_TRAFFIC_H

#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum { VJ_TRAFFIC_CONNECTIONS = 300, VJ_TRAFFIC_OCTETS = 1500 };

struct vj_traffic_tcp {
    uint8_t addresses[8];
    uint16_t ports[2];
    uint32_t seq, ack;
    uint16_t window, id, data_octets, urgent;
    uint8_t tos, ttl, fragment, bits; /* fragment: high octet of the field; bits: reserved ones of TCP */
    uint8_t id_kind, options_kind;
    uint32_t stamp;
};

struct vj_traffic {
    struct rng rng;
    unsigned connections, now; /* now: the connection of the last packet */
    struct vj_traffic_tcp tcp[VJ_TRAFFIC_CONNECTIONS];
    uint16_t id; /* counts packets of all connections */
};

void vj_traffic_start(struct vj_traffic *t, unsigned connections, uint64_t seed);

/* Writes the next packet, at most VJ_TRAFFIC_OCTETS, and returns its octets. */
unsigned vj_traffic_next(struct vj_traffic *t, uint8_t *packet);

/* Whether the checksum of TCP of a packet that is well formed is right. */
bool vj_traffic_is_tcp_sum_good(const uint8_t *packet, unsigned octets);

#endif
