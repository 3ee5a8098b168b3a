/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/pdu.h"
#include "dataplane/base/bytes.h"
#include "tests/unit/unit.h"

#include <string.h>

TEST(lengths_in_both_forms)
{
    static const struct {
        uint8_t bytes[2];
        size_t len;
        int consumed;
        uint16_t octets;
    } rows[] = {
        {{0x80}, 1, 1, 0},           {{0x82}, 1, 1, 2},
        {{0xff, 0x12}, 2, 1, 127},   {{0x00, 0x00}, 2, 2, 0},
        {{0x00, 0x05}, 2, 2, 5},     {{0x00, 0xc5}, 2, 2, 197},
        {{0x7f, 0xff}, 2, 2, 32767}, {{0x00}, 1, ERR_TRUNCATED, 0},
        {{0}, 0, ERR_TRUNCATED, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint16_t octets = 0;
        assert_int_equal(tlv_length_get(&octets, rows[i].bytes, rows[i].len), rows[i].consumed);
        assert_int_equal(octets, rows[i].octets);
    }
}

TEST(the_shortest_form_is_sent)
{
    static const struct {
        size_t octets, cap;
        int written;
        uint8_t bytes[2];
    } rows[] = {
        {0, 2, 1, {0x80}},           {127, 1, 1, {0xff}},        {128, 2, 2, {0x00, 0x80}},
        {32767, 2, 2, {0x7f, 0xff}}, {32768, 2, ERR_RANGE, {0}}, {128, 1, ERR_NO_SPACE, {0}},
        {0, 0, ERR_NO_SPACE, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[2] = {0};
        assert_int_equal(tlv_length_put(bytes, rows[i].cap, rows[i].octets), rows[i].written);
        assert_memory_equal(bytes, rows[i].bytes, 2);
    }
}

TEST(elements_come_back)
{
    static const size_t lengths[] = {0, 1, 127, 128, 129, 1600};
    static uint8_t value[1600], bytes[1610];
    memset(value, 0x5a, sizeof value);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct tlv in = {.iei = 0x0e, .octets = (uint16_t)lengths[i], .value = value}, out;
        int n = tlv_encode(bytes, sizeof bytes, &in);
        assert_int_equal(n, 1 + tlv_length_octets(lengths[i]) + (int)lengths[i]);
        assert_int_equal(tlv_decode(&out, bytes, (size_t)n), n);
        assert_int_equal(out.iei, 0x0e);
        assert_int_equal(out.octets, lengths[i]);
        assert_memory_equal(out.value, value, lengths[i]);
        for (int cut = 0; cut < n; cut++)
            assert_int_equal(tlv_decode(&out, bytes, (size_t)cut), ERR_TRUNCATED);
        for (int cap = 0; cap < n; cap++)
            assert_int_equal(tlv_encode(bytes, (size_t)cap, &in), ERR_NO_SPACE);
    }
}

UNIT_MAIN(NULL, NULL)
