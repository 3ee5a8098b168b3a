/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpu.h"
#include "dataplane/base/bytes.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include <string.h>

static int decode(const uint8_t *bytes, size_t len)
{
    struct gtpu_extension header;
    return gtpu_extension_decode(&header, 0x20, bytes, len);
}

TEST(rows_decode)
{
    static const struct {
        uint8_t bytes[12];
        size_t len;
        int answer;
        uint8_t next;
    } rows[] = {{{0}, 0, ERR_TRUNCATED, 0},
                {{0, 1, 2, 3}, 4, ERR_MALFORMED, 0},
                {{1, 8, 9, 0xc0}, 4, 4, 0xc0},
                {{1, 8, 9, 0, 7}, 5, 4, 0},
                {{1, 8, 9}, 3, ERR_TRUNCATED, 0},
                {{2, 1, 2, 3, 4, 5, 6, 0x20}, 8, 8, 0x20},
                {{3, 1, 2}, 12, 12, 0},
                {{3, 1, 2}, 11, ERR_TRUNCATED, 0},
                {{0xff, 1, 2}, 12, ERR_TRUNCATED, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gtpu_extension header;
        assert_int_equal(probe_exact(decode, rows[i].bytes, rows[i].len), rows[i].answer);
        assert_int_equal(gtpu_extension_decode(&header, 0x20, rows[i].bytes, rows[i].len), rows[i].answer);
        assert_int_equal(header.type, 0x20);
        assert_int_equal(header.next, rows[i].next);
        if (rows[i].answer > 0) {
            assert_int_equal(header.content_octets, rows[i].answer - 2);
            assert_ptr_equal(header.content, rows[i].bytes + 1);
        }
    }
}

TEST(lengths_round_trip)
{
    static uint8_t content[1024], bytes[1024];
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)(i + 1);
    for (unsigned octets = 0; octets < sizeof content; octets++) {
        struct gtpu_extension in = {.content = content, .content_octets = (uint16_t)octets, .next = 7}, out;
        int answer = gtpu_extension_encode(bytes, sizeof bytes, &in);
        assert_int_equal(answer, octets % 4 == 2 && octets <= 1018 ? (int)octets + 2 : ERR_RANGE);
        if (answer < 0)
            continue;
        assert_int_equal(gtpu_extension_encode(bytes, octets + 1, &in), ERR_NO_SPACE);
        assert_int_equal(gtpu_extension_decode(&out, 0, bytes, octets + 2), answer);
        assert_int_equal(out.content_octets, octets);
        assert_memory_equal(out.content, content, octets);
        assert_int_equal(out.next, 7);
    }
}

/* The sample whose chain is one header. */
TEST(sample)
{
    const struct vector *v = vectors_get(95);
    struct gtpu_extension header;
    uint8_t back[4];
    assert_int_equal(gtpu_extension_decode(&header, v->bytes[11], v->bytes + 12, v->octets - 12), 4);
    assert_int_equal(header.type, 0xc0);
    assert_int_equal(header.next, 0);
    assert_memory_equal(header.content, "\x01\x00", 2);
    assert_int_equal(gtpu_extension_encode(back, sizeof back, &header), 4);
    assert_memory_equal(back, v->bytes + 12, 4);
}

UNIT_MAIN(NULL, NULL)
