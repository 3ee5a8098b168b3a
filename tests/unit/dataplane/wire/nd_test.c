/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ipv6.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include <string.h>

static const uint8_t solicitation[32] = {135,  0,        0, 0, 0, 0, 0, 0, 0x20, 1, 0x0d,
                                         0xb8, [23] = 7, 1, 1, 2, 0, 0, 0, 0,    9};
static const uint8_t advertisement[32] = {136,  0,        0, 0, 0x60, 0, 0, 0, 0x20, 1, 0x0d,
                                          0xb8, [23] = 7, 2, 1, 2,    0, 0, 0, 0,    9};

static int decode(const uint8_t *bytes, size_t len)
{
    struct nd nd;
    return nd_decode(&nd, bytes, len);
}

TEST(messages_round_trip)
{
    const uint8_t *const rows[] = {solicitation, advertisement};
    for (size_t i = 0; i < 2; i++) {
        struct nd nd;
        uint8_t back[ND_MAX_OCTETS];
        assert_int_equal(nd_decode(&nd, rows[i], 32), 32);
        assert_int_equal(nd.target[15], 7);
        assert_true(nd.has_mac);
        assert_int_equal(nd.mac[5], 9);
        assert_int_equal(nd.is_solicited, i);
        assert_int_equal(nd.is_override, i);
        assert_int_equal(nd_encode(back, 32, &nd), 32);
        assert_memory_equal(back, rows[i], 32);
        assert_int_equal(nd_encode(back, 31, &nd), ERR_NO_SPACE);
        nd.has_mac = false;
        assert_int_equal(nd_encode(back, 24, &nd), 24);
        assert_memory_equal(back, rows[i], 24);
        assert_int_equal(nd_encode(back, 23, &nd), ERR_NO_SPACE);
    }
}

/* One octet of the solicitation is another, or it is cut: what is said of it, and whether there is a MAC. */
static const struct {
    uint8_t at, value;
    size_t len;
    int answer;
    bool has_mac;
} rows[] = {
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[32];
        struct nd nd = {0};
        memcpy(bytes, solicitation, sizeof bytes);
        bytes[rows[i].at] = rows[i].value;
        assert_int_equal(nd_decode(&nd, bytes, rows[i].len), rows[i].answer);
        if (rows[i].answer > 0)
            assert_int_equal(nd.has_mac, rows[i].has_mac);
    }
}

TEST(every_truncation_is_refused)
{
    for (size_t len = 0; len < 24; len++)
        assert_int_equal(probe_exact(decode, solicitation, len), ERR_TRUNCATED);
}

TEST(noise_does_no_harm)
{
    probe_noise(decode, 1);
    probe_mutations(decode, solicitation, 32, 2);
}

UNIT_MAIN(NULL, NULL)
