/* SPDX-License-Identifier: BSD-3-Clause */

#include "bench/micro/fixture_orders.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#define TEID_OFFSET 4 /* in the GTP-U header */

void fixture_frame_make(uint8_t *frame, uint16_t n_pdu_octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct udp udp = {.dst_port = GTPU_PORT, .payload_octets = (uint16_t)(GTPU_OCTETS + n_pdu_octets)};
    struct gtpu gtpu = {.type = GTPU_G_PDU, .payload_octets = n_pdu_octets};
    struct ipv4 inner = {
        .ttl = 64, .proto = IPV4_PROTO_UDP, .payload_octets = (uint16_t)(n_pdu_octets - IPV4_OCTETS)};
    struct ipv4 outer = inner;

    outer.src = FIXTURE_ORDERS_GGSN_IP;
    outer.dst = FIXTURE_ORDERS_SGSN_IP;
    outer.payload_octets = (uint16_t)(UDP_OCTETS + udp.payload_octets);
    frame += ether_encode(frame, ETHER_OCTETS, &ether);
    frame += ipv4_encode(frame, IPV4_OCTETS, &outer);
    frame += udp_encode(frame, UDP_OCTETS, &udp);
    frame += gtpu_encode(frame, GTPU_OCTETS, &gtpu);
    ipv4_encode(frame, IPV4_OCTETS, &inner);
}

void fixture_frame_set_teid(uint8_t *frame, uint32_t teid)
{
    bytes_put_u32(frame + GB_HEADER_OCTETS + TEID_OFFSET, teid);
}
