/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/qos.h"
#include "dataplane/base/bytes.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

static const uint8_t sample[] = {0x13, 0x92, 0x1f, 0x73, 0x96, 0xfe, 0xfe, 0x74, 0x4b, 0xff, 0xff};

PROBED(decode, struct qos, qos_decode)

TEST(sample_decodes)
{
    struct qos q;
    assert_int_equal(qos_decode(&q, sample, sizeof sample), 11);
    assert_int_equal(q.delay_class, 2);
    assert_int_equal(q.reliability_class, 3);
    assert_int_equal(q.peak_class, 9);
    assert_int_equal(q.precedence, 2);
    assert_int_equal(q.mean_class, 31);
    assert_int_equal(q.traffic_class, QOS_INTERACTIVE);
    assert_int_equal(q.delivery_order, 2);
    assert_int_equal(q.erroneous_sdu, 3);
    assert_int_equal(q.max_sdu_octets, 1500);
    assert_int_equal(q.max_rate_up_bps, 8640000);
    assert_int_equal(q.max_rate_down_bps, 8640000);
    assert_int_equal(q.transfer_delay_ms, 300);
    assert_int_equal(q.thp, 3);
    assert_int_equal(q.guaranteed_rate_up_bps, 0);
    assert_int_equal(q.guaranteed_rate_down_bps, 0);
}

/* first octet, traffic class octet, THP octet; length -> class */
TEST(classes)
{
    static const struct {
        uint8_t delay, traffic, thp, octets;
        enum qclass qclass;
    } rows[] = {
        {0x0b, 0, 0, 3, QCLASS_THP1},
        {0x13, 0, 0, 3, QCLASS_THP2},
        {0x1b, 0, 0, 3, QCLASS_THP3},
        {0x23, 0, 0, 3, QCLASS_BACKGROUND},
        {0x03, 0, 0, 3, QCLASS_BACKGROUND},
        {0x2b, 0, 0, 3, QCLASS_BACKGROUND},
        {0x0b, 0x20, 0, 11, QCLASS_CONVERSATIONAL},
        {0x0b, 0x40, 0, 11, QCLASS_STREAMING},
        {0x0b, 0x60, 1, 11, QCLASS_THP1},
        {0x0b, 0x60, 2, 11, QCLASS_THP2},
        {0x0b, 0x60, 3, 11, QCLASS_THP3},
        {0x0b, 0x60, 0, 11, QCLASS_THP3},
        {0x0b, 0x80, 1, 11, QCLASS_BACKGROUND},
        {0x13, 0x00, 1, 11, QCLASS_THP2},
        {0x13, 0xe0, 1, 11, QCLASS_THP2},
        {0x0b, 0x7f, 0xfd, 16, QCLASS_THP1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[16] = {rows[i].delay, 0x92, 0x1f, rows[i].traffic, [8] = rows[i].thp};
        struct qos q;
        assert_int_equal(qos_decode(&q, bytes, rows[i].octets), rows[i].octets);
        assert_int_equal(qos_qclass(&q), rows[i].qclass);
    }
}

TEST(rates)
{
    static const struct {
        uint8_t base, extended;
        int64_t kbps;
    } rows[] = {
        {0x01, 0, 1},         {0x3f, 0, 63},        {0x40, 0, 64},        {0x7f, 0, 568},
        {0x80, 0, 576},       {0xfe, 0, 8640},      {0xff, 0, 0},         {0xfe, 0x01, 8700},
        {0xfe, 0x4a, 16000},  {0xfe, 0x4b, 17000},  {0xfe, 0xba, 128000}, {0xfe, 0xbb, 130000},
        {0xfe, 0xfa, 256000}, {0xfe, 0xff, 256000}, {0x40, 0x4a, 64},     {0xff, 0x4a, 0},
    };
    struct qos q;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[16] = {[6] = rows[i].base, [12] = rows[i].extended};
        assert_int_equal(qos_decode(&q, bytes, 16), 16);
        assert_int_equal(q.max_rate_down_bps, rows[i].kbps * 1000);
        assert_int_equal(q.max_rate_up_bps, QOS_RATE_UNSET);
        assert_int_equal(q.guaranteed_rate_down_bps, QOS_RATE_UNSET);
        assert_int_equal(qos_decode(&q, bytes, 12), 12); /* the extension is behind the end */
        if (!rows[i].extended)
            assert_int_equal(q.max_rate_down_bps, rows[i].kbps * 1000);
        else if (rows[i].base == 0xfe)
            assert_int_equal(q.max_rate_down_bps, 8640000);
    }
    static const uint8_t places[16] = {[5] = 1, [6] = 2, [9] = 3, [10] = 4};
    assert_int_equal(qos_decode(&q, places, 16), 16);
    assert_int_equal(q.max_rate_up_bps, 1000);
    assert_int_equal(q.max_rate_down_bps, 2000);
    assert_int_equal(q.guaranteed_rate_up_bps, 3000);
    assert_int_equal(q.guaranteed_rate_down_bps, 4000);
    static const uint8_t extensions[16] = {[5] = 0xfe, 0xfe, [9] = 0xfe, 0xfe, 0x10, 1, 2, 3, 4};
    assert_int_equal(qos_decode(&q, extensions, 16), 16);
    assert_int_equal(q.signalling, 1);
    assert_int_equal(q.max_rate_down_bps, 8700000);
    assert_int_equal(q.guaranteed_rate_down_bps, 8800000);
    assert_int_equal(q.max_rate_up_bps, 8900000);
    assert_int_equal(q.guaranteed_rate_up_bps, 9000000);
}

TEST(sizes_and_delays)
{
    static const struct {
        uint8_t sdu, delay;
        uint16_t octets, ms;
    } rows[] = {
        {0, 0, 0, 0},          {1, 1, 10, 10},         {150, 15, 1500, 150}, {0x97, 16, 1502, 200},
        {0x98, 31, 1510, 950}, {0x99, 32, 1520, 1000}, {0x9a, 62, 0, 4000},  {0xff, 63, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[11] = {[4] = rows[i].sdu, [8] = (uint8_t)(rows[i].delay << 2)};
        struct qos q;
        assert_int_equal(qos_decode(&q, bytes, 11), 11);
        assert_int_equal(q.max_sdu_octets, rows[i].octets);
        assert_int_equal(q.transfer_delay_ms, rows[i].ms);
    }
}

TEST(lengths)
{
    for (size_t len = 0; len <= sizeof sample; len++)
        assert_int_equal(probe_exact(decode, sample, len), len < 3                 ? ERR_TRUNCATED
                                                           : len == 3 || len == 11 ? (int)len
                                                                                   : ERR_MALFORMED);
    struct qos q;
    qos_decode(&q, sample, 3);
    assert_int_equal(q.traffic_class, 0);
    assert_int_equal(q.max_rate_down_bps, QOS_RATE_UNSET);
}

TEST_CALL(noise_does_no_harm, probe_noise(decode, 14))

UNIT_MAIN(NULL, NULL)
