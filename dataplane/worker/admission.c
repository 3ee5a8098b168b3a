/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/admission.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/punts.h"

#include "dataplane/memory/pool.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/worker/fate.h"

#include <assert.h>
#include <rte_common.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LINK_LOCAL             UINT64_C(0xfe80000000000000) /* fe80::/64 */
#define LINK_MULTICAST         UINT64_C(0xff02000000000000) /* ff02::/64 */
#define ALL_NODES              1                            /* ff02::1 */
#define ALL_ROUTERS            2                            /* ff02::2 */
#define ROUTER_SOLICITATION    133                          /* types of ICMPv6 */
#define ROUTER_ADVERTISEMENT   134
#define NEIGHBOR_SOLICITATION  135
#define NEIGHBOR_ADVERTISEMENT 136
#define SOLICITED_NODES        UINT64_C(0x1ff) /* ff02::1:ff00:0/104, without its 24 bits */
#define ALL_DHCP_SERVERS       UINT64_C(0x10002)
#define DHCPV6_SERVER_PORT     547

/* --- GTP and the network's own addresses --- */

/* Whether a transport segment is UDP to a port of GTP. */
static bool is_gtp(uint8_t protocol, const uint8_t *segment, size_t octets)
{
    if (protocol != IPV4_PROTO_UDP || octets < 4)
        return false;
    uint16_t port = bytes_get_u16(segment + 2);
    return port == GTPU_PORT || port == GTPC_PORT;
}

/* Only the first of several fragments has the ports. */
static bool is_gtp_ipv4(const struct ipv4 *ip, const uint8_t *bytes)
{
    return ip->fragment_offset_octets == 0 &&
           is_gtp(ip->proto, bytes + ip->header_octets, ip->payload_octets);
}

/* Inlined, so that only the fields that are tested are read: 45 instructions per packet. */
static __rte_always_inline enum drop judge_network_ipv4(const struct lookup *lookup,
                                                        const struct pdp_params *pdp, const struct ipv4 *ip,
                                                        const uint8_t *bytes)
{
    if (lookup_is_ours(lookup, ip->dst))
        return is_gtp_ipv4(ip, bytes) ? DROP_NPDU_GTP : DROP_NPDU_INFRASTRUCTURE;
    bool is_networks = ip->dst == pdp->ggsn_ip || lookup_has_address(&lookup->gb, ip->dst);
    return is_networks ? DROP_NPDU_INFRASTRUCTURE : DROP_NONE;
}

static enum drop judge_network_ipv6(const struct lookup *lookup, const struct pdp_params *pdp,
                                    const struct ipv6 *ip, const uint8_t *bytes)
{
    uint32_t dst = addresses_get(&lookup->ipv6, ip->dst);
    if (dst == ADDRESS_NONE)
        return DROP_NONE;
    if (lookup_is_ours(lookup, dst))
        return is_gtp(ip->next_header, bytes + IPV6_OCTETS, ip->payload_octets) ? DROP_NPDU_GTP
                                                                                : DROP_NPDU_INFRASTRUCTURE;
    return dst == pdp->ggsn_ip ? DROP_NPDU_INFRASTRUCTURE : DROP_NONE;
}

/* --- the mobile's addresses --- */

struct halves {
    uint64_t prefix, interface;
};

static struct halves halves_of(const uint8_t *address)
{
    return (struct halves){
        .prefix = (uint64_t)bytes_get_u32(address) << 32 | bytes_get_u32(address + 4),
        .interface = (uint64_t)bytes_get_u32(address + 8) << 32 | bytes_get_u32(address + 12),
    };
}

static bool is_mobiles_ipv4(const struct pdp_params *pdp, uint32_t address)
{
    return pdp->address == 0 || address == pdp->address;
}

static bool is_mobiles_ipv6(const struct pdp_params *pdp, struct halves address)
{
    if (address.prefix == LINK_LOCAL)
        return pdp->interface == 0 || address.interface == pdp->interface;
    return pdp->prefix == 0 || address.prefix == pdp->prefix;
}

