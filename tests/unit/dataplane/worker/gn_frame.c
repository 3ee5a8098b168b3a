/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/worker/gn_frame.h"

#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

static uint8_t *put(uint8_t *at, uint64_t value, unsigned octets)
{
    for (unsigned i = octets; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + octets;
}

void gn_frame_sum_ip(uint8_t *ip)
{
    uint32_t sum = 0;
    put(ip + 10, 0, 2);
    for (unsigned i = 0; i < 4u * (ip[0] & 15); i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    put(ip + 10, ~(sum + (sum >> 16)) & 0xffff, 2);
}

void gn_frame_inner(uint8_t *out, uint16_t octets, uint16_t seed)
{
    uint32_t state = seed * 2654435761u + 1;
    for (unsigned i = 0; i < octets; i++) {
        state = state * 1664525 + 1013904223;
        out[i] = (uint8_t)(state >> 24);
    }
    if (octets < 20)
        return;
    out[0] = 0x45;
    put(out + 2, octets, 2);
    out[16] = 10; /* the destination is a host's */
}

static unsigned gtp_header_octets(const struct gn_frame *in)
{
    return in->gtp_flags ? 12 + 4u * (in->extension_units[0] + in->extension_units[1]) : 8;
}

static uint8_t *put_gtp(uint8_t *at, const struct gn_frame *in)
{
    at = put(at, 0x30 | in->gtp_flags, 1);
    at = put(at, 255, 1);
    at = put(at, gtp_header_octets(in) - 8 + in->inner_octets, 2);
    at = put(at, in->teid, 4);
    if (!in->gtp_flags)
        return at;
    at = put(at, 0xabcd77, 3); /* sequence number, N-PDU number */
    at = put(at, in->extension, 1);
    for (unsigned i = 0; i < 2 && in->extension_units[i]; i++) {
        unsigned octets = 4u * in->extension_units[i];
        bool is_last = i == 1 || in->extension_units[1] == 0;
        memset(at, 0x5a, octets);
        at[0] = in->extension_units[i];
        at[octets - 1] = is_last ? 0 : in->extension;
        at += octets;
    }
    return at;
}

static uint8_t *put_ip(uint8_t *at, const struct gn_frame *in, unsigned payload_octets)
{
    uint8_t *ip = at;
    unsigned header_octets = 20 + 4u * in->ip_option_words;

    at = put(at, 0x4000 | (header_octets / 4) << 8, 2);
    at = put(at, header_octets + payload_octets, 2);
    at = put(at, (uint32_t)in->seed << 16, 4);
    at = put(at, 0x4011, 2);
    at = put(at, 0, 2);
    at = put(at, KIT_GGSN_IP, 4);
    at = put(at, KIT_SGSN_IP, 4);
    memset(at, 1, header_octets - 20);
    gn_frame_sum_ip(ip);
    return ip + header_octets;
}

size_t gn_frame_build(uint8_t *out, const struct gn_frame *in)
{
    unsigned udp_octets = 8 + gtp_header_octets(in) + in->inner_octets;
    uint8_t *at = put(out, 0x020000000001, 6);

    at = put(at, 0x020000000002, 6);
    if (in->has_vlan)
        at = put(at, 0x81000064, 4);
    at = put(at, 0x0800, 2);
    at = put_ip(at, in, udp_octets);
    at = put(at, 0x0868, 2);
    at = put(at, 0x0868, 2);
    at = put(at, udp_octets, 2);
    at = put(at, 0, 2);
    at = put_gtp(at, in);
    gn_frame_inner(at, in->inner_octets, in->seed);
    at += in->inner_octets;
    memset(at, 0xee, in->padding_octets);
    return (size_t)(at - out) + in->padding_octets;
}

size_t gn_frame_wrap(uint8_t *out, const uint32_t ip[2], const uint16_t port[2], const uint8_t *gtp,
                     size_t gtp_octets)
{
    uint8_t *at = put(out, 0x020000000001, 6);
    at = put(at, 0x020000000002, 6);
    at = put(at, 0x08004500, 4);
    at = put(at, 28 + gtp_octets, 2);
    at = put(at, 0, 4);
    at = put(at, 0x4011, 2);
    at = put(at, 0, 2);
    at = put(at, ip[0], 4);
    at = put(at, ip[1], 4);
    gn_frame_sum_ip(out + GN_FRAME_IP);
    at = put(at, port[0], 2);
    at = put(at, port[1], 2);
    at = put(at, 8 + gtp_octets, 2);
    at = put(at, 0, 2);
    memcpy(at, gtp, gtp_octets);
    return GN_FRAME_GTP + gtp_octets;
}

size_t gn_frame_fragment(uint8_t *out, const uint8_t *frame, size_t octets, size_t piece_octets,
                         unsigned index)
{
    size_t total = octets - GN_FRAME_UDP, from = index * piece_octets;
    if (from >= total)
        return 0;
    size_t piece = total - from < piece_octets ? total - from : piece_octets;
    memcpy(out, frame, GN_FRAME_UDP);
    memcpy(out + GN_FRAME_UDP, frame + GN_FRAME_UDP + from, piece);
    put(out + GN_FRAME_IP + 2, 20 + piece, 2);
    put(out + GN_FRAME_IP + 6, from / 8 | (from + piece < total ? 0x2000 : 0), 2);
    gn_frame_sum_ip(out + GN_FRAME_IP);
    return GN_FRAME_UDP + piece;
}

void gn_frame_put(struct kit *kit, uint32_t teid, uint16_t inner_octets)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_from_gn(kit, frame,
                gn_frame_build(frame, &(struct gn_frame){.teid = teid, .inner_octets = inner_octets}));
}
