/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that are punted to control, and those that are not.
 * Exits: DROP_NOT_IP, DROP_IP_RESERVED_ADDRESS, DROP_OTHER_ADDRESS, DROP_NOT_UDP, DROP_OTHER_PORT,
 * DROP_UNKNOWN_NSVC, DROP_PUNT_FULL, DROP_ARP_ICMP, DROP_UNLISTED, DROP_GTPC.
 */
#include "dataplane/worker/punts.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/gn_signal.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/budget.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/ns.h"
#include "dataplane/base/drop.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PUNTS_OTHERS_PER_S 1000 /* of all other sources */

#define TYPE_IPV6   0x86dd
#define PROTO_ICMP  1
#define PROTO_ICMP6 58

#define ICMP6_ROUTER_SOLICITATION 133
#define ICMP6_REDIRECT            137

/* A prefix is one source, as a host may have all of its addresses; but on a link each host has one address of
 * fe80::/64. */
static uint64_t source_ipv6(const uint8_t *octets)
{
    static const uint8_t link_local[8] = {0xfe, 0x80};
    bool is_link_local = memcmp(octets, link_local, sizeof(link_local)) == 0;
    return budget_source_ipv6(is_link_local ? octets + 8 : octets);
}

enum punt_kind { PUNT_NONE, PUNT_RESOLUTION, PUNT_ICMP };

/* The kind of a packet of this type, of which these octets are there, and its sender. PUNT_NONE: control does
 * not handle it. RFC 4861 clause 7.1: messages of neighbour discovery have hop limit 255, which no router
 * forwards. */
static enum punt_kind kind_of(uint16_t type, const uint8_t *packet, size_t octets, uint64_t *source)
{
    if (type == ETHER_TYPE_ARP && octets >= 28) {
        *source = budget_source_ipv4(bytes_get_u32(packet + 14));
        return PUNT_RESOLUTION;
    }
    if (type == ETHER_TYPE_IPV4 && octets >= 20 && packet[9] == PROTO_ICMP) {
        *source = budget_source_ipv4(bytes_get_u32(packet + 12));
        return PUNT_ICMP;
    }
    if (type != TYPE_IPV6 || octets < 41 || packet[6] != PROTO_ICMP6)
        return PUNT_NONE;
    *source = source_ipv6(packet + 8);
    bool is_discovery = packet[40] >= ICMP6_ROUTER_SOLICITATION && packet[40] <= ICMP6_REDIRECT;
    return is_discovery && packet[7] == 255 ? PUNT_RESOLUTION : PUNT_ICMP;
}

/* Passes a message to control if its sender may send one more. False: it is lost. */
static bool put(struct worker *w, struct msg *msg, uint32_t share, bool is_allowed)
{
    return is_allowed ? shares_put(&w->rings, msg, share) : shares_refuse(&w->rings, share);
}

/* An NS-RESET of an endpoint that no NS-VC has. */
static enum drop take_unlisted(struct worker *w, struct rte_mbuf *mbuf, int64_t now)
{
    struct msg msg = {.type = MSG_UNLISTED, .mbuf = mbuf};
    struct gb_transport_datagram in;
    if (!gb_transport_read(&in, rte_pktmbuf_mtod(mbuf, const uint8_t *), rte_pktmbuf_data_len(mbuf)) ||
        in.octets == 0 || in.payload[0] != NS_RESET)
        return DROP_UNKNOWN_NSVC;
    uint64_t source = in.address_octets == ADDRESS_IPV6_OCTETS ? budget_source_ipv6(in.remote)
                                                               : budget_source_ipv4(bytes_get_u32(in.remote));
    return put(w, &msg, SHARE_UNLISTED, budget_take(&w->unlisted_budget, source, now)) ? DROP_UNLISTED
                                                                                       : DROP_PUNT_FULL;
}

/* Returns the reason to count; DROP_ARP_ICMP and DROP_UNLISTED: it was passed to control. */
static enum drop punts_take(struct worker *w, enum msg_port port, struct rte_mbuf *mbuf, enum drop reason,
                            int64_t now)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    struct msg msg = {.type = MSG_PUNT_FRAME, .port = port, .mbuf = mbuf};
    struct ether ether;

    if (w->punts_unlisted && port == MSG_PORT_GB && reason == DROP_UNKNOWN_NSVC)
        return take_unlisted(w, mbuf, now);
    if (!w->has_neighbours ||
        (reason != DROP_NOT_IP && reason != DROP_NOT_UDP && reason != DROP_OTHER_ADDRESS))
        return reason;
    int offset = ether_decode(&ether, bytes, rte_pktmbuf_data_len(mbuf));
    if (offset < 0 || ether.has_vlan)
        return reason;
    uint64_t source;
    enum punt_kind kind =
        kind_of(ether.type, bytes + offset, rte_pktmbuf_data_len(mbuf) - (size_t)offset, &source);
    if (kind == PUNT_NONE)
        return reason;
    struct budget *budget = kind == PUNT_ICMP ? &w->icmp_budgets[port] : &w->resolution_budgets[port];
    uint32_t share = kind == PUNT_ICMP ? SHARE_ICMP : SHARE_RESOLUTION;
    return put(w, &msg, share, budget_take(budget, source, now)) ? DROP_ARP_ICMP : DROP_PUNT_FULL;
}

