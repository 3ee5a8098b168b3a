/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpc.h"
#include "dataplane/base/bytes.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

static int decode(const uint8_t *bytes, size_t len)
{
    struct gtp_ie ie;
    return gtp_ie_decode(&ie, bytes, len);
}

TEST(elements)
{
    static const struct {
        uint8_t bytes[12];
        size_t len;
        int answer;
        uint16_t octets;
    } rows[] = {
        {{0}, 0, 0, 0},
        {{1, 128, 9}, 3, 2, 1},
        {{2, 1, 2, 3, 4, 5, 6, 7, 8}, 9, 9, 8},
        {{2, 1, 2, 3, 4, 5, 6, 7, 8}, 8, ERR_TRUNCATED, 0},
        {{16, 0, 0, 1, 1}, 5, 5, 4},
        {{127, 0, 0, 1, 1}, 5, 5, 4},
        {{0, 1}, 2, 0, 0}, /* no such TV type: the end */
        {{100, 1}, 2, 0, 0},
        {{133, 0, 4, 10, 0, 0, 1}, 7, 7, 4},
        {{133, 0, 4, 10, 0, 0, 1}, 6, ERR_TRUNCATED, 0},
        {{133, 0}, 2, ERR_TRUNCATED, 0},
        {{133, 0, 0}, 3, 3, 0},
        {{250, 0, 1, 7}, 4, 4, 1}, /* unknown, but of known length */
        {{141, 1, 0xc0, 9}, 4, 3, 1},
        {{141, 3, 0xc0, 9}, 4, ERR_TRUNCATED, 0},
        {{255, 0xff, 0xff}, 3, ERR_TRUNCATED, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gtp_ie ie;
        int answer = gtp_ie_decode(&ie, rows[i].bytes, rows[i].len);
        assert_int_equal(answer, rows[i].answer);
        if (answer <= 0)
            continue;
        assert_int_equal(ie.type, rows[i].bytes[0]);
        assert_int_equal(ie.octets, rows[i].octets);
        assert_ptr_equal(ie.value, rows[i].bytes + answer - ie.octets);
    }
}

TEST(elements_round_trip)
{
    static const uint8_t value[300] = {1, 2, 3};
    static const struct {
        uint8_t type;
        uint16_t octets;
        int answer;
    } rows[] = {{1, 1, 2},       {1, 0, ERR_RANGE},       {1, 2, ERR_RANGE},
                {2, 8, 9},       {0, 0, ERR_UNSUPPORTED}, {6, 1, ERR_UNSUPPORTED},
                {133, 0, 3},     {133, 300, 303},         {141, 0, 2},
                {141, 255, 257}, {141, 256, ERR_RANGE},   {255, 5, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gtp_ie in = {.type = rows[i].type, .octets = rows[i].octets, .value = value}, out;
        uint8_t bytes[303];
        assert_int_equal(gtp_ie_encode(bytes, sizeof bytes, &in), rows[i].answer);
        if (rows[i].answer < 0)
            continue;
        assert_int_equal(gtp_ie_encode(bytes, (size_t)rows[i].answer - 1, &in), ERR_NO_SPACE);
        assert_int_equal(gtp_ie_decode(&out, bytes, (size_t)rows[i].answer), rows[i].answer);
        assert_int_equal(out.type, in.type);
        assert_int_equal(out.octets, in.octets);
        assert_memory_equal(out.value, value, in.octets);
    }
}

/* Length of each TV value, in the order of the types; 0: no such type. */
TEST(fixed_lengths)
{
    static const uint8_t octets[128] = {0, 1, 8, 6, 4, 4, 0, 0, 1, 28, 0, 1, 3, 1, 1, 1,        4,
                                        4, 5, 1, 1, 1, 9, 1, 1, 2, 2,  2, 2, 1, 0, 0, [127] = 4};
    for (unsigned type = 0; type < 128; type++) {
        uint8_t bytes[64] = {(uint8_t)type};
        assert_int_equal(decode(bytes, sizeof bytes), octets[type] ? 1 + octets[type] : 0);
        if (octets[type])
            assert_int_equal(probe_exact(decode, bytes, octets[type]), ERR_TRUNCATED);
    }
}

TEST(noise_does_no_harm)
{
    probe_noise(decode, 9);
}

UNIT_MAIN(NULL, NULL)