static bool is_icmp_between(const struct ipv6 *ip, const uint8_t *bytes, uint8_t first, uint8_t last)
{
    return ip->next_header == IPV6_ICMP && ip->payload_octets > 0 && bytes[IPV6_OCTETS] >= first &&
           bytes[IPV6_OCTETS] <= last;
}

static bool is_to_mobile_ipv6(const struct pdp_params *pdp, const struct ipv6 *ip, const uint8_t *bytes)
{
    struct halves dst = halves_of(ip->dst);
    if (ip->dst[0] != 0xff)
        return is_mobiles_ipv6(pdp, dst);
    bool is_group =
        dst.prefix == LINK_MULTICAST && (dst.interface == ALL_NODES || dst.interface == ALL_ROUTERS);
    return is_group && is_icmp_between(ip, bytes, ROUTER_SOLICITATION, ROUTER_ADVERTISEMENT);
}

static bool is_from_mobile_ipv6(const struct pdp_params *pdp, const struct ipv6 *ip, const uint8_t *bytes)
{
    struct halves src = halves_of(ip->src);
    if (src.prefix == 0 && src.interface == 0)
        return is_icmp_between(ip, bytes, ROUTER_SOLICITATION, ROUTER_SOLICITATION) ||
               is_icmp_between(ip, bytes, NEIGHBOR_SOLICITATION, NEIGHBOR_SOLICITATION);
    return ip->src[0] != 0xff && is_mobiles_ipv6(pdp, src);
}

/* --- downlink --- */

static enum drop judge_ipv4(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                            uint16_t octets)
{
    struct ipv4 ip;
    if (ipv4_decode(&ip, bytes, octets) < 0)
        return DROP_NPDU_MALFORMED;
    if (pdp->ip_version == 6)
        return DROP_NPDU_VERSION;
    enum drop reason = judge_network_ipv4(lookup, pdp, &ip, bytes);
    if (reason != DROP_NONE)
        return reason;
    return is_mobiles_ipv4(pdp, ip.dst) ? DROP_NONE : DROP_NPDU_ADDRESS;
}

static enum drop judge_ipv6(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                            uint16_t octets)
{
    struct ipv6 ip;
    if (ipv6_decode(&ip, bytes, octets) < 0)
        return DROP_NPDU_MALFORMED;
    if (pdp->ip_version == 4)
        return DROP_NPDU_VERSION;
    enum drop reason = judge_network_ipv6(lookup, pdp, &ip, bytes);
    if (reason != DROP_NONE)
        return reason;
    return is_to_mobile_ipv6(pdp, &ip, bytes) ? DROP_NONE : DROP_NPDU_ADDRESS;
}

enum drop inner_judge(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                      uint16_t octets)
{
    if (octets > INNER_MAX_OCTETS)
        return DROP_NPDU_TOO_LONG;
    if (pdp->ip_version == PDP_ANY_PAYLOAD)
        return octets > 0 ? DROP_NONE : DROP_NPDU_MALFORMED;
    if (octets > 0 && bytes[0] >> 4 == 4)
        return judge_ipv4(lookup, pdp, bytes, octets);
    return judge_ipv6(lookup, pdp, bytes, octets);
}

/* --- uplink --- */

/* The node's own addresses on Gb, and those of BSSs. */
static bool is_gb(const struct lookup *lookup, uint32_t ip)
{
    return lookup_has_address(&lookup->gb, ip) || u64_map_get(&lookup->bss, ip) != U64_MAP_NONE;
}

static bool is_no_host_ipv4(uint32_t dst)
{
    uint32_t first = dst >> 24;
    return first == 0 || first == 127 || first >= 224;
}

static enum drop judge_uplink_ipv4(const struct lookup *lookup, const struct pdp_params *pdp,
                                   const uint8_t *bytes, uint16_t octets, bool allows_any)
{
    struct ipv4 ip;
    if (ipv4_decode(&ip, bytes, octets) < 0)
        return DROP_UL_MALFORMED;
    if (pdp->ip_version == 6)
        return DROP_UL_VERSION;
    if (!is_mobiles_ipv4(pdp, ip.src))
        return DROP_UL_SOURCE;
    if (is_no_host_ipv4(ip.dst) && !allows_any)
        return DROP_UL_DESTINATION;
    bool is_networks = judge_network_ipv4(lookup, pdp, &ip, bytes) != DROP_NONE || is_gb(lookup, ip.dst);
    return is_networks ? DROP_UL_INFRASTRUCTURE : DROP_NONE;
}

