/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/node_mac.h"
#include "bench/throughput/gb_peer.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <string.h>

#define AGAIN_NS     (MOMENT_SECOND / 10)
#define FRAME_OCTETS 60

static void ask_on(struct bench_generator *g, const struct port *port, const uint8_t own_mac[6],
                   uint32_t own_ip, uint32_t ip)
{
    struct ether ether = {.dst = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, .type = ETHER_TYPE_ARP};
    struct arp arp = {.operation = ARP_REQUEST, .sender_ip = own_ip, .target_ip = ip};
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(g->tx_pool);
    uint8_t *frame = mbuf ? (uint8_t *)rte_pktmbuf_append(mbuf, FRAME_OCTETS) : NULL;
    if (frame) {
        memset(frame, 0, FRAME_OCTETS);
        memcpy(ether.src, own_mac, sizeof(ether.src));
        memcpy(arp.sender_mac, own_mac, sizeof(arp.sender_mac));
        ether_encode(frame, ETHER_OCTETS, &ether);
        arp_encode(frame + ETHER_OCTETS, ARP_OCTETS, &arp);
    }
    if (!frame || rte_eth_tx_burst(port->id, port->queue, &mbuf, 1) == 0)
        rte_pktmbuf_free(mbuf);
}

void bench_node_mac_ask(struct bench_generator *g, int64_t now)
{
    static const uint8_t gn_mac[] = BENCH_GB_PEER_GN_MAC, gb_mac[] = BENCH_GB_PEER_GB_MAC;
    const struct bench_traffic_params *params = &g->links[0].traffic.params;
    if (now - g->asked_ns < AGAIN_NS)
        return;
    g->asked_ns = now;
    if (!g->is_gn_mac_known)
        ask_on(g, &g->links[0].gn, gn_mac, params->ggsn_ip, params->sgsn_ip);
    if (!g->gb_peers->is_mac_known)
        ask_on(g, &g->links[0].gb, gb_mac, BENCH_GB_PEER_BSS_IP, BENCH_GB_PEER_SGSN_IP);
}

static void take_gn(struct bench_generator *g, const uint8_t mac[6])
{
    g->is_gn_mac_known = true;
    memcpy(g->gn_mac, mac, sizeof(g->gn_mac));
    for (unsigned i = 0; i < g->link_count; i++)
        bench_traffic_address(&g->links[i].traffic, mac);
}

static void take_gb(struct bench_generator *g, const uint8_t mac[6])
{
    for (unsigned i = 0; i < g->link_count; i++) {
        g->gb_peers[i].is_mac_known = true;
        memcpy(g->gb_peers[i].node_mac, mac, sizeof(g->gb_peers[i].node_mac));
    }
}

void bench_node_mac_take(struct bench_generator *g, const uint8_t *frame, size_t octets)
{
    struct ether ether;
    struct arp arp;
    int offset = ether_decode(&ether, frame, octets);
    if (offset < 0 || ether.type != ETHER_TYPE_ARP ||
        arp_decode(&arp, frame + offset, octets - (size_t)offset) < 0)
        return;
    if (!g->is_gn_mac_known && arp.sender_ip == g->links[0].traffic.params.sgsn_ip)
        take_gn(g, arp.sender_mac);
    if (!g->gb_peers->is_mac_known && arp.sender_ip == BENCH_GB_PEER_SGSN_IP)
        take_gb(g, arp.sender_mac);
}
