/* SPDX-License-Identifier: BSD-3-Clause */
/* The GGSN: by address into tunnels and out of them, and what it refuses. */
#include "sim/ggsn.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define HEADERS (14 + 20 + 8 + 8)
#define OURS    UINT32_C(0x0a620001)
#define SGSN    UINT32_C(0x0a620002)
#define MOBILE  UINT32_C(0x0a2d0001)

/* Sorted by address, with gaps. */
static const struct ggsn_tunnel tunnels[] = {
    {MOBILE, SGSN, 0x11, 0x91}, {MOBILE + 1, SGSN, 0x12, 0x92}, {MOBILE + 5, SGSN, 0x13, 0x93}};

static struct ggsn fresh(void)
{
    return (struct ggsn){
        .ip = OURS, .mac = {2, 1}, .sgsn_mac = {2, 2}, .tunnels = tunnels, .count = COUNT(tunnels)};
}

/* An IP packet of so many octets. */
static void make_packet(uint8_t *packet, size_t octets, uint32_t src, uint32_t dst)
{
    struct ipv4 ip = {
        .src = src, .dst = dst, .ttl = 60, .proto = 1, .payload_octets = (uint16_t)(octets - 20)};
    ipv4_encode(packet, 20, &ip);
    for (size_t i = 20; i < octets; i++)
        packet[i] = (uint8_t)i;
}

/* --- downlink --- */

static const struct {
    uint32_t dst;
    size_t octets;
    uint32_t teid; /* 0: refused */
} downs[] = {
    {MOBILE, 20, 0x11},    {MOBILE + 1, 1500, 0x12}, {MOBILE + 5, GGSN_FRAME_OCTETS - HEADERS, 0x13},
    {MOBILE + 5, 1999, 0}, {MOBILE + 2, 100, 0},     {MOBILE - 1, 100, 0},
    {MOBILE + 6, 100, 0},  {UINT32_MAX, 100, 0},
};

static void check_frame(const uint8_t *frame, size_t octets, size_t inner_octets, uint32_t teid)
{
    struct ether ether = {0};
    struct ipv4 ip = {0};
    struct udp udp = {0};
    struct gtpu gtpu = {0};

    assert_int_equal(ether_decode(&ether, frame, octets), 14);
    assert_int_equal(ether.type, ETHER_TYPE_IPV4);
    assert_true(ether.dst[1] == 2 && ether.src[1] == 1);
    assert_int_equal(ipv4_decode(&ip, frame + 14, octets - 14), 20);
    assert_true(ip.src == OURS && ip.dst == SGSN && ipv4_is_checksum_good(frame + 14, 20));
    assert_int_equal(udp_decode(&udp, frame + 34, ip.payload_octets), 8);
    assert_true(udp.src_port == GTPU_PORT && udp.dst_port == GTPU_PORT);
    assert_int_equal(gtpu_decode(&gtpu, frame + 42, udp.payload_octets), 8);
    assert_int_equal(gtpu.type, GTPU_G_PDU);
    assert_int_equal(gtpu.teid, teid);
    assert_int_equal(gtpu.payload_octets, inner_octets);
}

TEST(encapsulates)
{
    uint8_t packet[GGSN_FRAME_OCTETS], frame[GGSN_FRAME_OCTETS];
    for (size_t i = 0; i < COUNT(downs); i++) {
        struct ggsn g = fresh();
        make_packet(packet, downs[i].octets, 1, downs[i].dst);
        size_t octets = ggsn_encapsulate(&g, packet, downs[i].octets, frame);
        print_message("to %#x, %zu octets\n", downs[i].dst, downs[i].octets);
        assert_int_equal(octets, downs[i].teid ? downs[i].octets + HEADERS : 0);
        assert_int_equal(g.malformed + g.unknown_address, downs[i].teid ? 0 : 1);
        if (octets == 0)
            continue;
        check_frame(frame, octets, downs[i].octets, downs[i].teid);
        assert_memory_equal(frame + HEADERS, packet, downs[i].octets);
    }
}

/* --- uplink --- */

enum fault { NONE, OTHER_TEID, OTHER_SOURCE, NOT_FOR_US, BAD_CHECKSUM, OTHER_PORT, ECHO, NOT_IP, NO_PACKET };

