/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames that gn_plain_decode() takes, and the same of the decoders of each header. */
#include "dataplane/worker/gn_rx.h"

#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include <string.h>

#define FRAME_OCTETS 128
#define CASES        200000
#define PAYLOAD      28

/* As gn_rx.c decodes it header by header: false for what is no plain frame. */
static bool decode(struct gn_plain *out, const uint8_t *frame, unsigned octets)
{
    struct ether ether;
    struct ipv4 ip;
    struct udp udp;
    struct gtpu gtpu;
    int at = ether_decode(&ether, frame, octets);

    if (at != ETHER_OCTETS || ether.type != ETHER_TYPE_IPV4 ||
        ipv4_decode(&ip, frame + at, octets - (unsigned)at) != IPV4_OCTETS ||
        !ipv4_is_checksum_good(frame + at, IPV4_OCTETS) || ip.proto != IPV4_PROTO_UDP ||
        ipv4_is_fragment(&ip) || udp_decode(&udp, frame + GN_PLAIN_UDP, ip.payload_octets) < 0 ||
        udp.dst_port != GTPU_PORT || gtpu_decode(&gtpu, frame + GN_PLAIN_GTPU, udp.payload_octets) < 0 ||
        gtpu.type != GTPU_G_PDU || gtpu.flags & (GTPU_E | GTPU_PN))
        return false;
    *out = (struct gn_plain){.src_ip = ip.src,
                             .dst_ip = ip.dst,
                             .teid = gtpu.teid,
                             .src_port = udp.src_port,
                             .udp_payload_octets = udp.payload_octets,
                             .offset = (uint16_t)(GN_PLAIN_GTPU + gtpu.payload_offset),
                             .octets = gtpu.payload_octets};
    return true;
}

static unsigned make(uint8_t *frame, uint8_t flags)
{
    const struct ether ether = {.type = ETHER_TYPE_IPV4};
    const struct gtpu gtpu = {.type = GTPU_G_PDU, .flags = flags, .teid = 0x12345678, .seq = 7};
    unsigned options = flags & GTPU_S ? GTPU_LONG_OCTETS - GTPU_OCTETS : 0;
    unsigned gtp_octets = GTPU_OCTETS + options + PAYLOAD;
    const struct udp udp = {.src_port = 3333, .dst_port = GTPU_PORT, .payload_octets = (uint16_t)gtp_octets};
    const struct ipv4 ip = {.src = 0xc0000201,
                            .dst = 0xc0000202,
                            .proto = IPV4_PROTO_UDP,
                            .ttl = 64,
                            .dont_fragment = true,
                            .header_octets = IPV4_OCTETS,
                            .payload_octets = (uint16_t)(UDP_OCTETS + gtp_octets)};

    ether_encode(frame, ETHER_OCTETS, &ether);
    ipv4_encode(frame + GN_PLAIN_IP, IPV4_OCTETS, &ip);
    udp_encode(frame + GN_PLAIN_UDP, UDP_OCTETS, &udp);
    assert_true(gtpu_encode(frame + GN_PLAIN_GTPU, GTPU_LONG_OCTETS, &gtpu) > 0);
    bytes_put_u16(frame + GN_PLAIN_GTPU + 2, (uint16_t)(gtp_octets - GTPU_OCTETS));
    return GN_PLAIN_GTPU + gtp_octets;
}

static bool assert_same(const uint8_t *frame, unsigned octets)
{
    struct gn_plain plain, expect;
    bool is_plain = gn_plain_decode(&plain, frame, octets);
    assert_int_equal(is_plain, decode(&expect, frame, octets));
    if (!is_plain)
        return false;
    assert_int_equal(plain.src_ip, expect.src_ip);
    assert_int_equal(plain.dst_ip, expect.dst_ip);
    assert_int_equal(plain.teid, expect.teid);
    assert_int_equal(plain.src_port, expect.src_port);
    assert_int_equal(plain.udp_payload_octets, expect.udp_payload_octets);
    assert_int_equal(plain.offset, expect.offset);
    assert_int_equal(plain.octets, expect.octets);
    return true;
}

TEST(takes_plain_frames_of_any_length)
{
    const uint8_t flags[] = {GTPU_VERSION_1, GTPU_VERSION_1 | GTPU_S};
    uint8_t frame[FRAME_OCTETS] = {0};
    for (unsigned i = 0; i < sizeof(flags); i++) {
        unsigned octets = make(frame, flags[i]);
        for (unsigned length = 0; length <= octets + 10; length++)
            assert_int_equal(assert_same(frame, length), length >= octets);
    }
}

/* Restores IPv4's checksum, or no changed header would be plain. */
static void mend(uint8_t *frame)
{
    memset(frame + GN_PLAIN_IP + 10, 0, 2);
    bytes_put_u16(frame + GN_PLAIN_IP + 10, ipv4_checksum(frame + GN_PLAIN_IP, IPV4_OCTETS));
}

TEST(agrees_on_changed_frames)
{
    uint64_t seed = 23;
    unsigned plain = 0;
    for (unsigned i = 0; i < CASES; i++) {
        uint8_t frame[FRAME_OCTETS] = {0};
        unsigned octets = make(frame, prng_below(&seed, 2) ? GTPU_VERSION_1 : GTPU_VERSION_1 | GTPU_S);
        unsigned changes = (unsigned)prng_below(&seed, 3);
        for (unsigned k = 0; k <= changes; k++)
            frame[prng_below(&seed, GN_PLAIN_OCTETS)] ^= (uint8_t)(1U << prng_below(&seed, 8));
        if (prng_below(&seed, 8))
            mend(frame);
        plain += assert_same(frame, octets);
    }
    assert_in_range(plain, CASES / 20, CASES - CASES / 20); /* else it asked one side only */
}

UNIT_MAIN(NULL, NULL)
