/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that we send, against the vectors' octets; what has no place on the wire is refused. */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtpc.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include <string.h>

static const uint8_t qos[] = {0x13, 0x92, 0x1f, 0x73, 0x96, 0xfe, 0xfe, 0x74, 0x4b, 0xff, 0xff};

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
    .qos = qos,
    .qos_octets = sizeof(qos),
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
        {103,
         {.type = GTPC_UPDATE_REQUEST,
          .has = GTPC_HAS_TEID_DATA | GTPC_HAS_NSAPI | GTPC_HAS_CONTROL_ADDRESS | GTPC_HAS_USER_ADDRESS |
                 GTPC_HAS_QOS,
          .teid = 0x202,
          .seq = 10,
          .teid_data = 0x102,
          .nsapi = 5,
          .control = {4, {10, 0, 0, 2}},
          .user = {4, {10, 0, 0, 2}},
          .arp = 2,
          .qos = qos,
          .qos_octets = sizeof(qos)}},
        {104, {.type = GTPC_UPDATE_RESPONSE, .has = GTPC_HAS_CAUSE, .teid = 1, .seq = 10, .cause = 128}},
        {105,
         {.type = GTPC_DELETE_REQUEST,
          .has = GTPC_HAS_TEARDOWN | GTPC_HAS_NSAPI,
          .teid = 0x202,
          .seq = 11,
          .teardown = 1,
          .nsapi = 5}},
        {106, {.type = GTPC_DELETE_RESPONSE, .has = GTPC_HAS_CAUSE, .teid = 1, .seq = 11, .cause = 128}},
    };
    check_vector(101, &create);
    for (size_t i = 0; i < COUNT(rows); i++)
        check_vector(rows[i].number, &rows[i].message);
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
    assert_int_equal(out.qos_octets, sizeof(qos));
    assert_memory_equal(out.qos, qos, sizeof(qos));
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

UNIT_MAIN(NULL, NULL)