/* A frame as the SGSN sends it, with a fault; returns its octets. */
static size_t make_frame(uint8_t *frame, size_t inner, enum fault fault)
{
    struct ether ether = {.type = fault == NOT_IP ? 0x0806 : ETHER_TYPE_IPV4};
    struct ipv4 ip = {.src = SGSN,
                      .dst = fault == NOT_FOR_US ? OURS + 1 : OURS,
                      .ttl = 64,
                      .proto = IPV4_PROTO_UDP,
                      .payload_octets = (uint16_t)(16 + inner)};
    struct udp udp = {.src_port = GTPU_PORT,
                      .dst_port = fault == OTHER_PORT ? 2123 : GTPU_PORT,
                      .payload_octets = (uint16_t)(8 + inner)};
    struct gtpu gtpu = {.type = fault == ECHO ? GTPU_ECHO_REQUEST : GTPU_G_PDU,
                        .teid = fault == OTHER_TEID ? 0x91 : 0x92,
                        .payload_octets = (uint16_t)inner};
    ether_encode(frame, 14, &ether);
    ipv4_encode(frame + 14, 20, &ip);
    frame[14 + 10] ^= fault == BAD_CHECKSUM;
    udp_encode(frame + 34, 8, &udp);
    gtpu_encode(frame + 42, 8, &gtpu);
    make_packet(frame + HEADERS, inner, fault == OTHER_SOURCE ? MOBILE + 3 : MOBILE + 1, 9);
    if (fault == NO_PACKET)
        frame[HEADERS] = 0x60;
    return HEADERS + inner;
}

static const struct {
    const char *name;
    enum fault fault;
    unsigned malformed, unknown;
} ups[] = {
    {"good", NONE, 0, 0},
    {"another mobile's TEID", OTHER_TEID, 0, 1},
    {"source without tunnel", OTHER_SOURCE, 0, 1},
    {"not for us", NOT_FOR_US, 1, 0},
    {"checksum", BAD_CHECKSUM, 1, 0},
    {"port", OTHER_PORT, 1, 0},
    {"echo", ECHO, 0, 0},
    {"no IP frame", NOT_IP, 1, 0},
    {"no IPv4 packet inside", NO_PACKET, 1, 0},
};

TEST(decapsulates)
{
    uint8_t frame[GGSN_FRAME_OCTETS];
    for (size_t i = 0; i < COUNT(ups); i++) {
        struct ggsn g = fresh();
        size_t octets = make_frame(frame, 100, ups[i].fault), inner = 0;
        print_message("%s\n", ups[i].name);
        const uint8_t *packet = ggsn_decapsulate(&g, frame, octets, &inner);
        assert_ptr_equal(packet, ups[i].fault == NONE ? frame + HEADERS : NULL);
        assert_int_equal(inner, ups[i].fault == NONE ? 100 : 0);
        assert_int_equal(g.malformed, ups[i].malformed);
        assert_int_equal(g.unknown_tunnel, ups[i].unknown);
    }
}

/* Cut anywhere it is malformed, and nothing behind the cut is read (the sanitizers look). */
TEST(refuses_what_is_cut)
{
    struct ggsn g = fresh();
    uint8_t whole[GGSN_FRAME_OCTETS];
    size_t octets = make_frame(whole, 60, NONE), inner;
    for (size_t cut = 1; cut <= octets; cut++) {
        uint8_t *frame = test_malloc(octets - cut + 1);
        memcpy(frame, whole, octets - cut);
        assert_null(ggsn_decapsulate(&g, frame, octets - cut, &inner));
        assert_int_equal(g.malformed, cut);
        test_free(frame);
    }
}

/* An Echo Request is answered with its number, to where it came from; nothing else is, nor by a silent GGSN.
 */
TEST(answers_echo)
{
    uint8_t frame[GGSN_FRAME_OCTETS], answer[GGSN_FRAME_OCTETS];
    static const uint8_t want[14] = {0x32, 2, 0, 6, 0, 0, 0, 0, 0xab, 0xcd, 0, 0, 14, 0};
    struct ggsn g = fresh();
    size_t octets = make_frame(frame, 100, ECHO);
    struct gtpu echo = {.type = GTPU_ECHO_REQUEST, .flags = GTPU_S, .seq = 0xabcd, .payload_octets = 96};
    gtpu_encode(frame + 42, 12, &echo);
    assert_int_equal(ggsn_answer(&g, frame, octets, answer), 42 + sizeof(want));
    assert_memory_equal(answer + 42, want, sizeof(want));
    assert_memory_equal(answer + 26, frame + 30, 4);
    assert_memory_equal(answer + 30, frame + 26, 4);
    assert_int_equal(g.echoes, 1);
    g.is_silent = true;
    assert_int_equal(ggsn_answer(&g, frame, octets, answer), 0);
    g.is_silent = false;
    for (size_t i = 0; i < COUNT(ups); i++)
        if (ups[i].fault != ECHO)
            assert_int_equal(ggsn_answer(&g, frame, make_frame(frame, 100, ups[i].fault), answer), 0);
    assert_int_equal(g.echoes, 1);
}

UNIT_MAIN(NULL, NULL)
