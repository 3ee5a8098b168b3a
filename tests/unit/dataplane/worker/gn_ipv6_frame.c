/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include "tests/unit/dataplane/worker/gn_frame.h"

#include <string.h>

#define FRAGMENT_OCTETS 8

const uint8_t gn_ipv6_addresses[3][16] = {
    {0x20, 1, 0x0d, 0xb8, [15] = 1}, {0x20, 1, 0x0d, 0xb8, [15] = 2}, {0x20, 1, 0x0d, 0xb8, [15] = 3}};

static uint8_t *put(uint8_t *at, uint64_t value, unsigned octets)
{
    for (unsigned i = octets; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + octets;
}

void gn_ipv6_order(struct kit *kit, uint32_t teid)
{
    for (uint32_t i = 0; i < 3; i++) {
        struct msg msg = {.type = MSG_GN_IPV6, .ipv6 = {.place = i}};
        memcpy(msg.ipv6.octets, gn_ipv6_addresses[i], sizeof(msg.ipv6.octets));
        kit_do(kit, &msg);
    }
    struct msg pdp = kit_pdp(1, 0, 6, teid);
    pdp.pdp.sgsn_ip = GN_IPV6_SGSN;
    pdp.pdp.ggsn_ip = GN_IPV6_GGSN;
    kit_do(kit, &pdp);
}

void gn_ipv6_sum(uint8_t *frame)
{
    uint8_t *udp = frame + GN_IPV6_UDP;
    unsigned octets = (unsigned)udp[4] << 8 | udp[5];
    uint32_t sum = octets + 17;
    put(udp + 6, 0, 2);
    for (unsigned i = 0; i < 32; i += 2)
        sum += (uint32_t)frame[GN_IPV6_IP + 8 + i] << 8 | frame[GN_IPV6_IP + 9 + i];
    for (unsigned i = 0; i < octets; i++)
        sum += i % 2 ? udp[i] : (uint32_t)udp[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    put(udp + 6, sum == 0xffff ? 0xffff : ~sum & 0xffff, 2);
}

size_t gn_ipv6_wrap(uint8_t *out, const uint8_t *const ip[2], const uint16_t port[2], const uint8_t *gtp,
                    size_t gtp_octets)
{
    uint8_t *at = put(out, 0x020000000001, 6);
    at = put(at, 0x020000000002, 6);
    at = put(at, 0x86dd, 2);
    at = put(at, 0x60000000, 4);
    at = put(at, 8 + gtp_octets, 2);
    at = put(at, 0x1140, 2);
    memcpy(at, ip[0], 16);
    memcpy(at + 16, ip[1], 16);
    at = put(at + 32, port[0], 2);
    at = put(at, port[1], 2);
    at = put(at, 8 + gtp_octets, 2);
    at = put(at, 0, 2);
    memcpy(at, gtp, gtp_octets);
    gn_ipv6_sum(out);
    return GN_IPV6_GTP + gtp_octets;
}

size_t gn_ipv6_g_pdu(uint8_t *out, uint32_t teid, uint16_t inner_octets, uint16_t seed)
{
    static const uint16_t ports[] = {2152, 2152};
    const uint8_t *const ip[] = {gn_ipv6_addresses[1], gn_ipv6_addresses[0]};
    uint8_t gtp[4096] = {0x30, 255};
    put(gtp + 2, inner_octets, 2);
    put(gtp + 4, teid, 4);
    gn_frame_inner(gtp + 8, inner_octets, seed);
    return gn_ipv6_wrap(out, ip, ports, gtp, 8u + inner_octets);
}

size_t gn_ipv6_fragment(uint8_t *out, const uint8_t *frame, size_t octets, size_t piece_octets,
                        unsigned index)
{
    size_t total = octets - GN_IPV6_UDP, from = index * piece_octets;
    if (from >= total)
        return 0;
    size_t piece = total - from < piece_octets ? total - from : piece_octets;
    memcpy(out, frame, GN_IPV6_UDP);
    put(out + GN_IPV6_IP + 4, FRAGMENT_OCTETS + piece, 2);
    put(out + GN_IPV6_IP + 6, 44, 1);
    put(out + GN_IPV6_UDP, 17, 1);
    put(out + GN_IPV6_UDP + 1, 0, 1);
    put(out + GN_IPV6_UDP + 2, from | (from + piece < total), 2);
    put(out + GN_IPV6_UDP + 4, 0xabcd0077, 4);
    memcpy(out + GN_IPV6_UDP + FRAGMENT_OCTETS, frame + GN_IPV6_UDP + from, piece);
    return GN_IPV6_UDP + FRAGMENT_OCTETS + piece;
}
