/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ipv4.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include <string.h>

static int decode(const uint8_t *bytes, size_t len)
{
    struct icmp_echo echo;
    return icmp_echo_decode(&echo, bytes, len);
}

/* The echo inside a G-PDU: its checksum was right for tshark. */
static const uint8_t *sample(void)
{
    return vectors_get(93)->bytes + 8 + 20;
}

TEST(sample_round_trips)
{
    struct icmp_echo echo;
    uint8_t back[ICMP_ECHO_OCTETS];
    assert_int_equal(icmp_echo_decode(&echo, sample(), 8), 8);
    assert_int_equal(echo.type, ICMP_ECHO);
    assert_int_equal(echo.seq, 1);
    assert_int_equal(echo.data_octets, 0);
    assert_int_equal(icmp_echo_encode(back, sizeof back, &echo), 8);
    assert_memory_equal(back, sample(), 8);
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
    assert_int_equal(decode(unreachable, 8), ERR_UNSUPPORTED);
    assert_int_equal(decode(coded, 8), ERR_UNSUPPORTED);
}

TEST(every_truncation_is_refused)
{
    for (size_t len = 0; len < 8; len++)
        assert_int_equal(probe_exact(decode, sample(), len), ERR_TRUNCATED);
}

TEST(noise_does_no_harm)
{
    probe_noise(decode, 1);
    probe_mutations(decode, sample(), 8, 2);
}

UNIT_MAIN(NULL, NULL)
