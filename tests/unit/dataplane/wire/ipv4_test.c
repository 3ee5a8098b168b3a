/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include "dataplane/wire/ipv4.h"

#include <string.h>

PROBED_PAYLOAD(decode, struct ipv4, ipv4_decode)

/* The ICMP echo inside a G-PDU: its checksum was right for tshark. */
static const uint8_t *sample(void)
{
    return vectors_get(93)->bytes + 8;
}

TEST(sample_round_trips)
{
    struct ipv4 ip;
    uint8_t back[IPV4_OCTETS];
    assert_int_equal(ipv4_decode(&ip, sample(), 28), 20);
    assert_int_equal(ip.payload_octets, 8);
    assert_int_equal(ip.proto, 1);
    assert_int_equal(ip.ttl, 64);
    assert_int_equal(ip.id, 1);
    assert_int_equal(ip.src, 0xc0000201);
    assert_int_equal(ip.dst, 0x0a0b0002);
    assert_false(ipv4_is_fragment(&ip));
    assert_true(ipv4_is_checksum_good(sample(), 20));
    assert_int_equal(ipv4_encode(back, sizeof back, &ip), 20);
    assert_memory_equal(back, sample(), 20);
    assert_int_equal(ipv4_encode(back, 19, &ip), ERR_NO_SPACE);
}

TEST(each_flipped_bit_breaks_the_checksum)
{
    uint8_t bytes[20];
    for (unsigned bit = 0; bit < 160; bit++) {
        memcpy(bytes, sample(), 20);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(ipv4_is_checksum_good(bytes, 20));
    }
}

TEST(checksums)
{
    static const struct {
        uint8_t bytes[4];
        size_t octets;
        uint16_t checksum;
    } rows[] = {
        {{0}, 0, 0xffff},
        {{0xff, 0xff}, 2, 0x0000},
        {{0x12}, 1, 0xedff},
        {{0xff, 0xff, 0x00, 0x01}, 4, 0xfffe},
        {{0x80, 0x00, 0x80}, 3, 0xfffe},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(ipv4_checksum(rows[i].bytes, rows[i].octets), rows[i].checksum);
}

/* RFC 1071, octet by octet. */
static uint16_t plain_sum(const uint8_t *bytes, size_t octets)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < octets; i++)
        sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* All lengths around the pieces that are added at once, also with carries from each addition. */
TEST(checksum_of_any_length)
{
    uint8_t bytes[304], ones[304];
    memset(ones, 0xff, sizeof(ones));
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 151 + (i >> 3) * 29 + 200);
    for (size_t octets = 0; octets <= 300; octets++) {
        assert_int_equal(ipv4_checksum(bytes + octets % 4, octets), plain_sum(bytes + octets % 4, octets));
        assert_int_equal(ipv4_checksum(ones, octets), plain_sum(ones, octets));
    }
}

TEST(patched_headers)
{
    static const struct {
        uint8_t at, value;
        size_t len;
        int answer;
    } rows[] = {
        {0, 0x45, 28, 28},
        {0, 0x45, 29, 28}, /* padding is cut */
        {0, 0x46, 28, 28}, /* four octets of options */
        {0, 0x47, 28, 28}, /* nothing but options */
        {0, 0x48, 28, ERR_MALFORMED},
        {0, 0x44, 28, ERR_MALFORMED},
        {0, 0x65, 28, ERR_UNSUPPORTED},
        {3, 20, 28, 20},
        {3, 19, 28, ERR_MALFORMED},
        {3, 29, 28, ERR_TRUNCATED},
        {3, 29, 40, 29},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[64] = {0};
        memcpy(bytes, sample(), 28);
        bytes[rows[i].at] = rows[i].value;
        assert_int_equal(probe_exact(decode, bytes, rows[i].len), rows[i].answer);
    }
}

