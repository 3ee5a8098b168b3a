/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpu.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include <string.h>

static int decode(const uint8_t *bytes, size_t len)
{
    struct gtpu gtpu;
    int offset = gtpu_decode(&gtpu, bytes, len);
    return offset < 0 ? offset : offset + gtpu.payload_octets;
}

static int decode_slowly(const uint8_t *bytes, size_t len)
{
    struct gtpu gtpu;
    return gtpu_decode_slowly(&gtpu, bytes, len);
}

TEST(vectors_decode_and_encode)
{
    static const struct {
        unsigned number;
        struct gtpu expect;
        uint8_t first_extension;
    } rows[] = {
        {93, {0x101, 8, 28, 0, 0x30, 255, 0, 0}, 0},
        {94, {0x101, 12, 28, 0x1234, 0x32, 255, 0, 0}, 0},
        {95, {0x101, 16, 28, 1, 0x36, 255, 0, 0}, 0xc0},
        {96, {0, 12, 0, 1, 0x32, GTPU_ECHO_REQUEST, 0, 0}, 0},
        {97, {0, 12, 2, 1, 0x32, GTPU_ECHO_RESPONSE, 0, 0}, 0},
        {98, {0, 12, 12, 0, 0x32, GTPU_ERROR_INDICATION, 0, 0}, 0},
        {99, {0x101, 8, 0, 0, 0x30, GTPU_END_MARKER, 0, 0}, 0},
        {100, {0, 12, 3, 0, 0x32, GTPU_SUPPORTED_EXTENSIONS, 0, 0}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct vector *v = vectors_get(rows[i].number);
        struct gtpu gtpu;
        uint8_t back[12];
        memset(&gtpu, 0xaa, sizeof gtpu);
        assert_int_equal(gtpu_decode(&gtpu, v->bytes, v->octets), rows[i].expect.payload_offset);
        assert_memory_equal(&gtpu, &rows[i].expect, sizeof gtpu);
        assert_int_equal(gtpu.payload_offset + gtpu.payload_octets, v->octets);
        /* Extension headers are payload to the encoder. */
        size_t header = gtpu.flags & 7 ? 12 : 8;
        gtpu.payload_octets = (uint16_t)(v->octets - header);
        gtpu.extension = rows[i].first_extension;
        assert_int_equal(gtpu_encode(back, sizeof back, &gtpu), header);
        assert_memory_equal(back, v->bytes, header);
        assert_int_equal(gtpu_encode(back, header - 1, &gtpu), ERR_NO_SPACE);
    }
}

struct packet {
    uint8_t bytes[32];
    size_t len;
    int answer; /* the end of the payload, or an error */
    uint8_t extension;
};

/* The table of bad input, and what is good although it looks odd. */
static const struct packet packets[] = {
    {{0x30, 255, 0, 1, 0, 0, 0, 1, 0x45}, 9, 9, 0},
    {{0x30, 255, 0, 1, 0, 0, 0, 1, 0x45, 0, 0}, 11, 9, 0}, /* padding is cut */
    {{0x38, 255, 0, 1, 0, 0, 0, 1, 0x45}, 9, 9, 0},        /* spare bit */
    {{0x30, 255, 0, 2, 0, 0, 0, 1, 0x45}, 9, ERR_TRUNCATED, 0},
    {{0x30, 255, 0, 0, 0, 0, 0, 1}, 8, ERR_MALFORMED, 0}, /* no T-PDU */
    {{0x32, 255, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0}, 12, ERR_MALFORMED, 0},
    {{0x32, 255, 0, 4, 0, 0, 0, 1, 0, 0, 0}, 11, ERR_TRUNCATED, 0},
    {{0x32, 255, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0}, 12, ERR_MALFORMED, 0}, /* no room for the option */
    {{0x31, 255, 0, 5, 0, 0, 0, 1, 9, 9, 7, 0xff, 0x45}, 13, 13, 0},   /* seq and next type mean nothing */
    {{0x32, 255, 0, 5, 0, 0, 0, 1, 0, 1, 9, 0xff, 0x45}, 13, 13, 0},
    {{0x34, 255, 0, 5, 0, 0, 0, 1, 9, 9, 9, 0, 0x45}, 13, 13, 0},
    {{0x10, 255, 0, 1, 0, 0, 0, 1, 0x45}, 9, ERR_UNSUPPORTED, 0}, /* versions 0 and 2, GTP' */
    {{0x50, 255, 0, 1, 0, 0, 0, 1, 0x45}, 9, ERR_UNSUPPORTED, 0},
    {{0x20, 255, 0, 1, 0, 0, 0, 1, 0x45}, 9, ERR_UNSUPPORTED, 0},
    {{0x30, 16, 0, 1, 0, 0, 0, 1, 0x45}, 9, ERR_UNSUPPORTED, 0}, /* types of GTP-C, unknown ones */
    {{0x30, 252, 0, 1, 0, 0, 0, 1, 0x45}, 9, ERR_UNSUPPORTED, 0},
    {{0x30, 253, 0, 0, 0, 0, 0, 1}, 8, 8, 0},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0x20, 1, 5, 0, 0, 0x45}, 17, 17, 0},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0x03, 1, 5, 0, 0, 0x45}, 17, 17, 0},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0x40, 1, 5, 0, 0, 0x45}, 17, 17, 0},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0x7f, 1, 5, 0, 0, 0x45}, 17, 17, 0},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0xc0, 1, 5, 0, 0, 0x45}, 17, 17, 0},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0x82, 1, 5, 0, 0, 0x45}, 17, ERR_UNSUPPORTED, 0x82},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0xc1, 1, 5, 0, 0, 0x45}, 17, ERR_UNSUPPORTED, 0xc1},
    {{0x34, 255, 0, 13, 0, 0, 0, 1, 0, 0, 0, 0xc0, 1, 5, 0, 0x85, 1, 0, 0, 0, 0x45},
     21,
     ERR_UNSUPPORTED,
     0x85},
    {{0x34, 255, 0, 17, 0, 0, 0, 1, 0, 0, 0, 0x03, 2, 5, 0, 0, 0, 0, 0, 0xc0, 1, 0, 0, 0, 0x45}, 25, 25, 0},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0xc0, 0, 5, 0, 0, 0x45}, 17, ERR_MALFORMED, 0}, /* m = 0 */
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0x82, 0, 5, 0, 0, 0x45}, 17, ERR_MALFORMED, 0},
    {{0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0xc0, 2, 5, 0, 0, 0x45}, 17, ERR_MALFORMED, 0},
    {{0x34, 255, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0xc0, 1, 0, 0, 0, 0x45}, 17, ERR_MALFORMED, 0},
    {{0x34, 255, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0xc0, 1, 0, 0, 0x20, 1, 0, 0, 0}, 20, ERR_MALFORMED, 0},
    {{0x34, 255, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0xc0, 1, 0, 0, 0}, 16, ERR_MALFORMED, 0}, /* no T-PDU */
};

