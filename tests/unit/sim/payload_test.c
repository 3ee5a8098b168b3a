/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/payload.h"
#include "tests/unit/unit.h"

#include "dataplane/compression/v42bis_encode.h"

#include <stdlib.h>
#include <string.h>

TEST(octets_know_their_place)
{
    uint8_t bytes[300], part[300];
    for (unsigned is_text = 0; is_text < 2; is_text++) {
        const uint64_t key = payload_key(0, 7, is_text);
        payload_fill(bytes, sizeof(bytes), key, 12345);
        assert_int_equal(payload_mismatches(bytes, sizeof(bytes), key, 12345), 0);
        for (uint32_t at = 0; at < 20; at++) {
            payload_fill(part, 50, key, 12345 + at);
            assert_memory_equal(part, bytes + at, 50);
        }
        assert_true(payload_mismatches(bytes, sizeof(bytes), key, 12346) > 200);
        assert_true(payload_mismatches(bytes, sizeof(bytes), key + 1, 12345) > 200);
        bytes[77] ^= 1;
        assert_int_equal(payload_mismatches(bytes, sizeof(bytes), key, 12345), 1);
    }
}

enum { CODEWORDS = 2048, PAGES = 60, PAGE_OCTETS = 8000, LARGEST_OCTETS = 1400 };

static struct v42bis *encoder_new(void)
{
    const struct v42bis_params params = {.codewords = CODEWORDS, .string_octets = 20};
    return v42bis_setup(malloc(v42bis_octets(CODEWORDS)), &params);
}

/* Per mille of PAGES pages that V.42bis saves in N-PDUs of so many octets, each page a stream of its own. */
static unsigned saved(unsigned octets, bool is_acknowledged)
{
    struct v42bis *encoder = encoder_new();
    uint8_t text[LARGEST_OCTETS], packed[LARGEST_OCTETS];
    unsigned before = 0, after = 0;
    for (unsigned page = 0; page < PAGES; page++)
        for (unsigned at = 0; at + octets <= PAGE_OCTETS; at += octets) {
            payload_fill(text, octets, payload_key(8000, (uint16_t)(49152 + page), true), at);
            if (!is_acknowledged)
                v42bis_start(encoder);
            int left = v42bis_encode(encoder, text, octets, packed, octets - 1);
            before += octets;
            after += left < 0 ? octets : (unsigned)left;
        }
    free(encoder);
    return 1000 - (unsigned)(1000ULL * after / before);
}

/* What it saves of web pages (payload.h), within 1.5 % of the octets. */
TEST(text_is_compressed_as_web_pages)
{
    static const struct {
        unsigned octets, unacknowledged, acknowledged;
    } rows[] = {{256, 228, 515}, {536, 313, 520}, {1000, 367, 523}, {1400, 399, 526}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_in_range(saved(rows[i].octets, false), rows[i].unacknowledged - 15,
                        rows[i].unacknowledged + 15);
        assert_in_range(saved(rows[i].octets, true), rows[i].acknowledged - 15, rows[i].acknowledged + 15);
    }
}

/* One stream is as many pages. */
TEST(a_long_stream_is_compressed_as_pages)
{
    struct v42bis *encoder = encoder_new();
    uint8_t text[LARGEST_OCTETS], packed[LARGEST_OCTETS];
    unsigned after = 0;
    for (unsigned i = 0; i < 300; i++) {
        payload_fill(text, sizeof(text), payload_key(8000, 49152, true), i * sizeof(text));
        after += (unsigned)v42bis_encode(encoder, text, sizeof(text), packed, sizeof(packed) - 1);
    }
    assert_in_range(1000 - 1000 * after / (300 * sizeof(text)), 511, 541);
    free(encoder);
}

TEST(random_octets_are_not_compressed)
{
    struct v42bis *encoder = encoder_new();
    uint8_t octets[LARGEST_OCTETS], packed[LARGEST_OCTETS];
    for (unsigned i = 0; i < 20; i++) {
        payload_fill(octets, sizeof(octets), payload_key(8000, 49152, false), i * sizeof(octets));
        assert_true(v42bis_encode(encoder, octets, sizeof(octets), packed, sizeof(octets) - 1) < 0);
    }
    free(encoder);
}

UNIT_MAIN(NULL, NULL)