TEST(fragments_show)
{
    static const struct ipv4 rows[] = {
        {.more_fragments = true},
        {.fragment_offset_octets = 1480, .more_fragments = true},
        {.fragment_offset_octets = 65528},
        {.fragment_offset_octets = 8},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[20];
        struct ipv4 ip = {0};
        assert_int_equal(ipv4_encode(bytes, 20, &rows[i]), 20);
        assert_int_equal(ipv4_decode(&ip, bytes, 20), 20);
        assert_true(ipv4_is_fragment(&ip));
        assert_int_equal(ip.fragment_offset_octets, rows[i].fragment_offset_octets);
        assert_int_equal(ip.more_fragments, rows[i].more_fragments);
        assert_false(ip.dont_fragment);
    }
    struct ipv4 whole = {.dont_fragment = true};
    uint8_t bytes[20];
    assert_int_equal(ipv4_encode(bytes, 20, &whole), 20);
    assert_int_equal(bytes[6], 0x40);
    assert_int_equal(ipv4_decode(&whole, bytes, 20), 20);
    assert_true(whole.dont_fragment && !ipv4_is_fragment(&whole));
}

TEST(encoder_limits)
{
    uint8_t bytes[20];
    assert_int_equal(ipv4_encode(bytes, 20, &(struct ipv4){.payload_octets = 65515}), 20);
    assert_int_equal(ipv4_encode(bytes, 20, &(struct ipv4){.payload_octets = 65516}), ERR_RANGE);
    assert_int_equal(ipv4_encode(bytes, 20, &(struct ipv4){.fragment_offset_octets = 4}), ERR_RANGE);
}

/* A template's checksum grown by length and identification is what the header's own sum gives. */
TEST(checksums_grow)
{
    static const uint32_t addresses[] = {0, 0x0a630001, 0xffffffff, 0xc0a80101, 0x00010000};
    for (unsigned i = 0; i < 200000; i++) {
        uint8_t bytes[20];
        struct ipv4 ip = {.src = addresses[i % 5], .dst = addresses[i / 5 % 5], .ttl = 64, .proto = 17};
        assert_int_equal(ipv4_encode(bytes, 20, &ip), 20);
        uint16_t of_template = bytes_get_u16(bytes + 10);
        ip.payload_octets = (uint16_t)(i * 7 % 65516);
        ip.id = (uint16_t)(i * 40503);
        assert_int_equal(ipv4_encode(bytes, 20, &ip), 20);
        uint16_t grown = ipv4_checksum_add(of_template, (uint32_t)ip.payload_octets + ip.id);
        if (grown != bytes_get_u16(bytes + 10))
            fail_msg("%u: %04x", i, grown);
    }
}

TEST(every_truncation_is_refused)
{
    for (size_t len = 0; len < 28; len++)
        assert_int_equal(probe_exact(decode, sample(), len), ERR_TRUNCATED);
}

TEST(noise_does_no_harm)
{
    probe_noise(decode, 2);
    probe_mutations(decode, sample(), 28, 3);
}

static const uint8_t udp_sample[] = {0x59, 0xd8, 0x08, 0x68, 0, 10, 0xab, 0xcd, 1, 2};

PROBED_PAYLOAD(decode_udp, struct udp, udp_decode)

TEST(udp_sample_round_trips)
{
    struct udp udp;
    uint8_t back[UDP_OCTETS];
    assert_int_equal(udp_decode(&udp, udp_sample, sizeof udp_sample), 8);
    assert_int_equal(udp.src_port, 23000);
    assert_int_equal(udp.dst_port, 2152);
    assert_int_equal(udp.checksum, 0xabcd);
    assert_int_equal(udp.payload_octets, 2);
    assert_int_equal(udp_encode(back, sizeof back, &udp), 8);
    assert_memory_equal(back, udp_sample, 8);
    assert_int_equal(udp_encode(back, 7, &udp), ERR_NO_SPACE);
    assert_int_equal(udp_encode(back, 8, &(struct udp){.payload_octets = 65527}), 8);
    assert_int_equal(udp_encode(back, 8, &(struct udp){.payload_octets = 65528}), ERR_RANGE);
}

