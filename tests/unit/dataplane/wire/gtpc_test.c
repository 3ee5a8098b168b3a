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
        {101, 0xfae, 0, 0x101, 1, 9, 16, 0, 5, 0},      {102, 0x1000f8d, 1, 0x201, 0x202, 9, 17, 128, 0, 0},
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

TEST(charging_id_is_read)
{
    static const uint8_t elements[] = {1, 128, 127, 0x01, 0x02, 0x03, 0xfe};
    struct gtpc g;
    assert_return_code(decode_elements(&g, GTPC_CREATE_RESPONSE, elements, sizeof elements), 0);
    assert_true(g.has & GTPC_HAS_CHARGING_ID);
    assert_int_equal(g.charging_id, 0x010203fe);
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

/* Their value as it stands; an empty one is none. */
TEST(protocol_options)
{
    static const uint8_t bytes[] = {1, 128, 132, 0, 3, 0x80, 1, 2};
    struct gtpc g;
    assert_int_equal(decode_elements(&g, GTPC_CREATE_RESPONSE, bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(g.has, GTPC_HAS_CAUSE | GTPC_HAS_PCO);
    assert_true(g.pco_octets == 3 && memcmp(g.pco, bytes + 5, 3) == 0);
    uint8_t other[5 + 252] = {1, 128, 132};
    for (unsigned octets = 0; octets <= 252; octets += octets ? 1 : 251) { /* a phone takes 251 */
        other[4] = (uint8_t)octets;
        assert_int_equal(decode_elements(&g, GTPC_CREATE_RESPONSE, other, 5 + octets), 5 + octets);
        assert_int_equal(g.pco_octets, octets == 251 ? 251 : 0);
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

static const uint8_t encode_qos[] = {0x13, 0x92, 0x1f, 0x73, 0x96, 0xfe, 0xfe, 0x74, 0x4b, 0xff, 0xff};

static const struct gtpc create = {
    .type = GTPC_CREATE_REQUEST,
    .has = GTPC_HAS_IMSI | GTPC_HAS_RECOVERY | GTPC_HAS_SELECTION | GTPC_HAS_TEID_DATA |
           GTPC_HAS_TEID_CONTROL | GTPC_HAS_NSAPI | GTPC_HAS_END_USER | GTPC_HAS_APN |
           GTPC_HAS_CONTROL_ADDRESS | GTPC_HAS_USER_ADDRESS | GTPC_HAS_MSISDN | GTPC_HAS_QOS,
    .seq = 9,
    .imsi = "262420000000001",
    .recovery = 5,
    .teid_data = 0x101,
    .teid_control = 1,
    .nsapi = 5,
    .pdp_type = GTPC_PDP_IPV4,
    .apn = "internet",
    .control = {4, {10, 0, 0, 2}},
    .user = {4, {10, 0, 0, 2}},
    .msisdn = "491505000000",
    .arp = 2,
    .qos = encode_qos,
    .qos_octets = sizeof(encode_qos),
};

static void check_vector(unsigned number, const struct gtpc *message)
{
    const struct vector *v = vectors_get(number);
    uint8_t bytes[GTPC_MAX_OCTETS];
    assert_int_equal(gtpc_encode(bytes, sizeof(bytes), message), v->octets);
    assert_memory_equal(bytes, v->bytes, v->octets);
    for (size_t cap = 0; cap < v->octets; cap++)
        assert_int_equal(gtpc_encode(bytes, cap, message), ERR_NO_SPACE);
}

TEST(vectors)
{
    static const struct {
        unsigned number;
        struct gtpc message;
    } rows[] = {
        {96, {.type = GTPC_ECHO_REQUEST, .seq = 1}},
        {97, {.type = GTPC_ECHO_RESPONSE, .seq = 1, .has = GTPC_HAS_RECOVERY}},
        {103, ROW(.type = GTPC_UPDATE_REQUEST,
                  .has = GTPC_HAS_TEID_DATA | GTPC_HAS_NSAPI | GTPC_HAS_CONTROL_ADDRESS |
                         GTPC_HAS_USER_ADDRESS | GTPC_HAS_QOS,
                  .teid = 0x202, .seq = 10, .teid_data = 0x102, .nsapi = 5, .control = {4, {10, 0, 0, 2}},
                  .user = {4, {10, 0, 0, 2}}, .arp = 2, .qos = encode_qos, .qos_octets = sizeof(encode_qos))},
        {104, {.type = GTPC_UPDATE_RESPONSE, .has = GTPC_HAS_CAUSE, .teid = 1, .seq = 10, .cause = 128}},
        {105, ROW(.type = GTPC_DELETE_REQUEST, .has = GTPC_HAS_TEARDOWN | GTPC_HAS_NSAPI, .teid = 0x202,
                  .seq = 11, .teardown = 1, .nsapi = 5)},
        {106, {.type = GTPC_DELETE_RESPONSE, .has = GTPC_HAS_CAUSE, .teid = 1, .seq = 11, .cause = 128}},
    };
    check_vector(101, &create);
    for (size_t i = 0; i < COUNT(rows); i++)
        check_vector(rows[i].number, &rows[i].message);
}

/* PDP type Non-IP is ETSI's, and has no address. */
TEST(non_ip)
{
    static const uint8_t want[] = {0x80, 0, 2, 0xf0, 0x02};
    struct gtpc in = create, out;
    uint8_t bytes[GTPC_MAX_OCTETS];
    in.pdp_type = GTPC_PDP_NON_IP;
    in.user_ipv4.octets = 4;
    assert_int_equal(gtpc_encode(bytes, sizeof(bytes), &in), ERR_RANGE);
    in.user_ipv4.octets = 0;
    int octets = gtpc_encode(bytes, sizeof(bytes), &in);
    assert_true(octets > 0);
    assert_non_null(memmem(bytes, (size_t)octets, want, sizeof(want)));
    assert_int_equal(gtpc_decode(&out, bytes, (size_t)octets), octets);
    assert_int_equal(out.pdp_type, GTPC_PDP_NON_IP);
    assert_int_equal(out.user_ipv4.octets + out.user_ipv6.octets, 0);
}

/* What is read as it was written: addresses of both versions, the other order of nothing. */
TEST(both_ways)
{
    struct gtpc in = create, out;
    uint8_t bytes[GTPC_MAX_OCTETS];
    in.has |= GTPC_HAS_LINKED_NSAPI | GTPC_HAS_RAT_TYPE;
    in.linked_nsapi = 15;
    in.rat_type = 2;
    in.selection = 2;
    in.pdp_type = GTPC_PDP_IPV4V6;
    in.user_ipv4 = (struct gtpc_address){4, {10, 45, 0, 1}};
    in.user_ipv6 = (struct gtpc_address){16, {0x20, 1, 0x0d, 0xb8, [15] = 9}};
    in.control = in.user = (struct gtpc_address){16, {0xfd, [15] = 1}};
    int octets = gtpc_encode(bytes, sizeof(bytes), &in);
    assert_true(octets > 0);
    assert_int_equal(gtpc_decode(&out, bytes, (size_t)octets), octets);
    assert_int_equal(out.has, in.has & ~(uint32_t)(GTPC_HAS_SELECTION | GTPC_HAS_APN | GTPC_HAS_MSISDN |
                                                   GTPC_HAS_RAT_TYPE));
    assert_string_equal(out.imsi, in.imsi);
    assert_int_equal(out.recovery, 5);
    assert_int_equal(out.linked_nsapi, 15);
    assert_int_equal(out.pdp_type, GTPC_PDP_IPV4V6);
    assert_memory_equal(&out.user_ipv4, &in.user_ipv4, sizeof(in.user_ipv4));
    assert_memory_equal(&out.user_ipv6, &in.user_ipv6, sizeof(in.user_ipv6));
    assert_memory_equal(&out.control, &in.control, sizeof(in.control));
    assert_memory_equal(&out.user, &in.user, sizeof(in.user));
    assert_int_equal(out.arp, 2);
    assert_int_equal(out.qos_octets, sizeof(encode_qos));
    assert_memory_equal(out.qos, encode_qos, sizeof(encode_qos));
}

/* Elements about the mobile: MCC 262, MNC 42, LAC 4660, RAC 5, CI 4661; one hour east in summer; an IMEISV.
 */
static const struct gtpc told = {
    .has = GTPC_HAS_RAI | GTPC_HAS_CHARGING | GTPC_HAS_RAT_TYPE | GTPC_HAS_CELL | GTPC_HAS_TIME_ZONE |
           GTPC_HAS_IMEISV,
    .area = {.mcc = "262", .mnc = "42", .lac = 4660, .rac = 5, .ci = 4661},
    .charging = 0x0800,
    .rat_type = 2,
    .quarters = 8,
    .daylight = 1,
    .imeisv = "3512345678901231",
};

static struct gtpc create_told(void)
{
    struct gtpc in = create;
    uint32_t has = in.has | told.has;
    in.area = told.area;
    in.charging = told.charging;
    in.rat_type = told.rat_type;
    in.quarters = told.quarters;
    in.daylight = told.daylight;
    in.imeisv = told.imeisv;
    in.has = has;
    return in;
}

/* In the order of their types, with the values of TS 29.060 clauses 7.7.3, 7.7.23 and 7.7.50 to 7.7.53. */
TEST(elements_about_the_mobile)
{
    static const uint8_t rai[] = {3, 0x62, 0xf2, 0x24, 0xff, 0xfe, 0xff, 14, 5};
    static const uint8_t charging[] = {20, 5, 26, 8, 0, 128};
    static const uint8_t last[] = {151,  0,    1,    2,    152,  0,    8,    0,    0x62, 0xf2, 0x24,
                                   0x12, 0x34, 0x12, 0x35, 153,  0,    2,    0x80, 1,    154,  0,
                                   8,    0x53, 0x21, 0x43, 0x65, 0x87, 0x09, 0x21, 0x13};
    struct gtpc in = create_told(), out;
    uint8_t bytes[GTPC_MAX_OCTETS];
    int octets = gtpc_encode(bytes, sizeof(bytes), &in);
    assert_true(octets > 0);
    assert_non_null(memmem(bytes, (size_t)octets, rai, sizeof(rai)));
    assert_non_null(memmem(bytes, (size_t)octets, charging, sizeof(charging)));
    assert_memory_equal(bytes + octets - sizeof(last), last, sizeof(last));
    assert_int_equal(gtpc_decode(&out, bytes, (size_t)octets), octets); /* which skips them */
}

TEST(time_zones_and_imeis)
{
    static const struct {
        int8_t quarters;
        uint8_t daylight, octet;
        const char *imeisv;
        uint8_t last;
        bool is_ok;
    } rows[] = {
        {0, 0, 0x00, "351234567890123", 0xf3, true},    {4, 0, 0x40, "3512345678901231", 0x13, true},
        {-20, 0, 0x0a, "3512345678901231", 0x13, true}, {79, 2, 0x97, "3512345678901231", 0x13, true},
        {-79, 0, 0x9f, "3512345678901231", 0x13, true}, {80, 0, 0, "3512345678901231", 0, false},
        {0, 3, 0, "3512345678901231", 0, false},        {0, 0, 0, "35123456789012", 0, false},
        {0, 0, 0, "35123456789012345", 0, false},       {0, 0, 0, "35123456789012a", 0, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtpc in = create_told();
        uint8_t bytes[GTPC_MAX_OCTETS];
        in.quarters = rows[i].quarters;
        in.daylight = rows[i].daylight;
        in.imeisv = rows[i].imeisv;
        int octets = gtpc_encode(bytes, sizeof(bytes), &in);
        assert_int_equal(octets > 0, rows[i].is_ok);
        if (!rows[i].is_ok)
            continue;
        assert_int_equal(bytes[octets - 13], rows[i].octet);
        assert_int_equal(bytes[octets - 12], rows[i].daylight);
        assert_int_equal(bytes[octets - 1], rows[i].last);
    }
}

static int encode_apn(const char *apn)
{
    struct gtpc in = create;
    uint8_t bytes[GTPC_MAX_OCTETS];
    in.apn = apn;
    return gtpc_encode(bytes, sizeof(bytes), &in);
}

TEST(apns)
{
    char longest[GTPC_APN_CHARS + 1], label[66];
    int plain = encode_apn("internet");
    memset(longest, 'a', sizeof(longest));
    longest[50] = '.';
    longest[100] = '\0';
    memset(label, 'a', sizeof(label));
    label[63] = '\0';
    assert_int_equal(encode_apn("a.b"), plain - 5);
    assert_int_equal(encode_apn(longest), plain + 92);
    assert_int_equal(encode_apn(label), plain + 55);
    label[63] = 'a';
    label[64] = '\0';
    assert_int_equal(encode_apn(label), ERR_RANGE);
    longest[100] = 'a';
    longest[101] = '\0';
    assert_int_equal(encode_apn(longest), ERR_RANGE);
    static const char *const wrong[] = {"", ".", "a.", ".a", "a..b"};
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(encode_apn(wrong[i]), ERR_RANGE);
}

TEST(refused)
{
    uint8_t bytes[GTPC_MAX_OCTETS];
    struct gtpc in;
#define REFUSED(change)                                                                                      \
    do {                                                                                                     \
        in = create;                                                                                         \
        change;                                                                                              \
        assert_int_equal(gtpc_encode(bytes, sizeof(bytes), &in), ERR_RANGE);                                 \
    } while (0)
    REFUSED(in.type = 255);
    REFUSED(in.type = 0);
    REFUSED(in.has &= ~(uint32_t)GTPC_HAS_QOS);
    REFUSED(in.has &= ~(uint32_t)GTPC_HAS_NSAPI);
    REFUSED(in.type = GTPC_CREATE_RESPONSE); /* no cause */
    REFUSED(in.imsi[0] = '\0');
    REFUSED(in.imsi[5] = '\0');
    REFUSED(in.imsi[3] = 'a');
    REFUSED(in.msisdn = "");
    REFUSED(in.msisdn = "1234567890123456");
    REFUSED(in.msisdn = "12-4");
    REFUSED(in.control.octets = 0);
    REFUSED(in.user.octets = 5);
    REFUSED(in.user_ipv6.octets = 16);
    REFUSED(in.user_ipv4.octets = 16);
    REFUSED(in.qos_octets = 256);
}

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
