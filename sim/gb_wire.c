/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/gb_wire.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"

#include <rte_mbuf.h>
#include <string.h>

#define HEADERS_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define FRAME_OCTETS   2048
#define TTL            64

static void capture(struct gb_wire *wire, const uint8_t *frame, size_t octets)
{
    if (wire->capture)
        pcapng_write(wire->capture, wire->now, frame, octets);
}

static void put_headers(struct gb_wire *wire, const struct gb_wire_end *end, uint8_t *frame, size_t octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {
        .src = end->bss_ip,
        .dst = end->sgsn_ip,
        .id = wire->ip_id++,
        .ttl = TTL,
        .proto = IPV4_PROTO_UDP,
        .payload_octets = (uint16_t)(UDP_OCTETS + octets),
    };
    struct udp udp = {
        .src_port = end->bss_port, .dst_port = end->sgsn_port, .payload_octets = (uint16_t)octets};

    memcpy(ether.dst, end->sgsn_mac, sizeof(ether.dst));
    memcpy(ether.src, end->bss_mac, sizeof(ether.src));
    ether_encode(frame, ETHER_OCTETS, &ether);
    ipv4_encode(frame + ETHER_OCTETS, IPV4_OCTETS, &ip);
    udp_encode(frame + ETHER_OCTETS + IPV4_OCTETS, UDP_OCTETS, &udp);
}

void gb_wire_send(void *tap, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    const struct gb_wire_tap *from = tap;
    struct gb_wire *wire = from->wire;
    uint8_t frame[FRAME_OCTETS];

    for (unsigned i = 0; i < wire->end_count; i++) {
        if (wire->ends[i].bss != from->bss || wire->ends[i].nsvc != nsvc)
            continue;
        if (octets > sizeof(frame) - HEADERS_OCTETS)
            break;
        put_headers(wire, &wire->ends[i], frame, octets);
        memcpy(frame + HEADERS_OCTETS, ns_pdu, octets);
        delay_line_put(&wire->up, frame, HEADERS_OCTETS + octets, wire->now);
        return;
    }
    wire->lost++;
}

static const struct gb_wire_end *end_of(const struct gb_wire *wire, const struct ipv4 *ip,
                                        const struct udp *udp)
{
    for (unsigned i = 0; i < wire->end_count; i++) {
        const struct gb_wire_end *end = &wire->ends[i];
        if (end->bss_ip == ip->dst && end->bss_port == udp->dst_port && end->sgsn_ip == ip->src &&
            end->sgsn_port == udp->src_port)
            return end;
    }
    return NULL;
}

/* A frame reaches the SGSN. */
static void arrive_up(void *arg, const uint8_t *frame, size_t octets, int64_t now)
{
    struct gb_wire *wire = arg;
    capture(wire, frame, octets);
    if (vport_push(wire->port, frame, octets) < 0)
        wire->lost++;
}

/* A frame reaches its BSS. */
static void arrive_down(void *arg, const uint8_t *frame, size_t octets, int64_t now)
{
    struct gb_wire *wire = arg;
    struct ether ether;
    struct ipv4 ip;
    struct udp udp;
    int offset = ether_decode(&ether, frame, octets);

    if (offset >= 0) {
        const uint8_t *bytes = frame + offset;
        int header = ipv4_decode(&ip, bytes, octets - (size_t)offset);
        if (header >= 0 && udp_decode(&udp, bytes + header, ip.payload_octets) >= 0) {
            const struct gb_wire_end *end = end_of(wire, &ip, &udp);
            if (end) {
                bss_rx(wire->bsses[end->bss], end->nsvc, bytes + header + UDP_OCTETS, udp.payload_octets,
                       wire->now);
                return;
            }
        }
    }
    wire->strays++;
}

void gb_wire_init(struct gb_wire *wire, int64_t delay_ns)
{
    delay_line_init(&wire->down, delay_ns, arrive_down, wire);
    delay_line_init(&wire->up, delay_ns, arrive_up, wire);
}

void gb_wire_fini(struct gb_wire *wire)
{
    delay_line_fini(&wire->down);
    delay_line_fini(&wire->up);
}

int64_t gb_wire_step(void *self, int64_t now)
{
    struct gb_wire *wire = self;
    struct rte_mbuf *mbuf;
    int64_t next = MOMENT_NEVER;

    wire->now = now;
    while ((mbuf = vport_pull(wire->port))) {
        capture(wire, rte_pktmbuf_mtod(mbuf, uint8_t *), rte_pktmbuf_data_len(mbuf));
        delay_line_put(&wire->down, rte_pktmbuf_mtod(mbuf, uint8_t *), rte_pktmbuf_data_len(mbuf), now);
        rte_pktmbuf_free(mbuf);
    }
    next = moment_min(next, delay_line_step(&wire->down, now));
    for (unsigned i = 0; i < wire->bss_count; i++)
        next = moment_min(next, bss_step(wire->bsses[i], now));
    return moment_min(next, delay_line_step(&wire->up, now));
}