void punts_drop(struct worker *w, enum msg_port port, struct rte_mbuf *mbuf, enum drop reason, int64_t now)
{
    uint64_t *drops = port == MSG_PORT_GN ? w->stats.gn_drops : w->stats.gb_drops;
    reason = punts_take(w, port, mbuf, reason, now);
    drops[reason]++;
    if (reason != DROP_ARP_ICMP && reason != DROP_UNLISTED)
        rte_pktmbuf_free(mbuf);
}

/* --- GTP-C --- */

static const struct allowance each_peer = {MOMENT_SECOND / PUNTS_PEER_PER_S, PUNTS_PEER_BURST};
static const struct budget_rates others = {
    .each = {MOMENT_SECOND / PUNTS_OTHER_PER_S, PUNTS_OTHER_BURST},
    .all = {MOMENT_SECOND / PUNTS_OTHERS_PER_S, PUNTS_OTHERS_BURST},
};
static_assert(BUDGET_SOURCES > PUNTS_OTHERS_BURST + PUNTS_OTHERS_PER_S / PUNTS_OTHER_PER_S, "one each");

bool punts_gtpc_new(struct punts_gtpc *g, const struct siphash_key *key)
{
    g->key = *key;
    budget_init_rates(&g->others, &others);
    return u64_map_new(&g->peers, PUNTS_PEERS);
}

void punts_gtpc_free(struct punts_gtpc *g)
{
    u64_map_free(&g->peers);
}

/* -1: too many peers. */
int punts_order_peer(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct punts_gtpc *g = &w->gtpc;
    if (u64_map_get(&g->peers, msg->address.ip) != U64_MAP_NONE)
        return 0;
    if (g->count == PUNTS_PEERS || u64_map_put(&g->peers, msg->address.ip, g->count) < 0)
        return -1;
    g->any_whole_ns[g->count] = g->responses_whole_ns[g->count] = INT64_MIN;
    atomic_store_explicit(&g->ips[g->count], msg->address.ip, memory_order_relaxed);
    g->count++;
    return 0;
}

/* Passes a datagram to control in the share of its sender. */
static bool put_datagram(struct worker *w, struct msg *msg, const struct gn_datagram *datagram, int64_t now)
{
    struct punts_gtpc *g = &w->gtpc;
    uint32_t peer = u64_map_get(&g->peers, datagram->src_ip);
    if (datagram->src_ip == ADDRESS_NONE || peer == U64_MAP_NONE)
        return put(w, msg, SHARE_GTPC_OTHERS, budget_take(&g->others, gn_signal_source(datagram), now));
    bool is_response = msg->datagram.is_right_port;
    int64_t *whole_ns = is_response ? g->responses_whole_ns : g->any_whole_ns;
    return put(w, msg, (is_response ? SHARE_RESPONSES : SHARE_PEERS) + peer,
               allowance_take(&each_peer, &whole_ns[peer], now));
}

static enum drop take_gtpc(struct worker *w, struct rte_mbuf *mbuf, const uint8_t *bytes,
                           const struct gn_datagram *datagram, int64_t now)
{
    struct msg msg = {
        .type = MSG_PUNT_GN,
        .datagram = {.ours = datagram->dst_ip, .theirs = datagram->src_ip, .port = datagram->src_port},
        .mbuf = mbuf};
    size_t head = (size_t)(bytes - rte_pktmbuf_mtod(mbuf, const uint8_t *));
    bool is_right_port = w->has_gtpc && gtpc_port_is_right(&w->gtpc.key, datagram->src_ip, datagram->dst_port,
                                                           bytes, datagram->octets);
    msg.datagram.is_right_port = is_right_port;
    if (!w->has_gtpc || (datagram->dst_port != GTPC_PORT && !is_right_port))
        return DROP_OTHER_PORT;
    if (!gn_signal_is_peer(w, datagram))
        return DROP_IP_RESERVED_ADDRESS;
    rte_pktmbuf_adj(mbuf, (uint16_t)head);
    rte_pktmbuf_trim(mbuf, (uint16_t)(rte_pktmbuf_data_len(mbuf) - datagram->octets));
    return put_datagram(w, &msg, datagram, now) ? DROP_GTPC : DROP_PUNT_FULL;
}

void punts_datagram(struct worker *w, struct rte_mbuf *mbuf, const uint8_t *bytes,
                    const struct gn_datagram *datagram, int64_t now)
{
    enum drop reason = take_gtpc(w, mbuf, bytes, datagram, now);
    w->stats.gn_drops[reason]++;
    if (reason != DROP_GTPC)
        rte_pktmbuf_free(mbuf);
}
