/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/neighbour_frame.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <string.h>

#define MIN_OCTETS 60 /* of a frame, without its checksum */
#define TTL        64

static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static uint8_t *put_ether(uint8_t *frame, const uint8_t *dst, const uint8_t *src, uint16_t type)
{
    struct ether ether = {.type = type};
    memcpy(ether.dst, dst, sizeof(ether.dst));
    memcpy(ether.src, src, sizeof(ether.src));
    memset(frame, 0, MIN_OCTETS);
    return frame + ether_encode(frame, ETHER_OCTETS, &ether);
}

static size_t put_arp(uint8_t *frame, const uint8_t *dst, const struct arp *arp)
{
    arp_encode(put_ether(frame, dst, arp->sender_mac, ETHER_TYPE_ARP), ARP_OCTETS, arp);
    return MIN_OCTETS;
}

size_t neighbour_frame_request(uint8_t *frame, const uint8_t mac[6], uint32_t own_ip, uint32_t ip)
{
    struct arp arp = {.operation = ARP_REQUEST, .sender_ip = own_ip, .target_ip = ip};
    memcpy(arp.sender_mac, mac, sizeof(arp.sender_mac));
    return put_arp(frame, everybody, &arp);
}

size_t neighbour_frame_reply(uint8_t *frame, const uint8_t mac[6], const struct arp *request)
{
    struct arp arp = {
        .operation = ARP_REPLY, .sender_ip = request->target_ip, .target_ip = request->sender_ip};
    memcpy(arp.sender_mac, mac, sizeof(arp.sender_mac));
    memcpy(arp.target_mac, request->sender_mac, sizeof(arp.target_mac));
    return put_arp(frame, request->sender_mac, &arp);
}

size_t neighbour_frame_echo(uint8_t *frame, const uint8_t mac[6], const struct neighbour_frame_packet *packet)
{
    struct ipv4 ip;
    struct icmp_echo echo;
    int header = ipv4_decode(&ip, packet->bytes, packet->octets);

    if (header < 0 || ipv4_is_fragment(&ip) ||
        icmp_echo_decode(&echo, packet->bytes + header, ip.payload_octets) < 0 || echo.type != ICMP_ECHO ||
        ip.payload_octets > NEIGHBOUR_FRAME_OCTETS - ETHER_OCTETS - IPV4_OCTETS)
        return 0;
    struct ipv4 back = {.src = ip.dst,
                        .dst = ip.src,
                        .tos = ip.tos,
                        .ttl = TTL,
                        .proto = ip.proto,
                        .payload_octets = ip.payload_octets};
    echo.type = ICMP_ECHO_REPLY;
    uint8_t *at = put_ether(frame, packet->src_mac, mac, ETHER_TYPE_IPV4);
    at += ipv4_encode(at, IPV4_OCTETS, &back);
    icmp_echo_encode(at, ip.payload_octets, &echo);
    size_t octets = (size_t)ETHER_OCTETS + IPV4_OCTETS + ip.payload_octets;
    return octets < MIN_OCTETS ? MIN_OCTETS : octets;
}
