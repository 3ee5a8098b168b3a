/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <string.h>

PROBED(decode, struct sndcp, sndcp_decode)

static void assert_fields(const struct sndcp *a, const struct sndcp *b)
{
    assert_int_equal(a->n_pdu_number, b->n_pdu_number);
    assert_int_equal(a->nsapi, b->nsapi);
    assert_int_equal(a->segment, b->segment);
    assert_int_equal(a->comp, b->comp);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->more, b->more);
}

TEST(vectors_decode_and_encode)
{
    static const struct {
        unsigned number;
        struct sndcp expect;
    } rows[] = {
        {70, {.n_pdu_number = 4095, .nsapi = 5, .first = true}},
        {71, {.n_pdu_number = 9, .nsapi = 5, .first = true}},
        {73, {.n_pdu_number = 10, .nsapi = 5, .first = true, .more = true}},
        {74, {.n_pdu_number = 10, .nsapi = 5, .segment = 1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint8_t *bytes = vectors_get(rows[i].number)->bytes + LLC_UI_OCTETS;
        size_t octets = rows[i].expect.first ? 4 : 3;
        struct sndcp sndcp;
        uint8_t back[4];
        assert_int_equal(sndcp_decode(&sndcp, bytes, 20), octets);
        assert_fields(&sndcp, &rows[i].expect);
        assert_int_equal(sndcp_encode(back, octets, &sndcp), octets);
        assert_memory_equal(back, bytes, octets);
        assert_int_equal(sndcp_encode(back, octets - 1, &sndcp), ERR_NO_SPACE);
        for (size_t len = 0; len < octets; len++)
            assert_int_equal(probe_exact(decode, bytes, len), ERR_TRUNCATED);
    }
}

TEST(acknowledged_mode_is_not_ours)
{
    assert_int_equal(decode(vectors_get(82)->bytes + 4, 20), ERR_UNSUPPORTED);
}

TEST(odd_headers)
{
    static const struct {
        uint8_t bytes[4];
        int answer;
    } rows[] = {
        {{0x65, 0, 0, 0}, 4},
        {{0xe5, 0, 0, 0}, 4}, /* spare bit */
        {{0x25, 0xf0, 0, 0}, 3},
        {{0x35, 0x10, 0, 0}, 3},
        {{0x25, 0x00, 0, 0}, ERR_MALFORMED},
        {{0x65, 0, 0x10, 0}, ERR_MALFORMED},
        {{0x64, 0, 0, 0}, ERR_UNSUPPORTED},
        {{0x60, 0, 0, 0}, ERR_UNSUPPORTED},
        {{0x45, 0, 0, 0}, ERR_UNSUPPORTED},
        {{0x6f, 0xff, 0x0f, 0xff}, 4},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(probe_exact(decode, rows[i].bytes, 4), rows[i].answer);
}

TEST(every_nsapi)
{
    for (uint8_t nsapi = 0; nsapi < 16; nsapi++) {
        uint8_t bytes[] = {0x60 | nsapi, 0, 0, 0};
        assert_int_equal(probe_exact(decode, bytes, 4), nsapi < 5 ? ERR_UNSUPPORTED : 4);
    }
}

TEST(encoder_limits)
{
    static const struct {
        struct sndcp in;
        int answer;
    } rows[] = {
        {{.nsapi = 15, .n_pdu_number = 4095, .first = true, .comp = 255}, 4},
        {{.nsapi = 15, .n_pdu_number = 4095, .segment = 15}, 3},
        {{.nsapi = 4, .first = true}, ERR_RANGE},
        {{.nsapi = 16, .first = true}, ERR_RANGE},
        {{.nsapi = 5, .n_pdu_number = 4096, .first = true}, ERR_RANGE},
        {{.nsapi = 5, .segment = 16}, ERR_RANGE},
        {{.nsapi = 5, .segment = 0}, ERR_RANGE},
        {{.nsapi = 5, .segment = 1, .first = true}, ERR_RANGE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[4];
        struct sndcp back;
        assert_int_equal(sndcp_encode(bytes, 4, &rows[i].in), rows[i].answer);
        if (rows[i].answer < 0)
            continue;
        assert_int_equal(sndcp_decode(&back, bytes, 4), rows[i].answer);
        assert_fields(&back, &rows[i].in);
    }
}

TEST(segment_counts)
{
    static const struct {
        size_t octets;
        unsigned n201_u;
        int segments;
    } rows[] = {
        {0, 140, 1},
        {1, 140, 1},
        {136, 140, 1},
        {137, 140, 2},
        {273, 140, 2},
        {274, 140, 3},
        {1503, 140, 11},
        {2191, 140, 16},
        {2192, 140, ERR_RANGE},
        {496, 500, 1},
        {497, 500, 2},
        {1500, 500, 4},
        {1490, 500, 3},
        {1491, 500, 4},
        {1503, 1507, 1},
        {1503, 1506, 2},
        {1503, 1520, 1},
        {1516, 1520, 1},
        {1517, 1520, 2},
        {0, 139, ERR_RANGE},
        {0, 1521, ERR_RANGE},
        {SIZE_MAX, 1520, ERR_RANGE},
        {(size_t)1 << 32, 1520, ERR_RANGE},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(sndcp_segments(rows[i].octets, rows[i].n201_u), rows[i].segments);
}

/* Segments follow each other without a gap, all but the last are full, none is empty but that of an empty
 * N-PDU. */
static void geometry_for(size_t octets, unsigned n201_u)
{
    int segments = sndcp_segments(octets, n201_u);
    size_t sum = 0;
    assert_in_range(segments, 1, SNDCP_MAX_SEGMENTS);
    for (unsigned i = 0; i < (unsigned)segments; i++) {
        size_t header = i ? SNDCP_LATER_OCTETS : SNDCP_FIRST_OCTETS;
        size_t piece = sndcp_segment_octets(octets, n201_u, i);
        assert_int_equal(sndcp_segment_offset(n201_u, i), sum);
        assert_in_range(header + piece, header + (octets > 0), n201_u);
        if (i + 1 < (unsigned)segments)
            assert_int_equal(header + piece, n201_u);
        sum += piece;
    }
    assert_int_equal(sum, octets);
    assert_int_equal(sndcp_segment_octets(octets, n201_u, (unsigned)segments), 0);
}

TEST(geometry)
{
    for (unsigned n201_u = SNDCP_N201_U_MIN_OCTETS; n201_u <= SNDCP_N201_U_MAX_OCTETS; n201_u += 3)
        for (size_t octets = 0; octets <= 1503; octets += octets % 7 + 1)
            geometry_for(octets, n201_u);
    for (size_t octets = 0; octets <= 2191; octets++)
        geometry_for(octets, SNDCP_N201_U_MIN_OCTETS);
    for (size_t octets = 0; octets <= 1503; octets++)
        geometry_for(octets, SNDCP_N201_U_MAX_OCTETS);
}

TEST_CALL(noise_does_no_harm, probe_noise(decode, 19))

TEST(headers_decode_and_encode)
{
    static const struct {
        uint8_t bytes[3];
        int octets;
        struct sn_data in;
    } rows[] = {
        {{0x45, 0x00, 0x0c}, 3, {.nsapi = 5, .first = true, .number = 12}},
        {{0x55, 0x00, 0xff}, 3, {.nsapi = 5, .first = true, .more = true, .number = 255}},
        {{0x4f, 0x12, 0x00}, 3, {.nsapi = 15, .first = true, .comp = 0x12}},
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
        assert_int_equal(out.comp, rows[i].in.comp);
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
    static const struct sn_data bad[] = {{.nsapi = 4}, {.nsapi = 16}};
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
