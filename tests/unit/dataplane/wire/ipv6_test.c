/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ipv6.h"

#include <string.h>

#define PAYLOAD_OCTETS 12

/* UDP with four octets, 2001:db8::1 to 2001:db8::2; tshark 4.0.17 finds it right with 0xf5f3 for a checksum.
 */
static const uint8_t sample[IPV6_OCTETS + PAYLOAD_OCTETS] = {
    0x6a, 0xb1, 0x23, 0x45, 0, 12,  17,   64,   0x20, 0x01, 0x0d, 0xb8, 0,    0,    0,    0,   0, 0,
    0,    0,    0,    0,    0, 1,   0x20, 0x01, 0x0d, 0xb8, 0,    0,    0,    0,    0,    0,   0, 0,
    0,    0,    0,    2,    8, 104, 8,    104,  0,    12,   0,    0,    0xde, 0xad, 0xbe, 0xef};

PROBED_PAYLOAD(decode, struct ipv6, ipv6_decode)
PROBED(decode_fragment, struct ipv6_fragment, ipv6_fragment_decode)

TEST(sample_round_trips)
{
    struct ipv6 ip;
    uint8_t back[IPV6_OCTETS];
    assert_int_equal(ipv6_decode(&ip, sample, sizeof sample), IPV6_OCTETS);
    assert_int_equal(ip.traffic_class, 0xab);
    assert_int_equal(ip.flow_label, 0x12345);
    assert_int_equal(ip.payload_octets, PAYLOAD_OCTETS);
    assert_int_equal(ip.next_header, 17);
    assert_int_equal(ip.hop_limit, 64);
    assert_int_equal(ip.src[15], 1);
    assert_int_equal(ip.dst[15], 2);
    for (size_t cap = 0; cap < sizeof back; cap++)
        assert_int_equal(ipv6_encode(back, cap, &ip), ERR_NO_SPACE);
    assert_int_equal(ipv6_encode(back, sizeof back, &ip), IPV6_OCTETS);
    assert_memory_equal(back, sample, sizeof back);
    ip.flow_label = 0x100000;
    assert_int_equal(ipv6_encode(back, sizeof back, &ip), ERR_RANGE);
}

TEST(patched_headers)
{
    static const struct {
        uint8_t at, value;
        size_t len;
        int answer;
    } rows[] = {
        {0, 0x60, 52, 52},
        {0, 0x60, 60, 52}, /* padding is cut */
        {0, 0x40, 52, ERR_UNSUPPORTED},
        {0, 0x70, 52, ERR_UNSUPPORTED},
        {5, 0, 52, 40},
        {5, 13, 52, ERR_TRUNCATED},
        {5, 13, 53, 53},
        {4, 0xff, 52, ERR_TRUNCATED},
        {6, 0, 52, 52}, /* a hop-by-hop header behind it is the caller's */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[64] = {0};
        memcpy(bytes, sample, sizeof sample);
        bytes[rows[i].at] = rows[i].value;
        assert_int_equal(probe_exact(decode, bytes, rows[i].len), rows[i].answer);
    }
}

