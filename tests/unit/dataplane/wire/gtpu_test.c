/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtpu.h"

#include <string.h>

PROBED_PAYLOAD(decode, struct gtpu, gtpu_decode)
PROBED(decode_slowly, struct gtpu, gtpu_decode_slowly)

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
    for (size_t i = 0; i < COUNT(rows); i++) {
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
    ROW({0x34, 255, 0, 13, 0, 0, 0, 1, 0, 0, 0, 0xc0, 1, 5, 0, 0x85, 1, 0, 0, 0, 0x45}, 21, ERR_UNSUPPORTED,
        0x85),
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
    for (size_t i = 0; i < COUNT(packets); i++) {
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
    for (size_t i = 0; i < COUNT(rows); i++) {
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
    for (size_t i = 0; i < COUNT(rows); i++) {
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

static int extension_decode(const uint8_t *bytes, size_t len)
{
    struct gtpu_extension header;
    return gtpu_extension_decode(&header, 0x20, bytes, len);
}

TEST(rows_decode)
{
    static const struct {
        uint8_t bytes[12];
        size_t len;
        int answer;
        uint8_t next;
    } rows[] = {{{0}, 0, ERR_TRUNCATED, 0},
                {{0, 1, 2, 3}, 4, ERR_MALFORMED, 0},
                {{1, 8, 9, 0xc0}, 4, 4, 0xc0},
                {{1, 8, 9, 0, 7}, 5, 4, 0},
                {{1, 8, 9}, 3, ERR_TRUNCATED, 0},
                {{2, 1, 2, 3, 4, 5, 6, 0x20}, 8, 8, 0x20},
                {{3, 1, 2}, 12, 12, 0},
                {{3, 1, 2}, 11, ERR_TRUNCATED, 0},
                {{0xff, 1, 2}, 12, ERR_TRUNCATED, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtpu_extension header;
        assert_int_equal(probe_exact(extension_decode, rows[i].bytes, rows[i].len), rows[i].answer);
        assert_int_equal(gtpu_extension_decode(&header, 0x20, rows[i].bytes, rows[i].len), rows[i].answer);
        assert_int_equal(header.type, 0x20);
        assert_int_equal(header.next, rows[i].next);
        if (rows[i].answer > 0) {
            assert_int_equal(header.content_octets, rows[i].answer - 2);
            assert_ptr_equal(header.content, rows[i].bytes + 1);
        }
    }
}

TEST(lengths_round_trip)
{
    static uint8_t content[1024], bytes[1024];
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)(i + 1);
    for (unsigned octets = 0; octets < sizeof content; octets++) {
        struct gtpu_extension in = {.content = content, .content_octets = (uint16_t)octets, .next = 7}, out;
        int answer = gtpu_extension_encode(bytes, sizeof bytes, &in);
        assert_int_equal(answer, octets % 4 == 2 && octets <= 1018 ? (int)octets + 2 : ERR_RANGE);
        if (answer < 0)
            continue;
        assert_int_equal(gtpu_extension_encode(bytes, octets + 1, &in), ERR_NO_SPACE);
        assert_int_equal(gtpu_extension_decode(&out, 0, bytes, octets + 2), answer);
        assert_int_equal(out.content_octets, octets);
        assert_memory_equal(out.content, content, octets);
        assert_int_equal(out.next, 7);
    }
}

/* The sample whose chain is one header. */
TEST(sample)
{
    const struct vector *v = vectors_get(95);
    struct gtpu_extension header;
    uint8_t back[4];
    assert_int_equal(gtpu_extension_decode(&header, v->bytes[11], v->bytes + 12, v->octets - 12), 4);
    assert_int_equal(header.type, 0xc0);
    assert_int_equal(header.next, 0);
    assert_memory_equal(header.content, "\x01\x00", 2);
    assert_int_equal(gtpu_extension_encode(back, sizeof back, &header), 4);
    assert_memory_equal(back, v->bytes + 12, 4);
}

static const uint8_t peer[16] = {10, 0, 0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

PROBED(signal_decode, struct gtpu_signal_error, gtpu_signal_error_decode)

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
    for (size_t i = 0; i < COUNT(numbers); i++) {
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
            assert_true(probe_exact(signal_decode, bytes + offset, len) < 0);
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
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtpu_signal_error error;
        int answer = gtpu_signal_error_decode(&error, rows[i].bytes, rows[i].len);
        assert_int_equal(answer, rows[i].answer);
        if (answer < 0)
            continue;
        assert_int_equal(error.teid, 0x101);
        assert_int_equal(error.peer[0], rows[i].answer == 24 ? 1 : 10);
    }
}

TEST(signal_noise_does_no_harm)
{
    struct vector v = *vectors_get(98);
    for (size_t len = 12; len < v.octets; len++)
        assert_true(probe_exact(signal_decode, v.bytes + 12, len - 12) < 0);
    probe_noise(signal_decode, 10);
    probe_mutations(signal_decode, v.bytes + 12, v.octets - 12, 11);
}

UNIT_MAIN(NULL, NULL)