TEST(lengths)
{
    static const struct {
        uint8_t octets;
        int answer;
    } rows[] = {{0, ERR_MALFORMED}, {7, ERR_MALFORMED}, {8, 8}, {9, 9}, {10, 10}, {11, ERR_TRUNCATED}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[sizeof udp_sample] = {[5] = rows[i].octets};
        assert_int_equal(probe_exact(decode_udp, bytes, sizeof bytes), rows[i].answer);
    }
    assert_int_equal(probe_exact(decode_udp, (const uint8_t[8]){[5] = 8}, 8), 8);
    for (size_t len = 0; len < sizeof udp_sample; len++)
        assert_int_equal(probe_exact(decode_udp, udp_sample, len), ERR_TRUNCATED);
}

TEST_CALL(udp_noise_does_no_harm, probe_noise(decode_udp, 4))

PROBED(decode_icmp, struct icmp_echo, icmp_echo_decode)

/* The echo inside a G-PDU: its checksum was right for tshark. */
static const uint8_t *icmp_sample(void)
{
    return vectors_get(93)->bytes + 8 + 20;
}

TEST(icmp_sample_round_trips)
{
    struct icmp_echo echo;
    uint8_t back[ICMP_ECHO_OCTETS];
    assert_int_equal(icmp_echo_decode(&echo, icmp_sample(), 8), 8);
    assert_int_equal(echo.type, ICMP_ECHO);
    assert_int_equal(echo.seq, 1);
    assert_int_equal(echo.data_octets, 0);
    assert_int_equal(icmp_echo_encode(back, sizeof back, &echo), 8);
    assert_memory_equal(back, icmp_sample(), 8);
    assert_int_equal(icmp_echo_encode(back, 7, &echo), ERR_NO_SPACE);
}

TEST(data_comes_along)
{
    for (size_t octets = 0; octets < 64; octets++) {
        uint8_t data[64], bytes[80];
        struct icmp_echo in = {.type = ICMP_ECHO_REPLY, .id = 0x1234, .data = data, .data_octets = octets},
                         out;
        for (size_t i = 0; i < octets; i++)
            data[i] = (uint8_t)(i * 37 + octets);
        assert_int_equal(icmp_echo_encode(bytes, 8 + octets, &in), 8 + octets);
        assert_int_equal(icmp_echo_decode(&out, bytes, 8 + octets), 8 + octets);
        assert_int_equal(out.id, 0x1234);
        assert_int_equal(out.data_octets, octets);
        assert_memory_equal(out.data, data, octets);
        bytes[8 + octets / 2] ^= 4;
        if (octets > 0)
            assert_int_equal(icmp_echo_decode(&out, bytes, 8 + octets), ERR_CHECKSUM);
        if (octets > 0)
            assert_int_equal(icmp_echo_encode(bytes, 7 + octets, &in), ERR_NO_SPACE);
    }
}

TEST(other_messages_are_not_ours)
{
    /* Type, code, checksum. */
    static const uint8_t unreachable[8] = {3, 1, 0xfc, 0xfe}, coded[8] = {8, 1, 0xf7, 0xfe};
    assert_int_equal(decode_icmp(unreachable, 8), ERR_UNSUPPORTED);
    assert_int_equal(decode_icmp(coded, 8), ERR_UNSUPPORTED);
}

TEST(icmp_every_truncation_is_refused)
{
    for (size_t len = 0; len < 8; len++)
        assert_int_equal(probe_exact(decode_icmp, icmp_sample(), len), ERR_TRUNCATED);
}

TEST(icmp_noise_does_no_harm)
{
    probe_noise(decode_icmp, 1);
    probe_mutations(decode_icmp, icmp_sample(), 8, 2);
}

UNIT_MAIN(NULL, NULL)
