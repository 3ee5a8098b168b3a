/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/neighbour_frame6.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <string.h>

#define TYPE_IPV6     0x86dd
#define HEADER_OCTETS 40
#define PROTO_ICMP6   58
#define HOPS_ON_LINK  255 /* not from beyond a router, which would lower it (RFC 4861 clause 3.1) */
#define HOPS          64
#define ECHO_REQUEST  128
#define ECHO_REPLY    129
#define MESSAGE_MAX   (NEIGHBOUR_FRAME_OCTETS - ETHER_OCTETS - HEADER_OCTETS)

static const struct neighbour_ip all_nodes = {.octets = {0xff, 2, [15] = 1}};

/* The checksum over a message and its pseudo-header (RFC 8200 clause 8.1); 0: the received one is right. */
static uint16_t checksum(const struct neighbour_ip *src, const struct neighbour_ip *dst,
                         const uint8_t *message, size_t octets)
{
    uint8_t all[HEADER_OCTETS + MESSAGE_MAX] = {0};
    memcpy(all, src->octets, 16);
    memcpy(all + 16, dst->octets, 16);
    bytes_put_u32(all + 32, (uint32_t)octets);
    all[39] = PROTO_ICMP6;
    memcpy(all + HEADER_OCTETS, message, octets);
    return ipv4_checksum(all, HEADER_OCTETS + octets);
}

bool neighbour_frame6_read(struct neighbour_frame6 *out, const uint8_t *bytes, size_t octets)
{
    if (octets < HEADER_OCTETS || bytes[0] >> 4 != 6 || bytes[6] != PROTO_ICMP6)
        return false;
    size_t length = bytes_get_u16(bytes + 4);
    if (length < 4 || length > octets - HEADER_OCTETS || length > MESSAGE_MAX)
        return false;
    *out = (struct neighbour_frame6){.src = neighbour_ip_v6(bytes + 8),
                                     .dst = neighbour_ip_v6(bytes + 24),
                                     .hop_limit = bytes[7],
                                     .message = bytes + HEADER_OCTETS,
                                     .octets = length};
    return checksum(&out->src, &out->dst, out->message, length) == 0;
}

/* Writes headers and checksum of a message that is in the frame already, with checksum 0. */
static size_t finish(uint8_t *frame, const uint8_t *dst_mac, const uint8_t *src_mac, uint8_t hops,
                     const struct neighbour_frame6 *packet)
{
    struct ether ether = {.type = TYPE_IPV6};
    uint8_t *header = frame + ETHER_OCTETS, *message = header + HEADER_OCTETS;
    memcpy(ether.dst, dst_mac, sizeof(ether.dst));
    memcpy(ether.src, src_mac, sizeof(ether.src));
    ether_encode(frame, ETHER_OCTETS, &ether);
    memset(header, 0, 8);
    header[0] = 0x60;
    bytes_put_u16(header + 4, (uint16_t)packet->octets);
    header[6] = PROTO_ICMP6;
    header[7] = hops;
    memcpy(header + 8, packet->src.octets, 16);
    memcpy(header + 24, packet->dst.octets, 16);
    bytes_put_u16(message + 2, checksum(&packet->src, &packet->dst, message, packet->octets));
    return ETHER_OCTETS + HEADER_OCTETS + packet->octets;
}

static size_t finish_nd(uint8_t *frame, const uint8_t *dst_mac, const struct nd *nd,
                        struct neighbour_frame6 *packet)
{
    packet->octets = (size_t)nd_encode(frame + ETHER_OCTETS + HEADER_OCTETS, ND_MAX_OCTETS, nd);
    return finish(frame, dst_mac, nd->mac, HOPS_ON_LINK, packet);
}

/* 33:33 and the last four octets of a group (RFC 2464 clause 7). */
static void put_group_mac(uint8_t mac[6], const struct neighbour_ip *group)
{
    mac[0] = mac[1] = 0x33;
    memcpy(mac + 2, group->octets + 12, 4);
}

size_t neighbour_frame6_solicit(uint8_t *frame, const uint8_t mac[6], const struct neighbour_ip *own,
                                const struct neighbour_ip *ip)
{
    struct nd nd = {.type = ND_SOLICITATION, .has_mac = true};
    struct neighbour_frame6 packet = {.src = *own, .dst = {.octets = {0xff, 2, [11] = 1, 0xff}}};
    uint8_t group[6];
    memcpy(packet.dst.octets + 13, ip->octets + 13, 3);
    put_group_mac(group, &packet.dst);
    memcpy(nd.target, ip->octets, sizeof(nd.target));
    memcpy(nd.mac, mac, sizeof(nd.mac));
    return finish_nd(frame, group, &nd, &packet);
}

size_t neighbour_frame6_advertise(uint8_t *frame, const uint8_t mac[6], const struct neighbour_ip *own,
                                  const struct neighbour_ip *to, const uint8_t *to_mac)
{
    struct nd nd = {
        .type = ND_ADVERTISEMENT, .has_mac = true, .is_solicited = to != NULL, .is_override = true};
    struct neighbour_frame6 packet = {.src = *own, .dst = to ? *to : all_nodes};
    uint8_t group[6];
    put_group_mac(group, &all_nodes);
    memcpy(nd.target, own->octets, sizeof(nd.target));
    memcpy(nd.mac, mac, sizeof(nd.mac));
    return finish_nd(frame, to_mac ? to_mac : group, &nd, &packet);
}

size_t neighbour_frame6_echo(uint8_t *frame, const uint8_t mac[6], const struct neighbour_frame6 *request,
                             const uint8_t *to_mac)
{
    struct neighbour_frame6 packet = {.src = request->dst, .dst = request->src, .octets = request->octets};
    uint8_t *message = frame + ETHER_OCTETS + HEADER_OCTETS;
    if (request->octets < 8 || request->message[0] != ECHO_REQUEST || request->message[1] != 0)
        return 0;
    memcpy(message, request->message, request->octets);
    message[0] = ECHO_REPLY;
    bytes_put_u16(message + 2, 0);
    return finish(frame, to_mac, mac, HOPS, &packet);
}
