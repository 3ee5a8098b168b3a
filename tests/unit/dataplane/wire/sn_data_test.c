/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sndcp.h"
#include "tests/unit/unit.h"

#include <string.h>

TEST(headers_decode_and_encode)
{
    static const struct {
        uint8_t bytes[3];
        int octets;
        struct sn_data in;
    } rows[] = {
        {{0x45, 0x00, 0x0c}, 3, {.nsapi = 5, .first = true, .number = 12}},
        {{0x55, 0x00, 0xff}, 3, {.nsapi = 5, .first = true, .more = true, .number = 255}},
        {{0x4f, 0x12, 0x00}, 3, {.nsapi = 15, .first = true, .dcomp = 1, .pcomp = 2}},
        {{0x15}, 1, {.nsapi = 5, .more = true}},
        {{0x05}, 1, {.nsapi = 5}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sn_data out;
        uint8_t again[3], spare[3];
        memcpy(spare, rows[i].bytes, sizeof spare);
        spare[0] |= 0x80; /* X */
        assert_int_equal(sn_data_decode(&out, spare, (size_t)rows[i].octets), rows[i].octets);
        assert_int_equal(out.nsapi, rows[i].in.nsapi);
        assert_int_equal(out.number, rows[i].in.number);
        assert_int_equal(out.dcomp, rows[i].in.dcomp);
        assert_int_equal(out.pcomp, rows[i].in.pcomp);
        assert_int_equal(out.first, rows[i].in.first);
        assert_int_equal(out.more, rows[i].in.more);
        assert_int_equal(sn_data_decode(&out, spare, (size_t)rows[i].octets - 1), ERR_TRUNCATED);
        assert_int_equal(sn_data_encode(again, sizeof again, &rows[i].in), rows[i].octets);
        assert_memory_equal(again, rows[i].bytes, rows[i].octets);
        assert_int_equal(sn_data_encode(again, (size_t)rows[i].octets - 1, &rows[i].in), ERR_NO_SPACE);
    }
}

TEST(headers_that_are_refused)
{
    static const uint8_t unitdata[] = {0x65, 0, 0, 0}, no_context[] = {0x44, 0, 0};
    static const struct sn_data bad[] = {{.nsapi = 4},
                                         {.nsapi = 16},
                                         {.nsapi = 5, .first = true, .dcomp = 16},
                                         {.nsapi = 5, .first = true, .pcomp = 16}};
    struct sn_data out;
    uint8_t bytes[3];
    assert_int_equal(sn_data_decode(&out, unitdata, sizeof unitdata), ERR_UNSUPPORTED);
    assert_int_equal(sn_data_decode(&out, no_context, sizeof no_context), ERR_UNSUPPORTED);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(sn_data_encode(bytes, sizeof bytes, &bad[i]), ERR_RANGE);
}

TEST(segments_of_n_pdus)
{
    static const struct {
        size_t octets;
        unsigned n201_i, segments;
    } rows[] = {{0, 140, 1},   {1, 140, 1},     {137, 140, 1},   {138, 140, 2}, {276, 140, 2},
                {277, 140, 3}, {1500, 1503, 1}, {1501, 1503, 2}, {1500, 500, 4}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(sn_data_segments(rows[i].octets, rows[i].n201_i), rows[i].segments);
}

UNIT_MAIN(NULL, NULL)
