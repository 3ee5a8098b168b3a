/* SPDX-License-Identifier: BSD-3-Clause */
/* Areas and IMSIs as BSSGP writes them. */
#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"
#include "tests/unit/unit.h"

TEST(areas)
{
    static const struct {
        struct area area;
        enum area_octets octets;
        uint8_t bytes[8];
    } rows[] = {
        {{"262", "42", 0x1234, 5, 1}, AREA_CELL, {0x62, 0xf2, 0x24, 0x12, 0x34, 0x05, 0x00, 0x01}},
        {{"262", "42", 0x1234, 5, 0}, AREA_ROUTEING, {0x62, 0xf2, 0x24, 0x12, 0x34, 0x05}},
        {{"001", "01", 0x334f, 0, 0}, AREA_LOCATION, {0x00, 0xf1, 0x10, 0x33, 0x4f}},
        {{"310", "042", 0xffff, 255, 65535}, AREA_CELL, {0x13, 0x20, 0x40, 0xff, 0xff, 0xff, 0xff, 0xff}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[8] = {0};
        struct area area;
        assert_int_equal(identity_area_encode(bytes, sizeof bytes, &rows[i].area, rows[i].octets),
                         rows[i].octets);
        assert_memory_equal(bytes, rows[i].bytes, 8);
        assert_int_equal(identity_area_decode(&area, bytes, sizeof bytes, rows[i].octets), rows[i].octets);
        assert_string_equal(area.mcc, rows[i].area.mcc);
        assert_string_equal(area.mnc, rows[i].area.mnc);
        assert_int_equal(area.lac, rows[i].area.lac);
        assert_int_equal(area.rac, rows[i].area.rac);
        assert_int_equal(area.ci, rows[i].area.ci);
        assert_int_equal(identity_area_decode(&area, bytes, rows[i].octets - 1u, rows[i].octets),
                         ERR_TRUNCATED);
        assert_int_equal(identity_area_encode(bytes, rows[i].octets - 1u, &rows[i].area, rows[i].octets),
                         ERR_NO_SPACE);
    }
}

TEST(areas_that_are_none)
{
    static const struct area bad[] = {
        {"26", "42", 0, 0, 0}, {"262", "4", 0, 0, 0}, {"26x", "42", 0, 0, 0}, {"262", "", 0, 0, 0}};
    static const uint8_t bad_octets[][5] = {
        {0xa2, 0xf2, 0x24}, {0x62, 0xfa, 0x24}, {0x62, 0xf2, 0xb4}, {0x62, 0xb2, 0x24}};
    uint8_t bytes[8];
    struct area area;
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(identity_area_encode(bytes, sizeof bytes, &bad[i], AREA_CELL), ERR_RANGE);
    for (size_t i = 0; i < COUNT(bad_octets); i++)
        assert_int_equal(identity_area_decode(&area, bad_octets[i], 5, AREA_LOCATION), ERR_MALFORMED);
}

TEST(imsis)
{
    static const struct {
        const char *digits;
        int octets;
        uint8_t bytes[8];
    } rows[] = {
        {"262420000000001", 8, {0x29, 0x26, 0x24, 0x00, 0x00, 0x00, 0x00, 0x10}},
        {"26242000000000", 8, {0x21, 0x26, 0x24, 0x00, 0x00, 0x00, 0x00, 0xf0}},
        {"123456", 4, {0x11, 0x32, 0x54, 0xf6}},
        {"1234567", 4, {0x19, 0x32, 0x54, 0x76}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct identity_imsi in = {0}, out;
        uint8_t bytes[8] = {0};
        strcpy(in.digits, rows[i].digits);
        assert_int_equal(identity_imsi_encode(bytes, sizeof bytes, &in), rows[i].octets);
        assert_memory_equal(bytes, rows[i].bytes, 8);
        assert_int_equal(identity_imsi_decode(&out, bytes, (size_t)rows[i].octets), rows[i].octets);
        assert_string_equal(out.digits, rows[i].digits);
        assert_int_equal(identity_imsi_encode(bytes, (size_t)rows[i].octets - 1, &in), ERR_NO_SPACE);
    }
}

/* Octets behind the eighth do not belong to it. */
TEST(imsis_in_too_many_octets)
{
    static const uint8_t bytes[] = {0x29, 0x26, 0x24, 0x00, 0x00, 0x00, 0x00, 0x10, 0x11, 0x11};
    for (size_t len = 8; len <= sizeof bytes; len++) {
        struct identity_imsi id;
        assert_int_equal(identity_imsi_decode(&id, bytes, len), 8);
        assert_string_equal(id.digits, "262420000000001");
    }
}

TEST(imsis_that_are_none)
{
    static const uint8_t letter[] = {0x29, 0x2a, 0x24};
    static const uint8_t five[] = {0x19, 0x32, 0x54}, none[] = {0x11};
    static const struct identity_imsi bad[] = {{""}, {"1"}, {"12345"}, {"12345a"}, {"12345 7"}};
    struct identity_imsi id;
    uint8_t bytes[8];
    assert_int_equal(identity_imsi_decode(&id, letter, sizeof letter), ERR_MALFORMED);
    assert_int_equal(identity_imsi_decode(&id, letter, 0), ERR_TRUNCATED);
    assert_int_equal(identity_imsi_decode(&id, five, sizeof five), ERR_MALFORMED);
    assert_int_equal(identity_imsi_decode(&id, none, sizeof none), ERR_MALFORMED);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(identity_imsi_encode(bytes, sizeof bytes, &bad[i]), ERR_RANGE);
}

UNIT_MAIN(NULL, NULL)
