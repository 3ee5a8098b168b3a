/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of pcapng: what they say of packets, and how blocks that cannot be are refused. */
#include "capture/source.h"

#include "tests/unit/capture/file_kit.h"
#include "tests/unit/unit.h"

#include <pcap/dlt.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

static struct file_kit file; /* too large for a stack */
static struct capture_pcapng pcapng;

static void begin(bool is_big)
{
    file.octets = 0;
    file_kit_section(&file, is_big);
}

static FILE *open_it(void)
{
    FILE *stream = fmemopen(file.bytes, file.octets, "rb");
    assert_non_null(stream);
    assert_null(capture_pcapng_open(&pcapng, stream));
    return stream;
}

static void close_it(FILE *stream)
{
    capture_pcapng_fini(&pcapng);
    fclose(stream);
}

static void expect(int64_t at_ns, size_t captured, size_t wire_octets, int link_type, uint8_t fill)
{
    struct capture_frame frame;
    const char *error = NULL;
    assert_int_equal(capture_pcapng_next(&pcapng, &frame, &error), 1);
    assert_int_equal(frame.at_ns, at_ns);
    assert_int_equal(frame.captured, captured);
    assert_int_equal(frame.wire_octets, wire_octets);
    assert_int_equal(frame.link_type, link_type);
    for (size_t i = 0; i < captured; i++)
        assert_int_equal(frame.bytes[i], fill);
}

static void expect_end(FILE *stream)
{
    struct capture_frame frame;
    const char *error = "unset";
    assert_int_equal(capture_pcapng_next(&pcapng, &frame, &error), 0);
    assert_null(error);
    close_it(stream);
}

/* What libpcap refuses: other links, snap lengths and byte orders in one file. */
TEST(mixed)
{
    for (unsigned i = 0; i < 2; i++) {
        begin(i == 0);
        file_kit_interface(&file, 1, 68);
        file_kit_interface(&file, 101, 0);
        file_kit_interface(&file, 276, 262144);
        file_kit_enhanced(&file, 0, 1000001, 5, 1);
        file_kit_enhanced(&file, 1, 1000002, 6, 2);
        file_kit_enhanced(&file, 2, 1000003, 7, 3);
        file_kit_section(&file, i != 0);
        file_kit_interface(&file, 101, 0);
        file_kit_enhanced(&file, 0, 2000000, 8, 4);
        FILE *stream = open_it();
        expect(SECOND + 1000, 5, 5, DLT_EN10MB, 1);
        expect(SECOND + 2000, 6, 6, DLT_RAW, 2);
        expect(SECOND + 3000, 7, 7, 276, 3);
        expect(2 * SECOND, 8, 8, DLT_RAW, 4);
        expect_end(stream);
    }
}

/* Simple packets have no time of their own, and are as long as the snap length at most; unknown blocks are
 * skipped. */
