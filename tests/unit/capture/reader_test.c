/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures of every format, whole and damaged. */
#include "tests/unit/capture/file_kit.h"
#include "tests/unit/capture/scratch_file.h"
#include "tests/unit/unit.h"

#include "capture/reader.h"
#include "capture/source.h"

#include <inttypes.h>
#include <pcap/dlt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define SECOND INT64_C(1000000000)

enum { PACKETS = 3, PACKET_OCTETS = 20 };

static struct file_kit file; /* too large for a stack */
static struct capture_reader reader;

static int begin(void **state)
{
    file = (struct file_kit){0};
    reader = (struct capture_reader){0};
    return 0;
}

/* --- whole captures --- */

static const struct format {
    const char *name;
    bool is_big;
    uint32_t magic; /* 0: pcapng */
    int64_t unit_ns;
} formats[] = {
    {"pcap, microseconds", false, FILE_KIT_MICROSECONDS, 1000},
    {"pcap, big-endian", true, FILE_KIT_MICROSECONDS, 1000},
    {"pcap, nanoseconds", false, FILE_KIT_NANOSECONDS, 1},
    {"pcap, nanoseconds, big-endian", true, FILE_KIT_NANOSECONDS, 1},
    {"pcapng", false, 0, 1000},
    {"pcapng, big-endian", true, 0, 1000},
};

/* Three packets: one at 5 units after each second. Returns the octets in front of the first. */
static size_t make(const struct format *format)
{
    file = (struct file_kit){.is_big = format->is_big};
    if (format->magic)
        file_kit_pcap(&file, format->magic, 101);
    else
        file_kit_section(&file, format->is_big);
    if (!format->magic)
        file_kit_interface(&file, 101, 0);
    size_t head = file.octets;
    for (unsigned i = 1; i <= PACKETS; i++)
        if (format->magic)
            file_kit_record(&file, i, 5, PACKET_OCTETS, (uint8_t)i);
        else
            file_kit_enhanced(&file, 0, i * UINT64_C(1000000) + 5, PACKET_OCTETS, (uint8_t)i);
    return head;
}

static unsigned read_packets(const struct format *format)
{
    struct capture_frame frame;
    unsigned count = 0;
    while (capture_reader_next(&reader, &frame)) {
        count++;
        assert_int_equal(frame.at_ns, count * SECOND + 5 * format->unit_ns);
        assert_int_equal(frame.captured, PACKET_OCTETS);
        assert_int_equal(frame.wire_octets, PACKET_OCTETS);
        assert_int_equal(frame.link_type, DLT_RAW);
        assert_int_equal(frame.bytes[PACKET_OCTETS - 1], count);
    }
    assert_int_equal(reader.packets, count);
    return count;
}

static void write_file(const char *path, bool is_gzip)
{
    gzFile to = gzopen(path, is_gzip ? "wb" : "wbT");
    assert_int_equal(gzwrite(to, file.bytes, (unsigned)file.octets), file.octets);
    assert_int_equal(gzclose(to), Z_OK);
}

/* Opens a file as standard input. */
static void open_stdin(const char *path)
{
    int before = dup(STDIN_FILENO);
    assert_non_null(freopen(path, "rb", stdin));
    assert_int_equal(capture_reader_open(&reader, "-"), 0);
    dup2(before, STDIN_FILENO);
    close(before);
}

/* Out of memory, a file, a gzip file, standard input; the counts go on from one to the next. */
TEST_WITH(every_format, begin, NULL)
{
    char path[SCRATCH_FILE_CHARS];
    scratch_file_make(path);
    for (size_t i = 0; i < 4 * COUNT(formats); i++) {
        make(&formats[i / 4]);
        write_file(path, i % 4 >= 2);
        if (i % 4 == 0)
            assert_int_equal(capture_reader_open_memory(&reader, file.bytes, file.octets), 0);
        else if (i % 4 == 3)
            open_stdin(path);
        else
            assert_int_equal(capture_reader_open(&reader, path), 0);
        assert_int_equal(read_packets(&formats[i / 4]), PACKETS);
        assert_false(reader.is_broken);
        assert_string_equal(reader.error, "");
        assert_int_equal(capture_reader_percent(&reader), i % 4 == 0 ? -1 : 100);
        capture_reader_close(&reader);
        capture_reader_close(&reader);
        assert_int_equal(reader.counts.frames, (i + 1) * PACKETS);
        assert_int_equal(reader.counts.octets, (i + 1) * PACKETS * PACKET_OCTETS);
    }
    unlink(path);
}