TEST(bad_input_is_told_apart)
{
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        const struct packet *p = &packets[i];
        struct gtpu gtpu;
        gtpu_decode(&gtpu, p->bytes, p->len);
        assert_int_equal(probe_exact(decode, p->bytes, p->len), p->answer);
        assert_int_equal(gtpu.extension, p->extension);
        assert_int_equal(gtpu.teid, 1);
    }
}

TEST(options_count_only_with_their_flag)
{
    struct gtpu gtpu;
    uint8_t bytes[] = {0x31, 255, 0, 5, 0, 0, 0, 1, 9, 9, 7, 0xff, 0x45};
    assert_int_equal(gtpu_decode(&gtpu, bytes, sizeof bytes), 12);
    assert_int_equal(gtpu.seq, 0);
    assert_int_equal(gtpu.n_pdu_number, 7);
    bytes[0] = 0x32;
    assert_int_equal(gtpu_decode(&gtpu, bytes, sizeof bytes), 12);
    assert_int_equal(gtpu.seq, 0x909);
    assert_int_equal(gtpu.n_pdu_number, 0);
}

/* The short cut and the long way must say the same of anything. */
TEST(both_ways_agree)
{
    uint64_t seed = 5;
    for (unsigned round = 0; round < PROBE_ROUNDS; round++) {
        uint8_t bytes[32];
        struct gtpu quick, slow;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(probe_random(&seed) >> 24);
        bytes[0] = 0x30 | (bytes[0] & 15);
        bytes[1] = GTPU_G_PDU;
        bytes_put_u16(bytes + 2, bytes[2] % 32);
        size_t len = probe_random(&seed) % (sizeof bytes + 1);
        int answer = gtpu_decode_slowly(&slow, bytes, len);
        assert_int_equal(gtpu_decode(&quick, bytes, len), answer);
        if (answer > 0)
            assert_memory_equal(&quick, &slow, sizeof quick);
    }
}

TEST(encoder_limits)
{
    uint8_t bytes[12];
    static const struct {
        uint16_t payload_octets;
        uint8_t flags;
        int answer;
    } rows[] = {{0, 0, 8},           {65535, 0, 8},
                {65531, GTPU_S, 12}, {65532, GTPU_S, ERR_RANGE},
                {65531, GTPU_E, 12}, {65532, GTPU_PN, ERR_RANGE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gtpu in = {.type = 255, .flags = rows[i].flags, .payload_octets = rows[i].payload_octets};
        assert_int_equal(gtpu_encode(bytes, sizeof bytes, &in), rows[i].answer);
    }
}

TEST(options_are_written_only_with_their_flag)
{
    static const struct {
        uint8_t flags, tail[4];
    } rows[] = {{GTPU_S, {0x12, 0x34, 0, 0}},
                {GTPU_PN, {0, 0, 0x56, 0}},
                {GTPU_E, {0, 0, 0, 0xc0}},
                {GTPU_E | GTPU_S | GTPU_PN, {0x12, 0x34, 0x56, 0xc0}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gtpu in = {
            .flags = 0xf8 | rows[i].flags, .seq = 0x1234, .n_pdu_number = 0x56, .extension = 0xc0};
        uint8_t bytes[12];
        assert_int_equal(gtpu_encode(bytes, sizeof bytes, &in), 12);
        assert_int_equal(bytes[0], 0x30 | rows[i].flags);
        assert_memory_equal(bytes + 8, rows[i].tail, 4);
    }
}

TEST(every_truncation_is_refused)
{
    for (unsigned number = 93; number <= 100; number++) {
        struct vector v = *vectors_get(number);
        for (size_t len = 0; len < v.octets; len++)
            assert_int_equal(probe_exact(decode, v.bytes, len), ERR_TRUNCATED);
    }
}

TEST(noise_does_no_harm)
{
    probe_noise(decode, 6);
    probe_noise(decode_slowly, 7);
    struct vector v = *vectors_get(95);
    probe_mutations(decode, v.bytes, v.octets, 8);
}

UNIT_MAIN(NULL, NULL)
