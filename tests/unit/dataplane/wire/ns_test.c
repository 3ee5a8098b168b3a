/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ns.h"

#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

TEST(fields_of_the_vectors)
{
    static const struct {
        unsigned vector;
        const char *name, *field;
        int64_t value;
    } rows[] = {
        {1, "reset", "cause", 1},
        {1, "reset", "nsvci", 101},
        {1, "reset", "nsei", 101},
        {2, "reset_ack", "nsvci", 101},
        {2, "reset_ack", "cause", FIELD_ABSENT},
        {3, "block", "cause", 2},
        {4, "block_ack", "nsvci", 101},
        {5, "unblock", "nsvci", FIELD_ABSENT},
        {8, "alive_ack", "nsvci", FIELD_ABSENT},
        {9, "status", "cause", 5},
        {9, "status", "bvci", 1800},
        {10, "status", "ns_pdu", 4},
        {11, "sns_size", "nsei", 101},
        {11, "sns_size", "reset_flag", 1},
        {11, "sns_size", "max_nsvcs", 4},
        {11, "sns_size", "ip4_endpoints", 1},
        {11, "sns_size", "ip6_endpoints", FIELD_ABSENT},
        {12, "sns_size_ack", "cause", FIELD_ABSENT},
        {13, "sns_size_ack", "cause", 0x10},
        {14, "sns_config", "end_flag", 1},
        {14, "sns_config", "ip4_list", 8},
        {15, "sns_config_ack", "nsei", 101},
        {16, "sns_add", "transaction", 7},
        {17, "sns_changeweight", "transaction", 8},
        {18, "sns_delete", "transaction", 9},
        {19, "sns_ack", "transaction", 7},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ns ns;
        const struct vector *v = vectors_get(rows[i].vector);
        assert_int_equal(ns_decode(&ns, v->bytes, v->octets), v->octets);
        assert_string_equal(ns.head.row->name, rows[i].name);
        assert_int_equal(pdu_field(&ns_grammar, &ns.head, rows[i].field), rows[i].value);
    }
}

TEST(vectors_come_back)
{
    size_t count;
    const struct vector *v = vectors_load("ns.txt", &count);
    for (size_t i = 0; i < count; i++) {
        struct ns ns;
        uint8_t bytes[64];
        assert_int_equal(ns_decode(&ns, v[i].bytes, v[i].octets), v[i].octets);
        assert_int_equal(ns_encode(bytes, sizeof bytes, &ns), v[i].octets);
        assert_memory_equal(bytes, v[i].bytes, v[i].octets);
        for (size_t cap = 0; cap < v[i].octets; cap++)
            assert_int_equal(ns_encode(bytes, cap, &ns), ERR_NO_SPACE);
    }
}

TEST(errors_and_their_causes)
{
    static const struct {
        uint8_t bytes[24];
        size_t len;
        int err;
        uint8_t cause;
    } rows[] = {
        {{0}, 0, ERR_TRUNCATED, 0x0b},
        {{0x01}, 1, ERR_UNSUPPORTED, 0x0b},
        {{0x14}, 1, ERR_UNSUPPORTED, 0x0b},
        {{0x00, 0x00, 0x07}, 3, ERR_TRUNCATED, 0x0c},
        {{0x02, 0x00, 0x81, 0x01, 0x01, 0x82, 0x00, 0x65}, 8, ERR_MALFORMED, 0x0d},
        {{0x05, 0x01, 0x81, 0x65}, 4, ERR_MALFORMED, 0x0c},
        {{0x05, 0x01, 0x82, 0x00}, 4, ERR_TRUNCATED, 0x0c},
        {{0x06, 0x01}, 2, ERR_MALFORMED, 0x0b},
        {{0x07, 0x00}, 2, ERR_MALFORMED, 0x0b},
        {{0x0c, 0x07, 0x04, 0x82, 0x00, 0x65}, 6, ERR_MALFORMED, 0x0d},
        {{0x0c, 0x04, 0x82, 0x00, 0x65}, 5, ERR_TRUNCATED, 0x0c},
        {{0x11, 0x04, 0x82, 0x00, 0x65, 0x01, 0x0b, 0x03, 0x0a, 0, 0, 1}, 12, ERR_MALFORMED, 0x0c},
        {{0x0d, 0x04, 0x82, 0x00, 0x65, 0x01, 0x05, 0x83, 0x0a, 0, 0}, 11, ERR_MALFORMED, 0x0c},
        ROW({0x0d, 0x04, 0x82, 0x00, 0x65, 0x01, 0x05, 0x8c, 0x0a}, 20, ERR_MALFORMED,
            0x0c), /* one and a half */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ns ns;
        assert_int_equal(ns_decode(&ns, rows[i].bytes, rows[i].len), rows[i].err);
        assert_int_equal(ns.error_cause, rows[i].cause);
    }
}