/* Seconds of 32 bits have no sign; more than a second of nanoseconds counts as one. */
TEST_WITH(late_seconds, begin, NULL)
{
    struct capture_frame frame;
    file_kit_pcap(&file, FILE_KIT_NANOSECONDS, 1);
    file_kit_record(&file, UINT32_MAX, 999999999, 1, 1);
    file_kit_record(&file, 7, 2000000000, 1, 1);
    assert_int_equal(capture_reader_open_memory(&reader, file.bytes, file.octets), 0);
    assert_true(capture_reader_next(&reader, &frame));
    assert_int_equal(frame.at_ns, (SECOND << 32) - 1);
    assert_true(capture_reader_next(&reader, &frame));
    assert_int_equal(frame.at_ns, 8 * SECOND);
    capture_reader_close(&reader);
}

/* Less captured than there was, as much, and more than the capture says there was. */
TEST_WITH(snap_lengths, begin, NULL)
{
    static const struct {
        uint32_t captured, wire_octets, want;
    } rows[] = {{4, 1500, 1500}, {4, 4, 4}, {8, 0, 8}};
    file_kit_pcap(&file, FILE_KIT_MICROSECONDS, 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        file_kit_put(&file, (const uint8_t[8]){0}, 8);
        file_kit_u32(&file, rows[i].captured);
        file_kit_u32(&file, rows[i].wire_octets);
        file_kit_put(&file, (const uint8_t[8]){0}, rows[i].captured);
    }
    assert_int_equal(capture_reader_open_memory(&reader, file.bytes, file.octets), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct capture_frame frame;
        assert_true(capture_reader_next(&reader, &frame));
        assert_int_equal(frame.captured, rows[i].captured);
        assert_int_equal(frame.wire_octets, rows[i].want);
    }
    assert_int_equal(reader.counts.cut_short, 1);
    assert_int_equal(reader.counts.octets, 1512);
    capture_reader_close(&reader);
}

/* Beside those of other links; of pcap, which has one, nothing would be left. */
TEST_WITH(unknown_links, begin, NULL)
{
    struct capture_frame frame;
    file_kit_section(&file, false);
    file_kit_interface(&file, 105, 0);
    file_kit_interface(&file, 1, 0);
    for (uint32_t i = 0; i < 3; i++)
        file_kit_enhanced(&file, i % 2, i, 20, 7);
    assert_int_equal(capture_reader_open_memory(&reader, file.bytes, file.octets), 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(capture_reader_next(&reader, &frame));
        assert_int_equal(frame.link_type, i % 2 ? 1 : 105);
    }
    assert_int_equal(reader.counts.frames, 3);
    assert_int_equal(reader.counts.unknown_links, 2);
    assert_int_equal(reader.unknown_link, 105);
    capture_reader_close(&reader);
}

/* --- damage --- */

/* Cut at every octet: the packets before the cut are read, and a cut inside of one is told. */
TEST_WITH(cut_anywhere, begin, NULL)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        size_t head = make(&formats[i]), each = (file.octets - head) / PACKETS;
        for (size_t octets = file.octets; octets-- > head;) {
            char want[80];
            unsigned whole = (unsigned)((octets - head) / each);
            bool is_cut = (octets - head) % each != 0;
            assert_int_equal(capture_reader_open_memory(&reader, file.bytes, octets), 0);
            assert_int_equal(read_packets(&formats[i]), whole);
            assert_int_equal(reader.is_broken, is_cut);
            /* libpcap tells where it stopped, which is the end. */
            size_t at = formats[i].magic ? octets : head + whole * each;
            snprintf(want, sizeof(want), "damaged at octet %zu, after %u packets: ", at, whole);
            if (is_cut)
                assert_memory_equal(reader.error, want, strlen(want));
            else
                assert_string_equal(reader.error, "");
            capture_reader_close(&reader);
        }
    }
}

/* The same of a gzip file: what was compressed before the cut is read, and the end is never taken for good.
 */