static bool is_dhcpv6(const struct ipv6 *ip, const uint8_t *bytes)
{
    return ip->next_header == IPV4_PROTO_UDP && ip->payload_octets >= 4 &&
           bytes_get_u16(bytes + IPV6_OCTETS + 2) == DHCPV6_SERVER_PORT;
}

/* Packets that a mobile has to send to a group of its link. */
static bool is_for_link_ipv6(const struct ipv6 *ip, struct halves dst, const uint8_t *bytes)
{
    if (dst.prefix != LINK_MULTICAST)
        return false;
    if (dst.interface == ALL_ROUTERS)
        return is_icmp_between(ip, bytes, ROUTER_SOLICITATION, ROUTER_SOLICITATION);
    if (dst.interface == ALL_NODES)
        return is_icmp_between(ip, bytes, NEIGHBOR_ADVERTISEMENT, NEIGHBOR_ADVERTISEMENT);
    if (dst.interface == ALL_DHCP_SERVERS)
        return is_dhcpv6(ip, bytes);
    return dst.interface >> 24 == SOLICITED_NODES &&
           is_icmp_between(ip, bytes, NEIGHBOR_SOLICITATION, NEIGHBOR_SOLICITATION);
}

static bool is_no_host_ipv6(const struct ipv6 *ip, const uint8_t *bytes)
{
    struct halves dst = halves_of(ip->dst);
    uint64_t middle = dst.interface >> 32;
    if (ip->dst[0] == 0xff)
        return !is_for_link_ipv6(ip, dst, bytes);
    return dst.prefix == 0 && (middle == 0 || middle == 0xffff);
}

static bool is_gb_ipv6(const struct lookup *lookup, const struct ipv6 *ip)
{
    uint32_t dst = addresses_get(&lookup->ipv6, ip->dst);
    return dst != ADDRESS_NONE && is_gb(lookup, dst);
}

static enum drop judge_uplink_ipv6(const struct lookup *lookup, const struct pdp_params *pdp,
                                   const uint8_t *bytes, uint16_t octets, bool allows_any)
{
    struct ipv6 ip;
    if (ipv6_decode(&ip, bytes, octets) < 0)
        return DROP_UL_MALFORMED;
    if (pdp->ip_version == 4)
        return DROP_UL_VERSION;
    if (!is_from_mobile_ipv6(pdp, &ip, bytes))
        return DROP_UL_SOURCE;
    if (!allows_any && is_no_host_ipv6(&ip, bytes))
        return DROP_UL_DESTINATION;
    bool is_networks = judge_network_ipv6(lookup, pdp, &ip, bytes) != DROP_NONE || is_gb_ipv6(lookup, &ip);
    return is_networks ? DROP_UL_INFRASTRUCTURE : DROP_NONE;
}

enum drop inner_judge_uplink(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                             uint16_t octets, bool allows_any)
{
    if (pdp->ip_version == PDP_ANY_PAYLOAD)
        return octets > 0 ? DROP_NONE : DROP_UL_MALFORMED;
    if (octets > 0 && bytes[0] >> 4 == 4)
        return judge_uplink_ipv4(lookup, pdp, bytes, octets, allows_any);
    return judge_uplink_ipv6(lookup, pdp, bytes, octets, allows_any);
}

/* Distance of the prefetch of cells, in N-PDUs. One N-PDU at a time, as many prefetches in a row wait for
 * each other. */
#define AHEAD 8

/* The decoded data of a frame that is steered to another worker. */
struct covering {
    struct gn_datagram datagram;
    uint32_t teid;
};

