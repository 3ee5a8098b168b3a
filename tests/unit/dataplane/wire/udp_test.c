/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ipv4.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

static const uint8_t sample[] = {0x59, 0xd8, 0x08, 0x68, 0, 10, 0xab, 0xcd, 1, 2};

static int decode(const uint8_t *bytes, size_t len)
{
    struct udp udp;
    int offset = udp_decode(&udp, bytes, len);
    return offset < 0 ? offset : offset + udp.payload_octets;
}

TEST(sample_round_trips)
{
    struct udp udp;
    uint8_t back[UDP_OCTETS];
    assert_int_equal(udp_decode(&udp, sample, sizeof sample), 8);
    assert_int_equal(udp.src_port, 23000);
    assert_int_equal(udp.dst_port, 2152);
    assert_int_equal(udp.checksum, 0xabcd);
    assert_int_equal(udp.payload_octets, 2);
    assert_int_equal(udp_encode(back, sizeof back, &udp), 8);
    assert_memory_equal(back, sample, 8);
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[sizeof sample] = {[5] = rows[i].octets};
        assert_int_equal(probe_exact(decode, bytes, sizeof bytes), rows[i].answer);
    }
    assert_int_equal(probe_exact(decode, (const uint8_t[8]){[5] = 8}, 8), 8);
    for (size_t len = 0; len < sizeof sample; len++)
        assert_int_equal(probe_exact(decode, sample, len), ERR_TRUNCATED);
}

TEST(noise_does_no_harm)
{
    probe_noise(decode, 4);
}

UNIT_MAIN(NULL, NULL)
