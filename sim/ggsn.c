/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/ggsn.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEADERS_OCTETS       (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS + GTPU_OCTETS)
#define TTL                  64
#define ECHO_RESPONSE_OCTETS 14

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

/* Ethernet, IP and UDP in front of `octets` of GTP-U to the SGSN. */
static uint8_t *put_transport(struct ggsn *g, uint32_t sgsn_ip, uint8_t *frame, uint16_t octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {
        .src = g->ip,
        .dst = sgsn_ip,
        .id = g->ip_id++,
        .ttl = TTL,
        .proto = IPV4_PROTO_UDP,
        .payload_octets = (uint16_t)(UDP_OCTETS + octets),
    };
    struct udp udp = {.src_port = GTPU_PORT, .dst_port = GTPU_PORT, .payload_octets = octets};

    memcpy(ether.dst, g->sgsn_mac, sizeof(ether.dst));
    memcpy(ether.src, g->mac, sizeof(ether.src));
    frame += ether_encode(frame, ETHER_OCTETS, &ether);
    frame += ipv4_encode(frame, IPV4_OCTETS, &ip);
    return frame + udp_encode(frame, UDP_OCTETS, &udp);
}

static void put_headers(struct ggsn *g, const struct ggsn_tunnel *tunnel, uint8_t *frame, uint16_t octets)
{
    struct gtpu gtpu = {.type = GTPU_G_PDU, .teid = tunnel->teid, .payload_octets = octets};
    frame = put_transport(g, tunnel->sgsn_ip, frame, (uint16_t)(GTPU_OCTETS + octets));
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

/* Returns the GTP-U header in a frame from the SGSN and fills in ip and gtpu; NULL: not GTP-U for this GGSN.
 */
static const uint8_t *unwrap(const struct ggsn *g, const uint8_t *frame, size_t octets, struct ipv4 *ip,
                             struct gtpu *gtpu)
{
    struct ether ether;
    struct udp udp;
    int offset = ether_decode(&ether, frame, octets);

    if (offset < 0 || ether.type != ETHER_TYPE_IPV4)
        return NULL;
    const uint8_t *at = frame + offset;
    offset = ipv4_decode(ip, at, octets - (size_t)offset);
    if (offset < 0 || ip->dst != g->ip || !ipv4_is_checksum_good(at, IPV4_OCTETS))
        return NULL;
    at += offset;
    if (udp_decode(&udp, at, ip->payload_octets) < 0 || udp.dst_port != GTPU_PORT)
        return NULL;
    at += UDP_OCTETS;
    return gtpu_decode(gtpu, at, udp.payload_octets) >= 0 ? at : NULL;
}

size_t ggsn_answer(struct ggsn *g, const uint8_t *frame, size_t octets, uint8_t answer[GGSN_FRAME_OCTETS])
{
    struct ipv4 ip;
    struct gtpu gtpu;
    if (!unwrap(g, frame, octets, &ip, &gtpu) || gtpu.type != GTPU_ECHO_REQUEST || g->is_silent)
        return 0;
    uint8_t *at = put_transport(g, ip.src, answer, ECHO_RESPONSE_OCTETS);
    gtpu_signal_echo_response_encode(at, ECHO_RESPONSE_OCTETS, gtpu.seq);
    g->echoes++;
    return (size_t)(at - answer) + ECHO_RESPONSE_OCTETS;
}

const uint8_t *ggsn_decapsulate(struct ggsn *g, const uint8_t *frame, size_t octets, size_t *packet_octets)
{
    struct ipv4 ip, inner;
    struct gtpu gtpu;
    const uint8_t *at = unwrap(g, frame, octets, &ip, &gtpu);

    if (at && gtpu.type == GTPU_ECHO_REQUEST)
        return NULL;
    if (!at || gtpu.type != GTPU_G_PDU ||
        ipv4_decode(&inner, at + gtpu.payload_offset, gtpu.payload_octets) < 0) {
        g->malformed++;
        return NULL;
    }
    const struct ggsn_tunnel *tunnel = by_address(g, inner.src);
    if (!tunnel || tunnel->ggsn_teid != gtpu.teid) {
        g->unknown_tunnel++;
        return NULL;
    }
    *packet_octets = gtpu.payload_octets;
    return at + gtpu.payload_offset;
}
