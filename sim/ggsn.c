/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/ggsn.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"

#define HEADERS_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS + GTPU_OCTETS)
#define TTL            64

static const struct ggsn_tunnel *by_address(const struct ggsn *g, uint32_t address)
{
    size_t low = 0, high = g->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g->tunnels[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->count && g->tunnels[low].address == address ? &g->tunnels[low] : NULL;
}

static void put_headers(struct ggsn *g, const struct ggsn_tunnel *tunnel, uint8_t *frame, uint16_t octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {
        .src = g->ip,
        .dst = tunnel->sgsn_ip,
        .id = g->ip_id++,
        .ttl = TTL,
        .proto = IPV4_PROTO_UDP,
        .payload_octets = (uint16_t)(UDP_OCTETS + GTPU_OCTETS + octets),
    };
    struct udp udp = {
        .src_port = GTPU_PORT, .dst_port = GTPU_PORT, .payload_octets = (uint16_t)(GTPU_OCTETS + octets)};
    struct gtpu gtpu = {.type = GTPU_G_PDU, .teid = tunnel->teid, .payload_octets = octets};

    memcpy(ether.dst, g->sgsn_mac, sizeof(ether.dst));
    memcpy(ether.src, g->mac, sizeof(ether.src));
    frame += ether_encode(frame, ETHER_OCTETS, &ether);
    frame += ipv4_encode(frame, IPV4_OCTETS, &ip);
    frame += udp_encode(frame, UDP_OCTETS, &udp);
    gtpu_encode(frame, GTPU_OCTETS, &gtpu);
}

size_t ggsn_encapsulate(struct ggsn *g, const uint8_t *packet, size_t octets,
                        uint8_t frame[GGSN_FRAME_OCTETS])
{
    struct ipv4 ip;
    if (octets + HEADERS_OCTETS > GGSN_FRAME_OCTETS || ipv4_decode(&ip, packet, octets) < 0) {
        g->malformed++;
        return 0;
    }
    const struct ggsn_tunnel *tunnel = by_address(g, ip.dst);
    if (!tunnel) {
        g->unknown_address++;
        return 0;
    }
    put_headers(g, tunnel, frame, (uint16_t)octets);
    memcpy(frame + HEADERS_OCTETS, packet, octets);
    return HEADERS_OCTETS + octets;
}

const uint8_t *ggsn_decapsulate(struct ggsn *g, const uint8_t *frame, size_t octets, size_t *packet_octets)
{
    struct ether ether;
    struct ipv4 ip, inner;
    struct udp udp;
    struct gtpu gtpu;
    const uint8_t *at = frame;
    int offset = ether_decode(&ether, at, octets);
    bool is_good = offset >= 0 && ether.type == ETHER_TYPE_IPV4;

    if (is_good) {
        at += offset;
        offset = ipv4_decode(&ip, at, octets - (size_t)offset);
        is_good = offset >= 0 && ip.dst == g->ip && ipv4_is_checksum_good(at, IPV4_OCTETS);
    }
    if (is_good) {
        at += offset;
        is_good = udp_decode(&udp, at, ip.payload_octets) >= 0 && udp.dst_port == GTPU_PORT;
    }
    if (is_good) {
        at += UDP_OCTETS;
        offset = gtpu_decode(&gtpu, at, udp.payload_octets);
        is_good = offset >= 0 && gtpu.type == GTPU_G_PDU;
    }
    if (!is_good || ipv4_decode(&inner, at + offset, gtpu.payload_octets) < 0) {
        g->malformed++;
        return NULL;
    }
    const struct ggsn_tunnel *tunnel = by_address(g, inner.src);
    if (!tunnel || tunnel->ggsn_teid != gtpu.teid) {
        g->unknown_tunnel++;
        return NULL;
    }
    *packet_octets = gtpu.payload_octets;
    return at + offset;
}
