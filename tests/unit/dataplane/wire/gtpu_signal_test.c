/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpu.h"
#include "dataplane/base/bytes.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include <string.h>

static const uint8_t peer[16] = {10, 0, 0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static int decode(const uint8_t *bytes, size_t len)
{
    struct gtpu_signal_error error;
    return gtpu_signal_error_decode(&error, bytes, len);
}

static int encode(unsigned number, uint8_t *bytes, size_t cap)
{
    const struct gtpu_signal_error error = {.teid = 0x101, .peer = peer, .peer_octets = 4};
    switch (number) {
    case 97:
        return gtpu_signal_echo_response_encode(bytes, cap, 1);
    case 98:
        return gtpu_signal_error_encode(bytes, cap, &error);
    default:
        return gtpu_signal_extensions_encode(bytes, cap);
    }
}

TEST(vectors_encode)
{
    static const unsigned numbers[] = {97, 98, 100};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const struct vector *v = vectors_get(numbers[i]);
        uint8_t bytes[32];
        assert_int_equal(encode(numbers[i], bytes, v->octets), v->octets);
        assert_memory_equal(bytes, v->bytes, v->octets);
        for (size_t cap = 0; cap < v->octets; cap++)
            assert_int_equal(encode(numbers[i], bytes, cap), ERR_NO_SPACE);
    }
}

/* The extension header with the port stands before the elements (TS 29.281 clause 5.2.2.1). */
TEST(error_with_a_port)
{
    static const uint8_t want[28] = {0x36, 26, 0,  20, 0, 0, 0, 0,   0, 0, 0,  0x40, 1, 0x12,
                                     0x34, 0,  16, 0,  0, 1, 1, 133, 0, 4, 10, 0,    0, 2};
    const struct gtpu_signal_error in = {.teid = 0x101, .peer = peer, .peer_octets = 4, .udp_port = 0x1234};
    struct gtpu_signal_error out;
    struct gtpu header;
    uint8_t bytes[sizeof want];
    for (size_t cap = 0; cap < sizeof want; cap++)
        assert_int_equal(gtpu_signal_error_encode(bytes, cap, &in), ERR_NO_SPACE);
    assert_int_equal(gtpu_signal_error_encode(bytes, sizeof bytes, &in), sizeof want);
    assert_memory_equal(bytes, want, sizeof want);
    assert_int_equal(gtpu_decode(&header, bytes, sizeof bytes), 16);
    assert_int_equal(gtpu_signal_error_decode(&out, bytes + 16, header.payload_octets), 12);
    assert_int_equal(out.teid, in.teid);
    assert_int_equal(out.peer_octets, 4);
    assert_memory_equal(out.peer, in.peer, 4);
}

TEST(echo_request)
{
    static const uint8_t want[12] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0xab, 0xcd, 0, 0};
    uint8_t bytes[sizeof want];
    for (size_t cap = 0; cap < sizeof want; cap++)
        assert_int_equal(gtpu_signal_echo_request_encode(bytes, cap, 0xabcd), ERR_NO_SPACE);
    assert_int_equal(gtpu_signal_echo_request_encode(bytes, sizeof bytes, 0xabcd), sizeof want);
    assert_memory_equal(bytes, want, sizeof want);
}

/* An address of IPv6, with and without a port. */
TEST(error_over_ipv6)
{
    for (uint16_t port = 0; port < 2; port++) {
        struct gtpu_signal_error in = {.teid = 0x101, .peer = peer, .peer_octets = 16, .udp_port = port}, out;
        struct gtpu header;
        uint8_t bytes[GTPU_SIGNAL_MAX_OCTETS];
        int want = port ? 40 : 36;
        assert_int_equal(gtpu_signal_error_encode(bytes, (size_t)want - 1, &in), ERR_NO_SPACE);
        assert_int_equal(gtpu_signal_error_encode(bytes, (size_t)want, &in), want);
        int offset = gtpu_decode(&header, bytes, (size_t)want);
        assert_int_equal(offset, want - 24);
        for (size_t len = 0; len < 24; len++)
            assert_true(probe_exact(decode, bytes + offset, len) < 0);
        assert_int_equal(gtpu_signal_error_decode(&out, bytes + offset, header.payload_octets), 24);
        assert_int_equal(out.teid, 0x101);
        assert_int_equal(out.peer_octets, 16);
        assert_memory_equal(out.peer, peer, 16);
        in.peer_octets = 5;
        assert_int_equal(gtpu_signal_error_encode(bytes, sizeof bytes, &in), ERR_RANGE);
    }
}

TEST(error_indications)
{
    static const struct {
        uint8_t bytes[24];
        size_t len;
        int answer;
    } rows[] = {
        {{16, 0, 0, 1, 1, 133, 0, 4, 10, 0, 0, 2}, 12, 12},
        {{133, 0, 4, 10, 0, 0, 2, 16, 0, 0, 1, 1}, 12, 12},                        /* any order */
        {{16, 0, 0, 1, 1, 133, 0, 4, 10, 0, 0, 2, 255, 0, 1, 9}, 16, 16},          /* private extension */
        {{16, 0, 0, 1, 1, 133, 0, 4, 10, 0, 0, 2, 100, 0}, 14, 12},                /* unknown TV ends it */
        {{16, 0, 0, 1, 1, 133, 0, 4, 10, 0, 0, 2, 133, 0, 4, 9, 9, 9, 9}, 19, 19}, /* the first counts */
        {{16, 0, 0, 1, 1, 16, 0, 0, 2, 2, 133, 0, 4, 10, 0, 0, 2}, 17, 17},
        {{16, 0, 0, 1, 1}, 5, ERR_MALFORMED},
        {{133, 0, 4, 10, 0, 0, 2}, 7, ERR_MALFORMED},
        {{100, 16, 0, 0, 1, 1, 133, 0, 4, 10, 0, 0, 2}, 13, ERR_MALFORMED},
        {{0}, 0, ERR_MALFORMED},
        {{16, 0, 0, 1, 1, 133, 0, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 24, 24},
        {{16, 0, 0, 1, 1, 133, 0, 5, 10, 0, 0, 2, 1}, 13, ERR_UNSUPPORTED},
        {{16, 0, 0, 1, 1, 133, 0, 0}, 8, ERR_UNSUPPORTED},
        {{16, 0, 0, 1, 1, 133, 0, 5, 10, 0, 0, 2}, 12, ERR_TRUNCATED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gtpu_signal_error error;
        int answer = gtpu_signal_error_decode(&error, rows[i].bytes, rows[i].len);
        assert_int_equal(answer, rows[i].answer);
        if (answer < 0)
            continue;
        assert_int_equal(error.teid, 0x101);
        assert_int_equal(error.peer[0], rows[i].answer == 24 ? 1 : 10);
    }
}

TEST(noise_does_no_harm)
{
    struct vector v = *vectors_get(98);
    for (size_t len = 12; len < v.octets; len++)
        assert_true(probe_exact(decode, v.bytes + 12, len - 12) < 0);
    probe_noise(decode, 10);
    probe_mutations(decode, v.bytes + 12, v.octets - 12, 11);
}

UNIT_MAIN(NULL, NULL)