static_assert(sizeof(struct covering) <= IPV4_OCTETS + UDP_OCTETS + GTPU_OCTETS, "it fits over the headers");
static_assert(sizeof(struct covering) <= IPV6_ADDRESS_OCTETS + UDP_OCTETS + GTPU_OCTETS, "the source stays");

static __attribute__((noinline)) enum drop admit_acknowledged(struct worker *w, struct ms *ms,
                                                              struct n_pdu *n_pdu, int64_t now)
{
    n_pdu->is_acknowledged = true;
    if (gb_tx_pass_acknowledged(w, ms, n_pdu, now))
        return DROP_NONE;
    return (enum drop)context_enqueue(&w->context, ms, n_pdu, now);
}

static enum drop admit(struct worker *w, const struct pdp_params *pdp, struct n_pdu *n_pdu, uint32_t src_ip,
                       int64_t now)
{
    struct ms *ms = &w->context.mobiles[pdp->ms];
    if (likely(ms->in_use))
        fate_in(w, ms, n_pdu, now);
    if (pdp->ggsn_ip != src_ip && pdp->ggsn_ip != 0 && !w->is_any_ggsn)
        return DROP_OTHER_GGSN;
    if (unlikely(!inner_is_plain(&w->lookup, pdp, n_pdu->data, n_pdu->octets))) {
        enum drop reason = inner_judge(&w->lookup, pdp, n_pdu->data, n_pdu->octets);
        if (reason != DROP_NONE)
            return reason;
    }
    if (unlikely(!ms->in_use)) {                       /* remote; reads no other field of that cache line */
        n_pdu->is_acknowledged = pdp->is_acknowledged; /* if it comes back, it is queued */
        moves_forward(w, n_pdu, now);
        return DROP_NONE;
    }
    if (unlikely(w->pacing) && !n_pdu->is_opaque && gn_tx_user_pace_downlink(w, pdp, n_pdu, now))
        return DROP_DUPLICATE;
    standby_look(w, &w->context, ms, now);
    if (unlikely(pdp->is_acknowledged)) /* one test for all others */
        return admit_acknowledged(w, ms, n_pdu, now);
    if (gb_tx_pass(w, ms, n_pdu, now))
        return DROP_NONE;
    return (enum drop)context_enqueue(&w->context, ms, n_pdu, now);
}

static void admission_enqueue(struct worker *w, struct n_pdu *n_pdu, uint32_t index, uint32_t src_ip,
                              int64_t now)
{
    const struct pdp *pdp = &w->context.pdps[index];
    n_pdu->pdp = index;
    n_pdu->generation = pdp->generation;
    n_pdu->qclass = pdp->params.qclass;
    n_pdu->sapi = pdp->params.sapi;
    n_pdu->pfi = pdp->params.pfi;
    n_pdu->is_opaque = pdp->params.ip_version == PDP_ANY_PAYLOAD;
    enum drop reason = admit(w, &pdp->params, n_pdu, src_ip, now);
    if (reason != DROP_NONE)
        fate_drop(w, n_pdu, reason, now);
}

static void hand_over(struct worker *w, const struct admission *burst, unsigned i, unsigned worker)
{
    struct n_pdu *n_pdu = burst->n_pdus[i];
    struct covering covering = {.datagram = burst->datagrams[i], .teid = burst->keys[i].b};

    memcpy(n_pdu->data - sizeof(covering), &covering, sizeof(covering));
    if (xworker_put(w->xworker, w->number, worker, PEERS_FRAME, pool_mbuf(n_pdu))) {
        w->stats.gn_steered_out++;
        return;
    }
    w->stats.gn_drops[DROP_XWORKER_FULL]++;
    rte_pktmbuf_free(pool_mbuf(n_pdu));
}

static void worker_admission_settle(struct worker *w, const struct admission *burst, unsigned i,
                                    uint32_t found, int64_t now)
{
    if (tunnels_is_elsewhere(found) && !burst->is_steered) {
        hand_over(w, burst, i, found - TUNNELS_AT);
        return;
    }
    w->stats.npdu_in++;
    if (likely(found < w->context.limits.pdps)) {
        admission_enqueue(w, burst->n_pdus[i], found, burst->datagrams[i].src_ip, now);
        return;
    }
    gn_signal_unknown_tunnel(w, &burst->datagrams[i], burst->keys[i].b, now);
    fate_drop(w, burst->n_pdus[i], found == TUNNELS_STALE ? DROP_STALE_TEID : DROP_UNKNOWN_TEID, now);
}

