/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gn_headers.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"
#include "dataplane/worker/worker.h"

#include <string.h>

#define TTL 64

void gn_headers_put(struct worker *w, uint8_t *frame, const struct gn_datagram *datagram)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {
        .src = datagram->src_ip,
        .dst = datagram->dst_ip,
        .id = w->gn_ip_id++,
        .ttl = TTL,
        .proto = IPV4_PROTO_UDP,
        .payload_octets = (uint16_t)(UDP_OCTETS + datagram->octets),
    };
    struct udp udp = {
        .src_port = datagram->src_port, .dst_port = datagram->dst_port, .payload_octets = datagram->octets};

    memcpy(ether.dst, w->gn_peer_mac, sizeof(ether.dst));
    memcpy(ether.src, w->gn_mac, sizeof(ether.src));
    ether_encode(frame, ETHER_OCTETS, &ether);
    ipv4_encode(frame + ETHER_OCTETS, IPV4_OCTETS, &ip);
    udp_encode(frame + ETHER_OCTETS + IPV4_OCTETS, UDP_OCTETS, &udp);
}