TEST(elements_in_any_order_and_form)
{
    static const uint8_t reset[] = {0x02, 0x04, 0x00, 0x02, 0x00, 0x65, 0x77, 0x82, 0xaa, 0xbb, 0x01, 0x82,
                                    0x01, 0x02, 0x00, 0x81, 0x08, 0x01, 0x82, 0x09, 0x09, 0x0a, 0x01};
    struct ns ns;
    assert_int_equal(ns_decode(&ns, reset, sizeof reset), sizeof reset);
    assert_int_equal(ns.nsei, 0x65);
    assert_int_equal(ns.nsvci, 0x102);
    assert_int_equal(ns.cause, 8);
}

/* Elements without a length where they do not belong, in front of those that do: an address, two numbers. */
TEST(elements_out_of_place)
{
    static const uint8_t reset[] = {0x02, 0x08, 0x00, 0x03, 0x04, 0x82, 0x00, 0x65, 0x0b, 0x02, 0,    0,
                                    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
                                    0,    0,    0x01, 0x82, 0x01, 0x02, 0x07, 0x00, 0x03, 0x00, 0x81, 0x08};
    struct ns ns;
    assert_int_equal(ns_decode(&ns, reset, sizeof reset), sizeof reset);
    assert_int_equal(ns.nsei, 0x65);
    assert_int_equal(ns.nsvci, 0x102);
    assert_int_equal(ns.cause, 8);
}

TEST(endpoint_lists)
{
    static const uint8_t address[] = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};
    uint8_t list[40], bytes[64];
    struct ns_endpoint e = {address, 23000, 3, 4};
    struct ns in = {.head.type = NS_SNS_CONFIG, .nsei = 9, .ip6_list = {list, sizeof list}}, out;
    assert_int_equal(ns_endpoint_encode(list, sizeof list, &e, NS_IP6), 20);
    assert_int_equal(ns_endpoint_encode(list + 20, 20, &e, NS_IP6), 20);
    assert_int_equal(ns_endpoint_encode(list, 19, &e, NS_IP6), ERR_NO_SPACE);
    pdu_mark(&in.head, NS_IE_IP6_LIST);
    int n = ns_encode(bytes, sizeof bytes, &in);
    assert_int_equal(n, 1 + 1 + 4 + 2 + 40);
    assert_int_equal(ns_decode(&out, bytes, (size_t)n), n);
    assert_int_equal(ns_endpoint_get(&e, &out, NS_IP6, 1), 0);
    assert_memory_equal(e.address, address, 16);
    assert_int_equal(e.udp_port, 23000);
    assert_int_equal(e.signalling_weight, 3);
    assert_int_equal(e.data_weight, 4);
    assert_int_equal(ns_endpoint_get(&e, &out, NS_IP6, 2), ERR_RANGE);
    assert_int_equal(ns_endpoint_get(&e, &out, NS_IP4, 0), ERR_RANGE);
}

TEST(ip_address_in_both_families)
{
    static const uint8_t address[16] = {10, 0, 0, 3};
    for (size_t octets = 4; octets <= 16; octets += 12) {
        struct ns in = {.head.type = NS_SNS_DELETE,
                        .nsei = 1,
                        .transaction = 2,
                        .address = {address, octets}},
                  out;
        uint8_t bytes[32];
        pdu_mark(&in.head, NS_IE_ADDRESS);
        int n = ns_encode(bytes, sizeof bytes, &in);
        assert_int_equal(n, 6 + 2 + (int)octets);
        assert_int_equal(bytes[7], octets == 4 ? 1 : 2);
        assert_int_equal(ns_decode(&out, bytes, (size_t)n), n);
        assert_int_equal(out.address.octets, octets);
        assert_memory_equal(out.address.at, address, octets);
    }
}

TEST(values_too_large_are_refused)
{
    uint8_t bytes[32];
    struct ns wide = {.head.type = NS_BLOCK_ACK, .nsvci = 0x10000};
    struct ns unknown = {.head.type = 0x55};
    assert_int_equal(ns_encode(bytes, sizeof bytes, &wide), ERR_RANGE);
    assert_int_equal(ns_encode(bytes, sizeof bytes, &unknown), ERR_UNSUPPORTED);
}

TEST(unitdata)
{
    static const uint8_t bytes[] = {0x00, 0x01, 0x07, 0x08, 0xaa, 0xbb};
    uint8_t header[4];
    uint16_t bvci = 0;
    struct ns ns;
    assert_int_equal(ns_decode(&ns, bytes, sizeof bytes), 6);
    assert_int_equal(ns.bvci, 1800);
    assert_int_equal(ns.control_bits, 1);
    assert_ptr_equal(ns.sdu.at, bytes + 4);
    assert_int_equal(ns.sdu.octets, 2);
    assert_int_equal(ns_unitdata_header_get(&bvci, bytes, sizeof bytes), 4);
    assert_int_equal(bvci, 1800);
    assert_int_equal(ns_unitdata_header_get(&bvci, bytes, 3), ERR_TRUNCATED);
    assert_int_equal(ns_unitdata_header_get(&bvci, bytes, 0), ERR_TRUNCATED);
    assert_int_equal(ns_unitdata_header_get(&bvci, bytes + 1, 5), ERR_UNSUPPORTED);
    assert_int_equal(ns_unitdata_header_put(header, 0xfffe), 4);
    assert_memory_equal(header, "\x00\x00\xff\xfe", 4);
}

UNIT_MAIN(NULL, NULL)