/* Prefetches what the mobile of an N-PDU, which has been prefetched, points to; the turns of its class only
 * while N-PDUs are queued, as the bypass does not read them. */
static inline void prefetch_bvc(const struct worker *w, const struct admission *burst, unsigned i)
{
    if (i >= burst->count || burst->found[i] >= w->context.limits.pdps)
        return;
    const struct pdp_params *pdp = &w->context.pdps[burst->found[i]].params;
    const struct ms *ms = &w->context.mobiles[pdp->ms];
    if (unlikely(!ms->in_use)) /* remote */
        return;
    const struct gb_bvc *bvc = gb_bvc_of(ms->sched.bvc);
    rte_prefetch0(bvc);
    rte_prefetch0(&bvc->defaults);
    if (unlikely(ms->is_ciphered))
        rte_prefetch0(&ms->cipher);
    if (unlikely(!(ms->sched.flow.turn.flags & SCHED_FLOW_AQM_IDLE)))
        sched_aqm_prefetch(&w->context.sched, &ms->sched);
    if (w->context.sched.pkts == 0)
        return;
    rte_prefetch0(&bvc->sched.classes[pdp->qclass]);
    rte_prefetch0(&bvc->sched.classes[pdp->qclass].fresh);
}

/* Prefetches the links of N-PDUs in acknowledged mode. */
static __attribute__((noinline)) void prefetch_links(const struct worker *w, const struct admission *burst)
{
    for (unsigned i = 0; i < burst->count; i++) {
        if (burst->found[i] >= w->context.limits.pdps)
            continue;
        const struct pdp_params *pdp = &w->context.pdps[burst->found[i]].params;
        if (pdp->is_acknowledged)
            gb_abm_prefetch(w, pdp->ms);
    }
}

/* Finds those whose TEIDs are no indices, and prefetches their mobiles. */
static void find_rest(const struct worker *w, struct admission *burst)
{
    bool is_known[WORKER_BURST];
    for (unsigned i = 0; i < burst->count; i++)
        is_known[i] = burst->found[i] != TUNNELS_NONE;
    tunnels_find_rest(&w->tunnels, burst->keys, burst->count, burst->found);
    for (unsigned i = 0; i < burst->count; i++) {
        if (is_known[i] || burst->found[i] >= w->context.limits.pdps)
            continue;
        const struct pdp_params *pdp = &w->context.pdps[burst->found[i]].params;
        context_ms_prefetch(&w->context, pdp->ms, pdp->sapi);
    }
    burst->is_missed = false;
}

void admission_find(const struct worker *w, struct admission *burst)
{
    admission_look(w, burst, burst->count);
    if (unlikely(burst->is_missed))
        find_rest(w, burst);
    if (unlikely(w->abm.first))
        prefetch_links(w, burst);
    for (unsigned i = 0; i < AHEAD; i++)
        prefetch_bvc(w, burst, i);
}

void admission_settle(struct worker *w, const struct admission *burst, unsigned from, unsigned end,
                      int64_t now)
{
    for (unsigned i = from; i < end; i++) {
        prefetch_bvc(w, burst, i + AHEAD);
        worker_admission_settle(w, burst, i, burst->found[i], now);
    }
}

void admission_queue(struct worker *w, struct admission *burst, int64_t now)
{
    admission_find(w, burst);
    admission_settle(w, burst, 0, burst->count, now);
}

void admission_put(struct admission *burst, struct n_pdu *n_pdu)
{
    struct covering covering;
    memcpy(&covering, n_pdu->data - sizeof(covering), sizeof(covering));
    burst->datagrams[burst->count] = covering.datagram;
    burst->keys[burst->count] = lookup_tunnel_key(covering.datagram.dst_ip, covering.teid);
    burst->n_pdus[burst->count++] = n_pdu;
}