TEST(fragments)
{
    static const struct {
        uint8_t bytes[IPV6_FRAGMENT_OCTETS];
        struct ipv6_fragment want;
    } rows[] = {
        {{17, 0, 0, 0, 0, 0, 0, 1}, {.id = 1, .next_header = 17}},
        {{17, 0, 0, 1, 1, 2, 3, 4}, {.id = 0x01020304, .next_header = 17, .more = true}},
        {{0, 0, 0xff, 0xf8, 0, 0, 0, 0}, {.offset_octets = 65528}},
        {{44, 0, 0x05, 0xc9, 0, 0, 0, 0}, {.offset_octets = 1480, .next_header = 44, .more = true}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ipv6_fragment out = {0};
        uint8_t back[IPV6_FRAGMENT_OCTETS];
        for (size_t len = 0; len < IPV6_FRAGMENT_OCTETS; len++) {
            assert_int_equal(probe_exact(decode_fragment, rows[i].bytes, len), ERR_TRUNCATED);
            assert_int_equal(ipv6_fragment_encode(back, len, &rows[i].want), ERR_NO_SPACE);
        }
        assert_int_equal(ipv6_fragment_decode(&out, rows[i].bytes, IPV6_FRAGMENT_OCTETS), 8);
        assert_true(out.id == rows[i].want.id && out.offset_octets == rows[i].want.offset_octets &&
                    out.next_header == rows[i].want.next_header && out.more == rows[i].want.more);
        assert_int_equal(ipv6_fragment_encode(back, sizeof back, &out), 8);
        assert_memory_equal(back, rows[i].bytes, sizeof back);
    }
    uint8_t reserved[IPV6_FRAGMENT_OCTETS] = {17, 0xff, 0, 6, 0, 0, 0, 0};
    struct ipv6_fragment out;
    assert_int_equal(ipv6_fragment_decode(&out, reserved, sizeof reserved), 8);
    assert_true(out.offset_octets == 0 && !out.more);
    out.offset_octets = 4;
    assert_int_equal(ipv6_fragment_encode(reserved, sizeof reserved, &out), ERR_RANGE);
}

/* With its own checksum in place a segment's sum is 0, and each flipped bit shows. */
TEST(checksums)
{
    uint8_t bytes[sizeof sample];
    struct ipv6 ip;
    memcpy(bytes, sample, sizeof sample);
    assert_int_equal(ipv6_decode(&ip, bytes, sizeof bytes), IPV6_OCTETS);
    uint8_t *segment = bytes + IPV6_OCTETS;
    uint16_t sum = ipv6_checksum(&ip, 17, segment, PAYLOAD_OCTETS);
    assert_int_equal(sum, 0xf5f3);
    bytes_put_u16(segment + 6, sum);
    assert_int_equal(ipv6_checksum(&ip, 17, segment, PAYLOAD_OCTETS), 0);
    assert_int_not_equal(ipv6_checksum(&ip, 58, segment, PAYLOAD_OCTETS), 0);
    assert_int_not_equal(ipv6_checksum(&ip, 17, segment, PAYLOAD_OCTETS - 1), 0);
    for (unsigned bit = 64; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(ipv6_checksum(&ip, 17, segment, PAYLOAD_OCTETS), 0);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

TEST(extensions)
{
    static const uint8_t headers[] = {0, 43, 44, 50, 51, 60, 135, 139, 140};
    unsigned count = 0;
    for (unsigned i = 0; i < 256; i++)
        count += ipv6_is_extension((uint8_t)i);
    assert_int_equal(count, sizeof headers);
    for (size_t i = 0; i < sizeof headers; i++)
        assert_true(ipv6_is_extension(headers[i]));
}

TEST(noise_does_no_harm)
{
    for (size_t len = 0; len < sizeof sample; len++)
        assert_int_equal(probe_exact(decode, sample, len), ERR_TRUNCATED);
    probe_noise(decode, 21);
    probe_noise(decode_fragment, 22);
    probe_mutations(decode, sample, sizeof sample, 23);
}

static const uint8_t solicitation[32] = {135,  0,        0, 0, 0, 0, 0, 0, 0x20, 1, 0x0d,
                                         0xb8, [23] = 7, 1, 1, 2, 0, 0, 0, 0,    9};
static const uint8_t advertisement[32] = {136,  0,        0, 0, 0x60, 0, 0, 0, 0x20, 1, 0x0d,
                                          0xb8, [23] = 7, 2, 1, 2,    0, 0, 0, 0,    9};

PROBED(decode_nd, struct nd, nd_decode)

TEST(messages_round_trip)
{
    const uint8_t *const nd_rows[] = {solicitation, advertisement};
    for (size_t i = 0; i < 2; i++) {
        struct nd nd;
        uint8_t back[ND_MAX_OCTETS];
        assert_int_equal(nd_decode(&nd, nd_rows[i], 32), 32);
        assert_int_equal(nd.target[15], 7);
        assert_true(nd.has_mac);
        assert_int_equal(nd.mac[5], 9);
        assert_int_equal(nd.is_solicited, i);
        assert_int_equal(nd.is_override, i);
        assert_int_equal(nd_encode(back, 32, &nd), 32);
        assert_memory_equal(back, nd_rows[i], 32);
        assert_int_equal(nd_encode(back, 31, &nd), ERR_NO_SPACE);
        nd.has_mac = false;
        assert_int_equal(nd_encode(back, 24, &nd), 24);
        assert_memory_equal(back, nd_rows[i], 24);
        assert_int_equal(nd_encode(back, 23, &nd), ERR_NO_SPACE);
    }
}

/* One octet of the solicitation is another, or it is cut: what is said of it, and whether there is a MAC. */
static const struct {
    uint8_t at, value;
    size_t len;
    int answer;
    bool has_mac;
} nd_rows[] = {
    {1, 1, 32, ERR_MALFORMED, false},
    {8, 0xff, 32, ERR_MALFORMED, false},
    {0, 134, 32, ERR_UNSUPPORTED, false},
    {0, 137, 32, ERR_UNSUPPORTED, false},
    {25, 0, 32, ERR_MALFORMED, false},
    {25, 2, 32, ERR_MALFORMED, false},
    {24, 2, 32, 32, false},
    {24, 14, 32, 32, false},
    {0, 136, 32, 32, false}, /* an option of solicitations */
    {0, 135, 24, 24, false},
    {0, 135, 25, ERR_MALFORMED, false},
    {0, 135, 31, ERR_MALFORMED, false},
    {0, 135, 32, 32, true},
};

TEST(octets_are_judged)
{
    for (size_t i = 0; i < COUNT(nd_rows); i++) {
        uint8_t bytes[32];
        struct nd nd = {0};
        memcpy(bytes, solicitation, sizeof bytes);
        bytes[nd_rows[i].at] = nd_rows[i].value;
        assert_int_equal(nd_decode(&nd, bytes, nd_rows[i].len), nd_rows[i].answer);
        if (nd_rows[i].answer > 0)
            assert_int_equal(nd.has_mac, nd_rows[i].has_mac);
    }
}

TEST(every_truncation_is_refused)
{
    for (size_t len = 0; len < 24; len++)
        assert_int_equal(probe_exact(decode_nd, solicitation, len), ERR_TRUNCATED);
}

TEST(nd_noise_does_no_harm)
{
    probe_noise(decode_nd, 1);
    probe_mutations(decode_nd, solicitation, 32, 2);
}

UNIT_MAIN(NULL, NULL)
