/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet, IPv4 and UDP headers of what the worker sends on Gn. */
#ifndef DATAPLANE_WORKER_GN_HEADERS_H
#define DATAPLANE_WORKER_GN_HEADERS_H

#include "dataplane/context/gb.h"

#include <stdint.h>

#define GN_HEADERS_OCTETS GB_HEADER_OCTETS

struct worker;

/* A UDP datagram on Gn. */
struct gn_datagram {
    uint32_t src_ip, dst_ip; /* host order */
    uint16_t src_port, dst_port;
    uint16_t octets; /* behind the UDP header */
};

/* Writes GN_HEADERS_OCTETS in front of a datagram's octets, towards the next hop on Gn. */
void gn_headers_put(struct worker *w, uint8_t *frame, const struct gn_datagram *datagram);

#endif
