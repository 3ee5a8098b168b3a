/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/gb_wire.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <rte_mbuf.h>
#include <string.h>

#define HEADERS_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define FRAME_OCTETS   2048
#define TTL            64

static void capture(struct gb_wire *wire, const uint8_t *frame, size_t octets)
{
    if (wire->capture)
        capture_writer_put(wire->capture, wire->now, frame, octets);
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

struct ns_pdu {
    const uint8_t *bytes;
    size_t octets;
};

/* The NS-VC of a frame and its NS PDU; NULL: the addresses belong to no NS-VC. */
static const struct gb_wire_end *end_of(const struct gb_wire *wire, const uint8_t *frame, size_t octets,
                                        bool is_up, struct ns_pdu *ns_pdu)
{
    struct udp udp;
    struct ether ether;
    struct ipv4 ip;
    int header = -1, offset = ether_decode(&ether, frame, octets);
    if (offset >= 0)
        header = ipv4_decode(&ip, frame + offset, octets - (size_t)offset);
    if (header < 0 || udp_decode(&udp, frame + offset + header, ip.payload_octets) < 0)
        return NULL;
    ns_pdu->bytes = frame + offset + header + UDP_OCTETS;
    ns_pdu->octets = udp.payload_octets;
    uint32_t bss_ip = is_up ? ip.src : ip.dst, sgsn_ip = is_up ? ip.dst : ip.src;
    uint16_t bss_port = is_up ? udp.src_port : udp.dst_port;
    uint16_t sgsn_port = is_up ? udp.dst_port : udp.src_port;
    for (unsigned i = 0; i < wire->end_count; i++) {
        const struct gb_wire_end *end = &wire->ends[i];
        if (end->bss_ip == bss_ip && end->bss_port == bss_port && end->sgsn_ip == sgsn_ip &&
            end->sgsn_port == sgsn_port)
            return end;
    }
    return NULL;
}

static unsigned port_of(struct gb_wire *wire, const uint8_t *frame, size_t octets)
{
    struct ns_pdu ns_pdu;
    if (wire->port_count <= 1)
        return 0;
    if (wire->is_in_turn)
        return wire->next_port++ % wire->port_count;
    const struct gb_wire_end *end = end_of(wire, frame, octets, true, &ns_pdu);
    return end ? end->port : 0;
}

/* A frame reaches the SGSN. */
static void arrive_up(void *arg, const uint8_t *frame, size_t octets, int64_t now)
{
    struct gb_wire *wire = arg;
    capture(wire, frame, octets);
    if (vport_push(&wire->ports[port_of(wire, frame, octets)], frame, octets) < 0)
        wire->lost++;
}

/* A frame reaches its BSS. */
static void arrive_down(void *arg, const uint8_t *frame, size_t octets, int64_t now)
{
    struct gb_wire *wire = arg;
    struct ns_pdu ns_pdu;
    const struct gb_wire_end *end = end_of(wire, frame, octets, false, &ns_pdu);
    if (!end) {
        wire->strays++;
        return;
    }
    bss_rx(wire->bsses[end->bss], end->nsvc, ns_pdu.bytes, ns_pdu.octets, wire->now);
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

static void take_from(struct gb_wire *wire, struct vport *port)
{
    struct rte_mbuf *mbuf;
    while ((mbuf = vport_pull(port))) {
        const uint8_t *frame = rte_pktmbuf_mtod(mbuf, uint8_t *);
        capture(wire, frame, rte_pktmbuf_data_len(mbuf));
        delay_line_put(&wire->down, frame, rte_pktmbuf_data_len(mbuf), wire->now);
        rte_pktmbuf_free(mbuf);
    }
}

int64_t gb_wire_step(void *self, int64_t now)
{
    struct gb_wire *wire = self;
    int64_t next = MOMENT_NEVER;

    wire->now = now;
    for (unsigned i = 0; i < wire->port_count; i++)
        take_from(wire, &wire->ports[i]);
    next = moment_min(next, delay_line_step(&wire->down, now));
    for (unsigned i = 0; i < wire->bss_count; i++)
        next = moment_min(next, bss_step(wire->bsses[i], now));
    return moment_min(next, delay_line_step(&wire->up, now));
}