TEST(other_blocks)
{
    static const uint8_t octets[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    begin(false);
    file_kit_interface(&file, 1, 6);
    size_t block = file_kit_begin(&file, FILE_KIT_OLD);
    file_kit_u16(&file, 0);
    file_kit_u16(&file, 77); /* drops */
    file_kit_u32(&file, 0);
    file_kit_u32(&file, 3000000);
    file_kit_u32(&file, 4);
    file_kit_u32(&file, 1500);
    file_kit_put(&file, octets, 4);
    file_kit_end(&file, block);
    block = file_kit_begin(&file, 0xbad);
    file_kit_put(&file, octets, 7);
    file_kit_end(&file, block);
    block = file_kit_begin(&file, FILE_KIT_SIMPLE);
    file_kit_u32(&file, 1400);
    file_kit_put(&file, octets, 6);
    file_kit_end(&file, block);
    block = file_kit_begin(&file, FILE_KIT_SIMPLE);
    file_kit_u32(&file, 7);
    file_kit_put(&file, octets, 8);
    file_kit_end(&file, block);
    FILE *stream = open_it();
    expect(3 * SECOND, 4, 1500, DLT_EN10MB, 9);
    expect(3 * SECOND, 6, 1400, DLT_EN10MB, 9);
    expect(3 * SECOND, 6, 7, DLT_EN10MB, 9);
    expect_end(stream);
}

static const struct time_row {
    uint8_t resolution;
    int64_t offset_s;
    uint64_t stamp;
    int64_t want_ns;
} times[] = {
    {9, 0, 1500000000123456789, 1500000000123456789},
    {6, 0, 7, 7000},
    {0, 0, 7, 7 * SECOND},
    {12, 0, 1999, 1},
    {19, 0, UINT64_C(10000000000000000001), SECOND},
    {20, 0, 7, 7000}, /* does not fit 64 bits: microseconds */
    {0x80 | 10, 0, 1536, 3 * SECOND / 2},
    {0x80 | 63, 0, UINT64_C(1) << 62, SECOND / 2},
    {0x80 | 64, 0, 7, 7000},
    {9, 5, 1, 5 * SECOND + 1},
    {9, -5, 7 * SECOND, 2 * SECOND},
    {9, -5, SECOND + 1, 1}, /* before 1970 */
    {0, 0, UINT64_MAX, INT64_C(8000000000) * SECOND},
    {0, INT64_MAX, UINT64_MAX, INT64_C(8000000000) * SECOND},
    {0, INT64_MIN, 3, 0},
};

static void put_timed(const struct time_row *row)
{
    size_t block = file_kit_begin(&file, FILE_KIT_INTERFACE);
    uint64_t offset = (uint64_t)row->offset_s;
    uint32_t high = (uint32_t)(offset >> 32), low = (uint32_t)offset;
    file_kit_u32(&file, file.is_big ? 1 << 16 : 1);
    file_kit_u32(&file, 0);
    file_kit_u16(&file, 2); /* a name, which is skipped */
    file_kit_u16(&file, 2);
    file_kit_put(&file, "gn\0\0", 4);
    file_kit_u16(&file, 9);
    file_kit_u16(&file, 1);
    file_kit_put(&file, (const uint8_t[4]){row->resolution}, 4);
    file_kit_u16(&file, 14);
    file_kit_u16(&file, 8);
    file_kit_u32(&file, file.is_big ? high : low);
    file_kit_u32(&file, file.is_big ? low : high);
    file_kit_end(&file, block);
    file_kit_enhanced(&file, 0, row->stamp, 0, 0);
}

TEST(resolutions)
{
    for (size_t i = 0; i < 2 * COUNT(times); i++) {
        struct capture_frame frame;
        const char *error;
        begin(i % 2);
        put_timed(&times[i / 2]);
        FILE *stream = open_it();
        assert_int_equal(capture_pcapng_next(&pcapng, &frame, &error), 1);
        if (frame.at_ns != times[i / 2].want_ns)
            fail_msg("row %zu: %lld ns", i / 2, (long long)frame.at_ns);
        expect_end(stream);
    }
}

/* --- blocks that cannot be, behind a section with one interface --- */

static const struct bad_row {
    uint32_t words[8];
    unsigned count;
    const char *reason;
} bads[] = {
    {{6, 13, 0}, 3, "a block of type 0x6 has the length 13; a length is 12 to 16777216, a multiple of 4"},
    {{6, 8, 0}, 3, "a block of type 0x6 has the length 8; a length is 12 to 16777216, a multiple of 4"},
    {{5, 0x1000004, 0},
     3,
     "a block of type 0x5 has the length 16777220; a length is 12 to 16777216, a multiple of 4"},
    {{FILE_KIT_SECTION, 24, 0x1a2b3c4d},
     3,
     "a block of type 0xa0d0d0a has the length 24; a length is 28 to 16777216, a multiple of 4"},
    {{FILE_KIT_SECTION, 28, 7},
     3,
     "a section's byte-order magic is 0x07000000, not 0x1a2b3c4d in either byte order"},
    {{5, 16, 0, 12}, 4, "a block has the length 16 at its beginning and 12 at its end"},
    {{5, 16, 0}, 3, "the file ends 12 octets into a block of 16"},
    {{5, 16}, 2, "the file ends 8 octets into a block of 12"},
    {{1, 16, 1, 16}, 4, "an interface's block has 16 octets, less than 20"},
    {{6, 16, 0, 16}, 4, "a packet's block has 16 octets, less than 32"},
    {{3, 12, 12}, 3, "a packet's block has 12 octets, less than 16"},
    {{6, 32, 1, 0, 0, 0, 0, 32},
     8,
     "a packet has interface 1, but only 1 interfaces are described before it"},
    {{2, 32, 0x10001, 0, 0, 0, 0, 32},
     8,
     "a packet has interface 1, but only 1 interfaces are described before it"},
    {{6, 32, 0, 0, 0, 999, 999, 32},
     8,
     "a packet has the captured length 999, in a block with room for 0 octets"},
    {{3, 16, 1, 16}, 4, "a packet has the captured length 1, in a block with room for 0 octets"},
};

TEST(refused)
{
    for (size_t i = 0; i < COUNT(bads); i++) {
        struct capture_frame frame;
        const char *error = NULL;
        begin(false);
        file_kit_interface(&file, 1, 0);
        size_t good = file.octets;
        for (unsigned k = 0; k < bads[i].count; k++)
            file_kit_u32(&file, bads[i].words[k]);
        FILE *stream = open_it();
        assert_int_equal(capture_pcapng_next(&pcapng, &frame, &error), -1);
        assert_string_equal(error, bads[i].reason);
        assert_int_equal(pcapng.at, good);
        close_it(stream);
    }
}

TEST(most_interfaces)
{
    struct capture_frame frame;
    const char *error = NULL;
    begin(false);
    for (unsigned i = 0; i < CAPTURE_PCAPNG_INTERFACES; i++)
        file_kit_interface(&file, 1, 0);
    file_kit_enhanced(&file, CAPTURE_PCAPNG_INTERFACES - 1, 0, 1, 5);
    file_kit_interface(&file, 1, 0);
    FILE *stream = open_it();
    expect(0, 1, 1, DLT_EN10MB, 5);
    assert_int_equal(capture_pcapng_next(&pcapng, &frame, &error), -1);
    assert_string_equal(error, "a section has more than 256 interfaces");
    close_it(stream);
}

TEST(no_section)
{
    static const uint8_t other[16] = {5, 0, 0, 0, 16, 0, 0, 0, [12] = 16};
    FILE *stream = fmemopen((void *)(uintptr_t)other, sizeof(other), "rb");
    assert_string_equal(capture_pcapng_open(&pcapng, stream), "the first block is not a section header");
    close_it(stream);
    assert_true(capture_pcapng_is((const uint8_t[]){0x0a, 0x0d, 0x0d, 0x0a}));
    assert_false(capture_pcapng_is((const uint8_t[]){0x0a, 0x0d, 0x0d, 0x0b}));
}

UNIT_MAIN(NULL, NULL)
