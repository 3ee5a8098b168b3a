/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc_fcs.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

/* Division bit by bit with the polynomial as the clause writes it: octets enter with their lowest bit first.
 */
static uint32_t reference(const uint8_t *bytes, size_t octets)
{
    uint32_t state = 0xffffff, fcs = 0;
    for (size_t i = 0; i < 8 * octets; i++) {
        unsigned bit = (state >> 23 ^ bytes[i / 8] >> i % 8) & 1;
        state = (state << 1 ^ (bit ? 0xbba1b5 : 0)) & 0xffffff;
    }
    for (unsigned i = 0; i < 24; i++)
        fcs |= (state >> i & 1) << (23 - i);
    return fcs ^ 0xffffff;
}

TEST(check_value)
{
    assert_int_equal(llc_fcs((const uint8_t *)"123456789", 9), 0x4e86cb);
    assert_int_equal(reference((const uint8_t *)"123456789", 9), 0x4e86cb);
    assert_int_equal(llc_fcs((const uint8_t *)"", 0), 0);
}

TEST(every_length_agrees_with_the_reference)
{
    static uint8_t bytes[1600 + 16];
    uint64_t seed = 17;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(probe_random(&seed) >> 24);
    for (size_t octets = 0; octets <= 1600; octets++) {
        const uint8_t *begin = bytes + octets % 16; /* any alignment */
        assert_int_equal(llc_fcs(begin, octets), reference(begin, octets));
    }
}

TEST(pieces_make_the_whole)
{
    uint8_t bytes[200];
    uint64_t seed = 18;
    for (unsigned round = 0; round < 2000; round++) {
        size_t octets = probe_random(&seed) % (sizeof bytes + 1);
        for (size_t i = 0; i < octets; i++)
            bytes[i] = (uint8_t)(probe_random(&seed) >> 24);
        uint32_t running = LLC_FCS_START;
        for (size_t at = 0, piece; at < octets; at += piece) {
            piece = 1 + probe_random(&seed) % (octets - at);
            running = llc_fcs_update(running, bytes + at, piece);
        }
        assert_int_equal(running ^ LLC_FCS_START, reference(bytes, octets));
    }
}

TEST(each_flipped_bit_shows)
{
    uint8_t bytes[40] = {0};
    uint32_t fcs = llc_fcs(bytes, sizeof bytes);
    for (unsigned bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(llc_fcs(bytes, sizeof bytes), fcs);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

TEST(octets_on_the_wire)
{
    static const uint8_t wire[] = {0xcb, 0x86, 0x4e};
    uint8_t bytes[3];
    llc_fcs_put(bytes, 0x4e86cb);
    assert_memory_equal(bytes, wire, 3);
    assert_int_equal(llc_fcs_get(wire), 0x4e86cb);
}

TEST(coverage)
{
    static const struct {
        size_t info_octets;
        bool pm;
        size_t covered;
    } rows[] = {{0, true, 3}, {500, true, 503}, {0, false, 3}, {3, false, 6}, {4, false, 7}, {500, false, 7}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(llc_fcs_covered_octets(3, rows[i].info_octets, rows[i].pm), rows[i].covered);
}

static int init(void **state)
{
    llc_fcs_init();
    return 0;
}

int main(void)
{
    /* Before and after the choice of an engine. */
    return UNIT_RUN(NULL, NULL) + UNIT_RUN(init, NULL);
}
