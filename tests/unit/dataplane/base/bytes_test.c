/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/bytes.h"
#include "tests/unit/unit.h"

#include <string.h>

#define GUARD 0xa5

struct row {
    uint8_t octets[4]; /* big-endian, the first `width` */
    uint32_t value;
    uint8_t width;
};

static const struct row rows[] = {
    {{0x00, 0x00}, 0, 2},
    {{0x12, 0x34}, 0x1234, 2},
    {{0x80, 0x00}, 0x8000, 2},
    {{0x00, 0xff}, 0x00ff, 2},
    {{0xff, 0xff}, 0xffff, 2},
    {{0x00, 0x00, 0x00}, 0, 3},
    {{0x12, 0x34, 0x56}, 0x123456, 3},
    {{0x80, 0x00, 0x01}, 0x800001, 3},
    {{0xff, 0xff, 0xff}, 0xffffff, 3},
    {{0x00, 0x00, 0x00, 0x00}, 0, 4},
    {{0x12, 0x34, 0x56, 0x78}, 0x12345678, 4},
    {{0x80, 0x00, 0x00, 0x01}, 0x80000001, 4},
    {{0xff, 0xff, 0xff, 0xff}, 0xffffffff, 4},
};

static uint32_t get(const uint8_t *p, uint8_t width)
{
    return width == 2 ? bytes_get_u16(p) : width == 3 ? bytes_get_u24(p) : bytes_get_u32(p);
}

static void put(uint8_t *p, uint32_t value, uint8_t width)
{
    if (width == 2)
        bytes_put_u16(p, (uint16_t)value);
    else if (width == 3)
        bytes_put_u24(p, value);
    else
        bytes_put_u32(p, value);
}

TEST(reads_at_any_alignment)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t shift = 0; shift < 8; shift++) {
            uint8_t buffer[16];
            memset(buffer, GUARD, sizeof buffer);
            memcpy(buffer + shift, rows[i].octets, rows[i].width);
            assert_int_equal(get(buffer + shift, rows[i].width), rows[i].value);
        }
}

TEST(writes_its_octets_and_no_other)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t shift = 0; shift < 8; shift++) {
            uint8_t buffer[16], expect[16];
            memset(buffer, GUARD, sizeof buffer);
            memset(expect, GUARD, sizeof expect);
            memcpy(expect + shift, rows[i].octets, rows[i].width);
            put(buffer + shift, rows[i].value, rows[i].width);
            assert_memory_equal(buffer, expect, sizeof buffer);
        }
}

TEST(eight_octets_are_one_word)
{
    const uint8_t octets[] = {0x80, 1, 2, 3, 4, 5, 6, 0xff};
    for (size_t shift = 0; shift < 8; shift++) {
        uint8_t buffer[17], expect[17];
        memset(buffer, GUARD, sizeof buffer);
        memset(expect, GUARD, sizeof expect);
        memcpy(expect + shift, octets, sizeof octets);
        bytes_put_u64(buffer + shift, UINT64_C(0x80010203040506ff));
        assert_memory_equal(buffer, expect, sizeof buffer);
        assert_true(bytes_get_u64(buffer + shift) == UINT64_C(0x80010203040506ff));
    }
}

/* A 24-bit place takes the low 24 bits; what is above them belongs to the caller's range check. */
TEST(u24_ignores_the_top_octet)
{
    uint8_t octets[3];
    bytes_put_u24(octets, 0xab123456);
    assert_int_equal(bytes_get_u24(octets), 0x123456);
}

UNIT_MAIN(NULL, NULL)