TEST_WITH(cut_gzip, begin, NULL)
{
    char path[SCRATCH_FILE_CHARS];
    scratch_file_make(path);
    for (size_t i = 0; i < COUNT(formats); i++) {
        make(&formats[i]);
        write_file(path, true);
        for (size_t octets = scratch_file_octets(path); octets-- > 20;) {
            scratch_file_cut(path, octets);
            if (capture_reader_open(&reader, path) < 0)
                continue;
            assert_true(read_packets(&formats[i]) <= PACKETS);
            assert_true(reader.is_broken);
            assert_non_null(strstr(reader.error, " (decompressed), after "));
            assert_non_null(strstr(reader.error, ": unexpected end of file"));
            capture_reader_close(&reader);
        }
    }
    unlink(path);
}

TEST_WITH(too_long_a_packet, begin, NULL)
{
    static const char want[] = "damaged at octet 116, after 1 packets: ";
    struct capture_frame frame;
    file_kit_pcap(&file, FILE_KIT_MICROSECONDS, 1);
    file_kit_record(&file, 1, 0, 60, 1);
    file_kit_record(&file, 2, 0, 0, 1);
    memset(file.bytes + file.octets - 8, 0xff, 4); /* its length */
    assert_int_equal(capture_reader_open_memory(&reader, file.bytes, file.octets), 0);
    assert_true(capture_reader_next(&reader, &frame));
    assert_false(capture_reader_next(&reader, &frame));
    assert_true(reader.is_broken);
    assert_memory_equal(reader.error, want, strlen(want));
    capture_reader_close(&reader);
}

/* --- no captures --- */

static const struct refusal {
    const char *octets;
    uint8_t count;
    const char *error; /* its beginning: the rest may be libpcap's */
} refusals[] = {
    {"", 0, "empty file; a capture is pcap or pcapng, plain or gzip"},
    ROW("\xd4", 1,
        "not a pcap or pcapng file, or damaged at its beginning: truncated dump file; tried to read 4 file "
        "header "
        "bytes, only got 1"),
    ROW("\xd4\xc3\xb2\xa1\2\0\4\0", 8,
        "not a pcap or pcapng file, or damaged at its beginning: truncated dump file; tried to read 24 file "
        "header "
        "bytes, only got 4"),
    {"a letter", 8, "not a pcap or pcapng file, or damaged at its beginning: "},
    {"\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a", 12,
     "not a pcap or pcapng file, or damaged at its beginning: the file ends 12 octets into a block of 28"},
    {"\n\r\r\n\x1c\0\0\0abcd", 12,
     "not a pcap or pcapng file, or damaged at its beginning: a section's byte-order magic is "
     "0x61626364, not 0x1a2b3c4d in either byte order"},
    {"\x28\xb5\x2f\xfd\0\0", 6, "compressed by zstd; supported is gzip: decompress the file first"},
    {"BZh91AY&SY", 10, "compressed by bzip2; supported is gzip: decompress the file first"},
    {"\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x69\0\0\0", 24,
     "link type 105 (IEEE802_11) is not supported; supported are: Ethernet, raw IP, loopback, Linux cooked, "
     "PPP, Cisco HDLC"},
};

TEST_WITH(refused, begin, NULL)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const struct refusal *row = &refusals[i];
        assert_int_equal(capture_reader_open_memory(&reader, (const uint8_t *)row->octets, row->count), -1);
        assert_memory_equal(reader.error, row->error, strlen(row->error));
        capture_reader_close(&reader);
    }
    assert_int_equal(capture_reader_open(&reader, "no such folder/gn.pcap"), -1);
    assert_string_equal(reader.error, "cannot be opened: No such file or directory");
    assert_int_equal(capture_reader_open(&reader, "."), -1);
    assert_string_equal(reader.error, "cannot be read: Is a directory");
}

/* --- Blocks of pcapng: what they say of packets, and how blocks that cannot be are refused --- */

static struct file_kit pcapng_file; /* too large for a stack */
static struct capture_pcapng pcapng;

static void pcapng_begin(bool is_big)
{
    pcapng_file.octets = 0;
    file_kit_section(&pcapng_file, is_big);
}

