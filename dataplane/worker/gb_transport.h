/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ethernet, IP and UDP around NS PDUs, over IPv4 or IPv6 by the addresses of the NS-VC. An NS-VC has the
 * headers of an empty packet of signalling as a template; a frame costs their copy, its lengths and, over
 * IPv4, a new header checksum. UDP has a checksum over IPv6 only (RFC 8200 clause 8.1); it covers the NS PDU
 * and so is written last.
 *
 * Not here: fragments, which no NS PDU within gb.mtu needs; received ones are dropped.
 */
#ifndef DATAPLANE_WORKER_GB_TRANSPORT_H
#define DATAPLANE_WORKER_GB_TRANSPORT_H

#include "dataplane/base/address.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/base/drop.h"
#include "dataplane/context/gb.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GB_TRANSPORT_IPV4_SUM 10 /* offset of the checksum in an IPv4 header */

struct rte_mbuf;
struct worker;

/* Makes the template of an NS-VC from its addresses. -1: they are of two IP versions, or not known. */
int gb_transport_template(const struct worker *w, struct gb_nsvc *nsvc);

/* Finds the NS-VC of a frame, and sets the buffer's data to the NS PDU. On an error *nsvc is LOOKUP_NONE or,
 * with DROP_UNKNOWN_NSVC, may be LOOKUP_AT + worker. */
enum drop gb_transport_unwrap(struct worker *w, struct rte_mbuf *mbuf, uint32_t *nsvc);

/* The NS PDU of a frame from any endpoint; pointers are into the frame. */
struct gb_transport_datagram {
    const uint8_t *remote, *local, *payload; /* addresses of address_octets, 4 or 16 */
    size_t address_octets, octets;           /* of the payload */
    uint16_t remote_port, local_port;
};

/* False: it has none, or is a fragment. The UDP checksum is not tested. */
bool gb_transport_read(struct gb_transport_datagram *out, const uint8_t *frame, size_t octets);

/* Writes the UDP checksum over IPv6 into a finished frame. */
void gb_transport_sum(uint8_t *frame, size_t octets);

static inline void gb_transport_put_ipv4(struct gb_nsvc *nsvc, uint8_t *frame, unsigned ns_octets)
{
    uint8_t *ip = frame + ETHER_OCTETS, *udp = ip + IPV4_OCTETS;

    memcpy(frame, nsvc->header, GB_HEADER_OCTETS);
    uint16_t template_sum = bytes_get_u16(nsvc->header + ETHER_OCTETS + GB_TRANSPORT_IPV4_SUM);
    unsigned id = nsvc->ip_id++, udp_octets = ns_octets + UDP_OCTETS;
    bytes_put_u16(ip + 2, (uint16_t)(udp_octets + IPV4_OCTETS));
    bytes_put_u16(ip + 4, (uint16_t)id);
    bytes_put_u16(ip + GB_TRANSPORT_IPV4_SUM, ipv4_checksum_add(template_sum, udp_octets + id));
    bytes_put_u16(udp + 4, (uint16_t)udp_octets);
}

static inline void gb_transport_put_ipv6(const struct gb_nsvc *nsvc, uint8_t *frame, unsigned ns_octets)
{
    uint8_t *ip = frame + ETHER_OCTETS, *udp = ip + IPV6_OCTETS;

    memcpy(frame, nsvc->header, GB_HEADER_MAX_OCTETS);
    bytes_put_u16(ip + 4, (uint16_t)(ns_octets + UDP_OCTETS));
    bytes_put_u16(udp + 4, (uint16_t)(ns_octets + UDP_OCTETS));
}

/* Puts the headers, nsvc->header_octets, in front of an NS PDU and returns the frame; uses up an IP
 * identification. With nsvc->is_ipv6, gb_transport_sum() must follow. */
static inline uint8_t *gb_transport_put(struct gb_nsvc *nsvc, uint8_t *ns, unsigned ns_octets)
{
    uint8_t *frame = ns - nsvc->header_octets;

    if (nsvc->is_ipv6)
        gb_transport_put_ipv6(nsvc, frame, ns_octets);
    else
        gb_transport_put_ipv4(nsvc, frame, ns_octets);
    return frame;
}

/* Sets DSCP and ECN in a frame that gb_transport_put() made, which has those of signalling. */
static inline void gb_transport_mark(uint8_t *frame, uint8_t tos)
{
    uint8_t *ip = frame + ETHER_OCTETS;
    if (ip[0] >> 4 == 6) {
        ip[0] = (uint8_t)(0x60 | tos >> 4);
        ip[1] = (uint8_t)((ip[1] & 15) | tos << 4);
        return;
    }
    uint32_t more = tos >= ip[1] ? (uint32_t)(tos - ip[1]) : UINT16_MAX - (uint32_t)(ip[1] - tos);
    ip[1] = tos;
    bytes_put_u16(ip + GB_TRANSPORT_IPV4_SUM,
                  ipv4_checksum_add(bytes_get_u16(ip + GB_TRANSPORT_IPV4_SUM), more));
}

/* Octets of the headers in front of an NS PDU in a sent or received frame without extensions. */
static inline size_t gb_transport_octets(const uint8_t *frame, size_t octets)
{
    bool is_ipv6 = octets >= ETHER_OCTETS && bytes_get_u16(frame + ETHER_OCTETS - 2) == ETHER_TYPE_IPV6;
    return is_ipv6 ? GB_HEADER_MAX_OCTETS : GB_HEADER_OCTETS;
}

#endif
