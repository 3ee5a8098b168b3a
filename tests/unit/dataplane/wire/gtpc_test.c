/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpc.h"

#include <string.h>

static const uint8_t address_1[] = {10, 0, 0, 1}, address_2[] = {10, 0, 0, 2}, mobile[] = {10, 11, 0, 2};

PROBED(decode, struct gtpc, gtpc_decode)

static int decode_vector(struct gtpc *out, unsigned number)
{
    const struct vector *v = vectors_get(number);
    int answer = gtpc_decode(out, v->bytes, v->octets);
    assert_int_equal(answer, v->octets);
    return answer;
}

static void assert_address(const struct gtpc_address *address, const uint8_t *expect)
{
    assert_int_equal(address->octets, 4);
    assert_memory_equal(address->bytes, expect, 4);
}

TEST(vectors_decode)
{
    static const struct {
        unsigned number;
        uint32_t has, teid, teid_data, teid_control;
        uint16_t seq;
        uint8_t type, cause, nsapi, teardown;
    } rows[] = {
        {101, 0xfae, 0, 0x101, 1, 9, 16, 0, 5, 0},      {102, 0xf8d, 1, 0x201, 0x202, 9, 17, 128, 0, 0},
        {103, 0x724, 0x202, 0x102, 0, 10, 18, 0, 5, 0}, {104, 0x001, 1, 0, 0, 10, 19, 128, 0, 0},
        {105, 0x030, 0x202, 0, 0, 11, 20, 0, 5, 1},     {106, 0x001, 1, 0, 0, 11, 21, 128, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtpc g;
        decode_vector(&g, rows[i].number);
        assert_int_equal(g.type, rows[i].type);
        assert_int_equal(g.has, rows[i].has);
        assert_int_equal(g.teid, rows[i].teid);
        assert_int_equal(g.teid_data, rows[i].teid_data);
        assert_int_equal(g.teid_control, rows[i].teid_control);
        assert_int_equal(g.seq, rows[i].seq);
        assert_int_equal(g.cause, rows[i].cause);
        assert_int_equal(g.nsapi, rows[i].nsapi);
        assert_int_equal(g.teardown, rows[i].teardown);
    }
}

/* 6 to 15 digits are an IMSI (TS 23.003 §2.2). */
TEST(lengths_of_imsis)
{
    for (size_t digits = 0; digits <= 16; digits++) {
        uint8_t bytes[] = {0x32, GTPC_PDU_NOTIFICATION_REQUEST,
                           0,    18,
                           0,    0,
                           0,    1,
                           0,    7,
                           0,    0,
                           2,    0xff,
                           0xff, 0xff,
                           0xff, 0xff,
                           0xff, 0xff,
                           0xff, 17,
                           0,    0,
                           0,    1};
        struct gtpc g;
        for (size_t i = 0; i < digits; i++)
            bytes[13 + i / 2] &= (uint8_t)(i % 2 ? 0x1f : 0xf1);
        bool is_right = digits >= 6 && digits <= 15;
        assert_int_equal(gtpc_decode(&g, bytes, sizeof bytes), is_right ? (int)sizeof bytes : ERR_MALFORMED);
        assert_int_equal(g.fault, is_right ? 0 : GTPC_CAUSE_MANDATORY_INCORRECT);
        assert_true(!is_right || strspn(g.imsi, "1") == digits);
    }
}

TEST(values_of_a_create_exchange)
{
    static const uint8_t qos[] = {0x13, 0x92, 0x1f, 0x73, 0x96, 0xfe, 0xfe, 0x74, 0x4b, 0xff, 0xff};
    struct gtpc g;
    decode_vector(&g, 101);
    assert_string_equal(g.imsi, "262420000000001");
    assert_address(&g.control, address_2);
    assert_address(&g.user, address_2);
    assert_int_equal(g.user_ipv4.octets, 0); /* dynamic */
    assert_int_equal(g.arp, 2);
    assert_int_equal(g.qos_octets, sizeof qos);
    assert_memory_equal(g.qos, qos, sizeof qos);
    decode_vector(&g, 102);
    assert_address(&g.user, address_1);
    assert_address(&g.user_ipv4, mobile);
    assert_int_equal(g.user_ipv6.octets, 0);
}

/* A message of that type, sequence number 7, with these elements. */
static int decode_elements(struct gtpc *out, uint8_t type, const uint8_t *elements, size_t len)
{
    static uint8_t bytes[512]; /* gtpc.qos points into it */
    memset(bytes, 0, sizeof bytes);
    bytes[0] = 0x32;
    bytes[1] = type;
    bytes_put_u16(bytes + 2, (uint16_t)(4 + len));
    bytes[9] = 7;
    memcpy(bytes + 12, elements, len);
    int answer = gtpc_decode(out, bytes, 12 + len);
    return answer < 0 ? answer : answer - 12;
}

TEST(elements)
{
    static const struct {
        uint8_t type, bytes[40];
        size_t len;
        int answer;
        uint32_t has;
    } rows[] = {
        {17, {1, 128}, 2, 2, 0x001},
        {17, {1, 128, 1, 192}, 4, 4, 0x001},                         /* the first counts */
        {17, {1, 128, 100, 1, 16, 0}, 6, 6, 0x001},                  /* an unknown TV type hides the rest */
        {17, {1, 128, 250, 0, 1, 7, 16, 0, 0, 0, 1}, 11, 11, 0x005}, /* an unknown TLV does not */
        {17, {100, 1, 1, 128}, 4, ERR_MALFORMED, 0},
        {17, {14, 1}, 2, ERR_MALFORMED, 0}, /* no cause */
        {17, {1, 128, 14, 7}, 4, 4, 0x801},
        {17, {1, 128, 133, 0, 4, 10, 0, 0, 1}, 9, 9, 0x101},
        {17, {1, 128, 133, 0, 5, 10, 0, 0, 1, 1}, 10, ERR_MALFORMED, 0},
        {17, {1, 128, 133, 0, 9, 10, 0, 0, 1}, 9, ERR_TRUNCATED, 0},
        {17, {1, 128, 135, 0, 0}, 5, ERR_MALFORMED, 0},
        {17, {1, 128, 135, 0, 1, 3}, 6, 6, 0x401},
        {17, {1, 128, 128, 0, 1, 0xf1}, 6, ERR_MALFORMED, 0},
        {17, {1, 128, 128, 0, 2, 0xf0, 1}, 7, 7, 0x081}, /* PPP */
        {17, {1, 128, 128, 0, 5, 0xf1, 0x21, 10, 0, 0}, 10, ERR_MALFORMED, 0},
        {18, {20, 5}, 2, 2, 0x020},
        {18, {16, 0, 0, 0, 1}, 5, ERR_MALFORMED, 0}, /* no NSAPI */
        {16, {16, 0, 0, 0, 1, 20, 5, 20, 6}, 9, ERR_MALFORMED, 0},
        {18, {2, 0x62, 0x42, 2, 0, 0, 0, 0, 0x11, 20, 5}, 11, ERR_MALFORMED, 0}, /* 16 digits */
        {18, {2, 0x62, 0x42, 0x0a, 0, 0, 0, 0, 0xf1, 20, 5}, 11, ERR_MALFORMED, 0},
        {22, {1, 128}, 2, ERR_MALFORMED, 0}, /* no linked NSAPI */
        {22, {20, 5}, 2, 2, 0x020},
        {48, {0}, 0, ERR_UNSUPPORTED, 0}, /* of lua/wire/gtp_mobility.lua */
        {51, {0}, 0, ERR_UNSUPPORTED, 0},
        {53, {17, 0, 0, 0, 9}, 5, ERR_UNSUPPORTED, 0},
        {1, {0}, 0, 0, 0},
        {1, {14, 3}, 2, 2, 0x800},
        {2, {14, 3}, 2, 2, 0x800},
        {2, {0}, 0, ERR_MALFORMED, 0}, /* no restart counter */
        {3, {0}, 0, 0, 0},
        {255, {0x45}, 1, ERR_UNSUPPORTED, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtpc g;
        int answer = decode_elements(&g, rows[i].type, rows[i].bytes, rows[i].len);
        assert_int_equal(answer, rows[i].answer);
        assert_int_equal(g.type, rows[i].type);
        assert_int_equal(g.seq, 7);
        if (answer >= 0)
            assert_int_equal(g.has, rows[i].has);
    }
}

/* End user address value -> octets of IPv4 and IPv6 found. */
TEST(end_user_addresses)
{
    static const struct {
        uint8_t type, octets, ipv4, ipv6;
        int ok;
    } rows[] = {
        {0x21, 0, 0, 0, 1},   {0x21, 4, 4, 0, 1},   {0x21, 16, 0, 0, 0}, {0x57, 0, 0, 0, 1},
        {0x57, 16, 0, 16, 1}, {0x57, 4, 0, 0, 0},   {0x8d, 0, 0, 0, 1},  {0x8d, 4, 4, 0, 1},
        {0x8d, 16, 0, 16, 1}, {0x8d, 20, 4, 16, 1}, {0x8d, 8, 0, 0, 0},  {0x57, 20, 0, 0, 0},
        {0x21, 20, 0, 0, 0},  {0x01, 9, 0, 0, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[32] = {1, 128, 128, 0, (uint8_t)(2 + rows[i].octets), 0xf1, rows[i].type};
        struct gtpc g;
        for (uint8_t n = 0; n < rows[i].octets; n++)
            bytes[7 + n] = n;
        int answer = decode_elements(&g, GTPC_CREATE_RESPONSE, bytes, 7u + rows[i].octets);
        assert_int_equal(answer, rows[i].ok ? 7 + rows[i].octets : ERR_MALFORMED);
        if (!rows[i].ok)
            continue;
        assert_int_equal(g.user_ipv4.octets, rows[i].ipv4);
        assert_int_equal(g.user_ipv6.octets, rows[i].ipv6);
        if (rows[i].ipv6)
            assert_int_equal(g.user_ipv6.bytes[15], rows[i].octets - 1);
        if (rows[i].ipv4)
            assert_int_equal(g.user_ipv4.bytes[3], 3);
    }
}

TEST(secondary_context_names_two_nsapis)
{
    static const uint8_t bytes[] = {16, 0, 0, 0, 1,   20, 6, 20, 5, 133, 0, 4,   10, 0, 0, 1, 133, 0, 4,
                                    10, 0, 0, 2, 133, 0,  4, 9,  9, 9,   9, 135, 0,  4, 1, 2, 3,   4};
    struct gtpc g;
    assert_int_equal(decode_elements(&g, GTPC_CREATE_REQUEST, bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(g.nsapi, 6);
    assert_int_equal(g.linked_nsapi, 5);
    assert_address(&g.control, address_1);
    assert_address(&g.user, address_2); /* a third address changes nothing */
    assert_int_equal(g.qos_octets, 3);
}

TEST(every_truncation_is_refused)
{
    for (unsigned number = 101; number <= 106; number++) {
        struct vector v = *vectors_get(number);
        for (size_t len = 0; len < v.octets; len++)
            assert_int_equal(probe_exact(decode, v.bytes, len), ERR_TRUNCATED);
    }
}

/* The header's Length cut too: then an element is cut or missing, or only optional ones are. */
TEST(every_shorter_length_is_safe)
{
    for (unsigned number = 101; number <= 106; number++) {
        struct vector v = *vectors_get(number);
        for (size_t len = 12; len < v.octets; len++) {
            bytes_put_u16(v.bytes + 2, (uint16_t)(len - 8));
            int answer = probe_exact(decode, v.bytes, len);
            assert_true(answer == ERR_TRUNCATED || answer == ERR_MALFORMED || answer == (int)len);
            assert_true(number != 101 || answer < 0);
        }
    }
}

/* Requests go from a port of their own, as does what acknowledges the response to one; responses come there.
 * Those between SGSNs do so, too. */
TEST(ports)
{
    static const struct siphash_key key = {1, 2};
    for (unsigned number = 101; number <= 119; number++) {
        const struct vector *v = vectors_get(number);
        uint16_t seq = bytes_get_u16(v->bytes + 8), port = gtpc_port_of(&key, 5, seq);
        bool is_request = v->bytes[1] % 2 == 0;
        assert_int_equal(gtpc_request_seq(v->bytes, v->octets), is_request ? seq : -1);
        assert_int_equal(gtpc_port_is_right(&key, 5, port, v->bytes, v->octets), !is_request);
    }
}

TEST(noise_does_no_harm)
{
    struct vector v = *vectors_get(101);
    probe_noise(decode, 12);
    probe_mutations(decode, v.bytes, v.octets, 13);
}

/* --- Messages that we send, against the vectors' octets; what has no place on the wire is refused --- */

PROBED(ie_decode, struct gtp_ie, gtp_ie_decode)

TEST(ie_elements)
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
    for (size_t i = 0; i < COUNT(rows); i++) {
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
    for (size_t i = 0; i < COUNT(rows); i++) {
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
        assert_int_equal(ie_decode(bytes, sizeof bytes), octets[type] ? 1 + octets[type] : 0);
        if (octets[type])
            assert_int_equal(probe_exact(ie_decode, bytes, octets[type]), ERR_TRUNCATED);
    }
}

TEST_CALL(ie_noise_does_no_harm, probe_noise(ie_decode, 9))

UNIT_MAIN(NULL, NULL)
