/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filter of inner packets, users' packets: an IP packet of the context's type, at least as long as its
 * length field, from or to the mobile, and not to the network that carries it.
 *
 * Over IPv6 a mobile has all addresses of its prefix (TS 23.060 clause 9.2.1.1), and the link-local one with
 * the interface identifier that the GGSN gave. Besides it receives router advertisements to all nodes, and
 * may send router solicitations and, before it has an address, neighbour solicitations for its own (RFC
 * 4861, RFC 4862).
 *
 * Uplink, these destinations are no host's: of IPv4 0/8, 127/8 and 224/3; of IPv6 ::/96 with :: and ::1,
 * ::ffff:0:0/96 and ff00::/8. To groups a mobile may send router solicitations, neighbour solicitations and
 * advertisements, and DHCPv6 (TS 23.060 clause 9.2.1.1, RFC 8415).
 */
#ifndef DATAPLANE_WORKER_INNER_H
#define DATAPLANE_WORKER_INNER_H

#include "dataplane/base/drop.h"
#include "dataplane/context/ms.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/worker/lookup.h"

#include <stdbool.h>
#include <stdint.h>

/* Default N201-I, and the longest T-PDU that SNDCP has to carry (TS 44.064 table 9, TS 23.060 clause 9.3). */
#define INNER_MAX_OCTETS 1503

/* DROP_NONE, or the first reason to drop a downlink N-PDU of this context. */
enum drop inner_judge(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                      uint16_t octets);

/* Whether a downlink N-PDU is one of nearly all: IPv4 without options, to the context's address, from outside
 * the infrastructure. inner_judge() lets these pass, and must be asked about all others. */
static inline bool inner_is_plain(const struct lookup *lookup, const struct pdp_params *pdp,
                                  const uint8_t *bytes, uint16_t octets)
{
    if (octets < IPV4_OCTETS || octets > INNER_MAX_OCTETS || bytes[0] != 0x45)
        return false;
    unsigned total_octets = bytes_get_u16(bytes + 2);
    uint32_t dst = bytes_get_u32(bytes + 16);
    return total_octets >= IPV4_OCTETS && total_octets <= octets && dst == pdp->address &&
           dst != pdp->ggsn_ip && pdp->ip_version != 6 && dst != 0 &&
           !((lookup->gn.marks | lookup->gb.marks) & lookup_mark(dst));
}

/* inner_judge() for an uplink N-PDU. allows_any: also to loopback, unspecified, broadcast, multicast and
 * IPv4-mapped addresses. */
enum drop inner_judge_uplink(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                             uint16_t octets, bool allows_any);

#endif
