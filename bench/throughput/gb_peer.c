/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/gb_peer.h"

#include "dataplane/base/moment.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ns.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define TTL            64
#define NEXT_NS        (MOMENT_SECOND / 1000) /* until the next step, at most */

/* --- sending --- */

static void put_headers(struct bench_gb_peer *peer, uint8_t *at, size_t ns_octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4, .src = BENCH_GB_PEER_GB_MAC};
    struct ipv4 ip = {.src = BENCH_GB_PEER_BSS_IP,
                      .dst = BENCH_GB_PEER_SGSN_IP,
                      .ttl = TTL,
                      .proto = IPV4_PROTO_UDP,
                      .id = peer->ip_id++,
                      .payload_octets = (uint16_t)(UDP_OCTETS + ns_octets)};
    struct udp udp = {.src_port = BENCH_GB_PEER_PORT,
                      .dst_port = BENCH_GB_PEER_PORT,
                      .payload_octets = (uint16_t)ns_octets};
    memcpy(ether.dst, peer->node_mac, sizeof(ether.dst));
    at += ether_encode(at, ETHER_OCTETS, &ether);
    at += ipv4_encode(at, IPV4_OCTETS, &ip);
    udp_encode(at, UDP_OCTETS, &udp);
}

static void sends(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct bench_gb_peer *peer = arg;
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(peer->pool);
    uint8_t *at = mbuf ? (uint8_t *)rte_pktmbuf_append(mbuf, (uint16_t)(HEADERS_OCTETS + octets)) : NULL;
    if (at) {
        put_headers(peer, at, octets);
        memcpy(at + HEADERS_OCTETS, ns_pdu, octets);
        if (rte_eth_tx_burst(peer->gb->id, peer->gb->queue, &mbuf, 1) == 1)
            return;
    }
    rte_pktmbuf_free(mbuf);
    peer->unsent++;
}

static void delivers(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                     int64_t now)
{
}

/* --- the BSS --- */

static struct bss *make(struct bench_gb_peer *peer, uint16_t cells)
{
    static const uint16_t nsvcis[] = {BENCH_GB_PEER_NSVCI};
    const struct bss_bucket open = {BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS};
    const struct bss_ops ops = {.arg = peer, .send = sends, .deliver = delivers};
    struct bss_config config = {
        .nsei = BENCH_GB_PEER_NSEI, .nsvcis = nsvcis, .nsvc_count = 1, .cell_count = cells};
    struct bss_cell_config *list = calloc(cells, sizeof(*list));
    if (!list)
        return NULL;
    for (uint16_t i = 0; i < cells; i++)
        list[i] =
            (struct bss_cell_config){.bvci = (uint16_t)(BENCH_GB_PEER_BVCI + i),
                                     .cell_id = {.mcc = "001", .mnc = "01", .lac = 1, .rac = 1, .ci = i},
                                     .bvc = open,
                                     .ms_default = open};
    config.cells = list;
    struct bss *bss = bss_new(&config, &ops);
    free(list);
    return bss;
}

bool bench_gb_peer_new(struct bench_gb_peer *peer, const struct port *gb, struct rte_mempool *pool,
                       uint16_t cells, const uint8_t *mac)
{
    *peer = (struct bench_gb_peer){.gb = gb, .pool = pool, .cells = cells, .is_mac_known = mac != NULL};
    memset(peer->node_mac, 0xff, sizeof(peer->node_mac));
    if (mac)
        memcpy(peer->node_mac, mac, sizeof(peer->node_mac));
    peer->bss = make(peer, cells);
    return peer->bss != NULL;
}

void bench_gb_peer_free(struct bench_gb_peer *peer)
{
    bss_free(peer->bss);
    peer->bss = NULL;
}

/* --- steps and frames --- */

void bench_gb_peer_step(struct bench_gb_peer *peer, int64_t now)
{
    if (now < peer->next_ns)
        return;
    int64_t next_ns = bss_step(peer->bss, now);
    peer->next_ns = next_ns <= now ? now : moment_min(next_ns, now + NEXT_NS);
}

/* Offset of the NS PDU in a frame to this BSS; 0: another frame. */
static size_t ns_offset(const uint8_t *frame, size_t octets, struct ether *ether)
{
    struct ipv4 ip;
    struct udp udp;
    int l2 = ether_decode(ether, frame, octets);
    if (l2 < 0 || ether->type != ETHER_TYPE_IPV4)
        return 0;
    int l3 = ipv4_decode(&ip, frame + l2, octets - (size_t)l2);
    if (l3 < 0 || ip.proto != IPV4_PROTO_UDP || ip.dst != BENCH_GB_PEER_BSS_IP || ipv4_is_fragment(&ip))
        return 0;
    int l4 = udp_decode(&udp, frame + l2 + l3, ip.payload_octets);
    return l4 < 0 || udp.dst_port != BENCH_GB_PEER_PORT ? 0 : (size_t)(l2 + l3 + l4);
}

bool bench_gb_peer_is_user(const uint8_t *frame, size_t octets)
{
    const uint8_t *ns = frame + HEADERS_OCTETS;
    return octets > HEADERS_OCTETS + NS_UNITDATA_HEADER_OCTETS && ns[0] == NS_UNITDATA &&
           ns[NS_UNITDATA_HEADER_OCTETS] == BSSGP_DL_UNITDATA && frame[ETHER_OCTETS] == 0x45 &&
           frame[ETHER_OCTETS + 9] == IPV4_PROTO_UDP;
}

void bench_gb_peer_take(struct bench_gb_peer *peer, const uint8_t *frame, size_t octets, int64_t now)
{
    struct ether ether;
    size_t offset = ns_offset(frame, octets, &ether);
    if (offset == 0) {
        peer->other_frames++;
        return;
    }
    if (!peer->is_mac_known)
        memcpy(peer->node_mac, ether.src, sizeof(peer->node_mac));
    peer->is_mac_known = true;
    bss_rx(peer->bss, 0, frame + offset, octets - offset, now);
    peer->next_ns = now;
}

bool bench_gb_peer_is_up(const struct bench_gb_peer *peer)
{
    for (uint16_t i = 0; i < peer->cells; i++)
        if (!bss_is_up(peer->bss, (uint16_t)(BENCH_GB_PEER_BVCI + i)))
            return false;
    return true;
}