static FILE *open_it(void)
{
    FILE *stream = fmemopen(pcapng_file.bytes, pcapng_file.octets, "rb");
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
        pcapng_begin(i == 0);
        file_kit_interface(&pcapng_file, 1, 68);
        file_kit_interface(&pcapng_file, 101, 0);
        file_kit_interface(&pcapng_file, 276, 262144);
        file_kit_enhanced(&pcapng_file, 0, 1000001, 5, 1);
        file_kit_enhanced(&pcapng_file, 1, 1000002, 6, 2);
        file_kit_enhanced(&pcapng_file, 2, 1000003, 7, 3);
        file_kit_section(&pcapng_file, i != 0);
        file_kit_interface(&pcapng_file, 101, 0);
        file_kit_enhanced(&pcapng_file, 0, 2000000, 8, 4);
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
    pcapng_begin(false);
    file_kit_interface(&pcapng_file, 1, 6);
    size_t block = file_kit_begin(&pcapng_file, FILE_KIT_OLD);
    file_kit_u16(&pcapng_file, 0);
    file_kit_u16(&pcapng_file, 77); /* drops */
    file_kit_u32(&pcapng_file, 0);
    file_kit_u32(&pcapng_file, 3000000);
    file_kit_u32(&pcapng_file, 4);
    file_kit_u32(&pcapng_file, 1500);
    file_kit_put(&pcapng_file, octets, 4);
    file_kit_end(&pcapng_file, block);
    block = file_kit_begin(&pcapng_file, 0xbad);
    file_kit_put(&pcapng_file, octets, 7);
    file_kit_end(&pcapng_file, block);
    block = file_kit_begin(&pcapng_file, FILE_KIT_SIMPLE);
    file_kit_u32(&pcapng_file, 1400);
    file_kit_put(&pcapng_file, octets, 6);
    file_kit_end(&pcapng_file, block);
    block = file_kit_begin(&pcapng_file, FILE_KIT_SIMPLE);
    file_kit_u32(&pcapng_file, 7);
    file_kit_put(&pcapng_file, octets, 8);
    file_kit_end(&pcapng_file, block);
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
    size_t block = file_kit_begin(&pcapng_file, FILE_KIT_INTERFACE);
    uint64_t offset = (uint64_t)row->offset_s;
    uint32_t high = (uint32_t)(offset >> 32), low = (uint32_t)offset;
    file_kit_u32(&pcapng_file, pcapng_file.is_big ? 1 << 16 : 1);
    file_kit_u32(&pcapng_file, 0);
    file_kit_u16(&pcapng_file, 2); /* a name, which is skipped */
    file_kit_u16(&pcapng_file, 2);
    file_kit_put(&pcapng_file, "gn\0\0", 4);
    file_kit_u16(&pcapng_file, 9);
    file_kit_u16(&pcapng_file, 1);
    file_kit_put(&pcapng_file, (const uint8_t[4]){row->resolution}, 4);
    file_kit_u16(&pcapng_file, 14);
    file_kit_u16(&pcapng_file, 8);
    file_kit_u32(&pcapng_file, pcapng_file.is_big ? high : low);
    file_kit_u32(&pcapng_file, pcapng_file.is_big ? low : high);
    file_kit_end(&pcapng_file, block);
    file_kit_enhanced(&pcapng_file, 0, row->stamp, 0, 0);
}

TEST(resolutions)
{
    for (size_t i = 0; i < 2 * COUNT(times); i++) {
        struct capture_frame frame;
        const char *error;
        pcapng_begin(i % 2);
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

TEST(pcapng_refused)
{
    for (size_t i = 0; i < COUNT(bads); i++) {
        struct capture_frame frame;
        const char *error = NULL;
        pcapng_begin(false);
        file_kit_interface(&pcapng_file, 1, 0);
        size_t good = pcapng_file.octets;
        for (unsigned k = 0; k < bads[i].count; k++)
            file_kit_u32(&pcapng_file, bads[i].words[k]);
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
    pcapng_begin(false);
    for (unsigned i = 0; i < CAPTURE_PCAPNG_INTERFACES; i++)
        file_kit_interface(&pcapng_file, 1, 0);
    file_kit_enhanced(&pcapng_file, CAPTURE_PCAPNG_INTERFACES - 1, 0, 1, 5);
    file_kit_interface(&pcapng_file, 1, 0);
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
