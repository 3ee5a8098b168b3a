/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/inner.h"

#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"

#include <stdbool.h>
#include <stddef.h>

#define IPV6_OCTETS 40

static bool is_ipv6_packet(const uint8_t *bytes, size_t octets)
{
    return octets >= IPV6_OCTETS && IPV6_OCTETS + (size_t)bytes_get_u16(bytes + 4) <= octets;
}

/* Whether an IPv4 packet carries UDP to a port of GTP; of fragments only the first says so. */
static bool is_gtp(const struct ipv4 *ip, const uint8_t *bytes)
{
    if (ip->proto != IPV4_PROTO_UDP || ip->fragment_offset_octets != 0 || ip->payload_octets < 4)
        return false;
    uint16_t port = bytes_get_u16(bytes + ip->header_octets + 2);
    return port == GTPU_PORT || port == GTPC_PORT;
}

static enum drop judge_ipv4(const struct lookup *lookup, const struct pdp_params *pdp, const struct ipv4 *ip,
                            const uint8_t *bytes)
{
    if (lookup_is_ours(lookup, ip->dst))
        return is_gtp(ip, bytes) ? DROP_NPDU_GTP : DROP_NPDU_INFRASTRUCTURE;
    if (ip->dst == pdp->ggsn_ip || lookup_has_address(&lookup->gb, ip->dst))
        return DROP_NPDU_INFRASTRUCTURE;
    return pdp->address == 0 || ip->dst == pdp->address ? DROP_NONE : DROP_NPDU_ADDRESS;
}

enum drop inner_judge(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                      uint16_t octets)
{
    struct ipv4 ip;
    if (octets > INNER_MAX_OCTETS)
        return DROP_NPDU_TOO_LONG;
    unsigned version = octets > 0 ? bytes[0] >> 4 : 0;
    bool is_ip =
        version == 4 ? ipv4_decode(&ip, bytes, octets) > 0 : version == 6 && is_ipv6_packet(bytes, octets);
    if (!is_ip)
        return DROP_NPDU_MALFORMED;
    if (pdp->ip_version != 0 && version != pdp->ip_version)
        return DROP_NPDU_VERSION;
    return version == 4 ? judge_ipv4(lookup, pdp, &ip, bytes) : DROP_NONE;
}
