/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures of every format, whole and damaged. */
#include "capture/reader.h"

#include "tests/unit/capture/file_kit.h"
#include "tests/unit/capture/scratch_file.h"
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <pcap/dlt.h>
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
    {"\xd4", 1,
     "not a pcap or pcapng file, or damaged at its beginning: truncated dump file; tried to read 4 file "
     "header "
     "bytes, only got 1"},
    {"\xd4\xc3\xb2\xa1\2\0\4\0", 8,
     "not a pcap or pcapng file, or damaged at its beginning: truncated dump file; tried to read 24 file "
     "header "
     "bytes, only got 4"},
    {"a letter", 8, "not a pcap or pcapng file, or damaged at its beginning: "},
    {"\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a", 12,
     "not a pcap or pcapng file, or damaged at its beginning: the file ends 12 octets into a block of 28"},
    {"\n\r\r\n\x1c\0\0\0abcd", 12,
     "not a pcap or pcapng file, or damaged at its beginning: a section's byte-order magic is "
     "0x61626364, not 0x1a2b3c4d in either byte order"},
    {"\x28\xb5\x2f\xfd\0\0", 6, "compressed by zstd; supported is gzip: decompress the file first"},
    {"BZh91AY&SY", 10, "compressed by bzip2; supported is gzip: decompress the file first"},
    {"\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x69\0\0\0", 24,
     "link type 105 (IEEE802_11) is not supported; supported are: Ethernet, raw IP, loopback, Linux cooked"},
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

UNIT_MAIN(NULL, NULL)
