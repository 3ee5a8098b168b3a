/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written is read back by libpcap, to the nanosecond. */
#include "tests/unit/capture/scratch_file.h"
#include "tests/unit/unit.h"

#include "capture/reader.h"
#include "capture/writer.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <pcap/dlt.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    int64_t at_ns;
    size_t octets;
} writer_rows[] = {
    {0, 60},
    {1, 61},
    {999999999, 62},
    {1000000000, 63},
    {INT64_C(1500000000123456789), 1514},
    {4294967296, 0},
    {4294967297, 2048},
};

static uint8_t octet_at(size_t i)
{
    return (uint8_t)(i * 7 + 3);
}

static void write_all(const char *path, const char *name)
{
    struct capture_writer p;
    uint8_t frame[2048];
    for (size_t i = 0; i < sizeof(frame); i++)
        frame[i] = octet_at(i);
    assert_int_equal(capture_writer_open(&p, path, name), 0);
    for (size_t i = 0; i < COUNT(writer_rows); i++)
        capture_writer_put(&p, writer_rows[i].at_ns, frame, writer_rows[i].octets);
    assert_int_equal(capture_writer_close(&p), 0);
    assert_int_equal(capture_writer_close(&p), 0);
}

static void read_all(const char *path)
{
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const uint8_t *bytes;
    pcap_t *pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
    assert_non_null(pcap);
    assert_int_equal(pcap_datalink(pcap), DLT_EN10MB);
    for (size_t i = 0; i < COUNT(writer_rows); i++) {
        assert_int_equal(pcap_next_ex(pcap, &header, &bytes), 1);
        assert_int_equal(header->ts.tv_sec * INT64_C(1000000000) + header->ts.tv_usec, writer_rows[i].at_ns);
        assert_int_equal(header->caplen, writer_rows[i].octets);
        assert_int_equal(header->len, writer_rows[i].octets);
        for (size_t k = 0; k < writer_rows[i].octets; k++)
            assert_int_equal(bytes[k], octet_at(k));
    }
    assert_int_equal(pcap_next_ex(pcap, &header, &bytes), PCAP_ERROR_BREAK);
    pcap_close(pcap);
}

/* Names of every length modulo four, and one that is cut. */
TEST(read_back)
{
    static const char *const names[] = {
        "",     "g",
        "gb",   "gb0",
        "gb-0", "a name of more than sixty-four characters, which no network interface of this world has",
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[SCRATCH_FILE_CHARS];
        scratch_file_make(path);
        write_all(path, names[i]);
        read_all(path);
        unlink(path);
    }
}

TEST(same_octets)
{
    char path[2][SCRATCH_FILE_CHARS];
    uint8_t bytes[2][8192];
    size_t octets[2];
    for (unsigned i = 0; i < 2; i++) {
        scratch_file_make(path[i]);
        write_all(path[i], "gb");
        FILE *file = fopen(path[i], "rb");
        octets[i] = fread(bytes[i], 1, sizeof(bytes[i]), file);
        fclose(file);
        unlink(path[i]);
    }
    assert_int_equal(octets[0], octets[1]);
    assert_memory_equal(bytes[0], bytes[1], octets[0]);
}

static uint32_t number_at(const uint8_t *bytes, size_t at)
{
    uint32_t number;
    memcpy(&number, bytes + at, sizeof(number));
    return number;
}

/* Blocks of a file one after the other, each with its length at both ends; the last one's options. */
static size_t last_block(const uint8_t *bytes, size_t octets, unsigned blocks)
{
    size_t at = 0, last = 0;
    for (; at < octets; at += number_at(bytes, last + 4), blocks--) {
        last = at;
        assert_int_equal(number_at(bytes, at + 4) % 4, 0);
        assert_int_equal(number_at(bytes, at + number_at(bytes, at + 4) - 4), number_at(bytes, at + 4));
    }
    assert_int_equal(at, octets);
    assert_int_equal(blocks, 0);
    return last;
}

/* A packet of a second interface, cut, with a comment of each length modulo four and a direction. */
TEST(packets_with_comments)
{
    static const char *const comments[] = {NULL, "a", "ab", "abc", "abcd"};
    for (size_t i = 0; i < COUNT(comments); i++) {
        char path[SCRATCH_FILE_CHARS];
        uint8_t bytes[1024];
        struct capture_writer p;
        scratch_file_make(path);
        assert_int_equal(capture_writer_open(&p, path, "gb"), 0);
        capture_writer_add_interface(&p, "dropped", CAPTURE_WRITER_RAW_IP);
        capture_writer_put_packet(
            &p, &(struct capture_writer_packet){.interface = 1,
                                                .at_ns = 7,
                                                .octets = (const uint8_t *)"12345",
                                                .kept_octets = 5,
                                                .octets_in_all = 1500,
                                                .comment = comments[i],
                                                .direction = i == 0 ? CAPTURE_UNKNOWN : CAPTURE_OUT});
        assert_int_equal(capture_writer_close(&p), 0);
        FILE *file = fopen(path, "rb");
        size_t octets = fread(bytes, 1, sizeof(bytes), file), at = last_block(bytes, octets, 4);
        fclose(file);
        unlink(path);
        assert_true(number_at(bytes, at) == 6 && number_at(bytes, at + 8) == 1 &&
                    number_at(bytes, at + 16) == 7);
        assert_true(number_at(bytes, at + 20) == 5 && number_at(bytes, at + 24) == 1500);
        assert_memory_equal(bytes + at + 28, "12345\0\0\0", 8);
        assert_int_equal(number_at(bytes, at + 4), i == 0 ? 40 : 40 + 8 + 8 + 4);
        if (i == 0)
            continue;
        assert_int_equal(number_at(bytes, at + 36), 1 | i << 16); /* a comment, its octets */
        assert_memory_equal(bytes + at + 40, comments[i], i);
        assert_int_equal(number_at(bytes, at + 44), 2 | 4 << 16); /* flags */
        assert_int_equal(number_at(bytes, at + 48), CAPTURE_OUT);
        assert_int_equal(number_at(bytes, at + 52), 0);
    }
}

TEST(errors)
{
    struct capture_writer p;
    const uint8_t frame[60] = {0};
    assert_int_equal(capture_writer_open(&p, "no such folder/gb.pcapng", "gb"), ENOENT);
    assert_int_equal(capture_writer_close(&p), 0);
    if (capture_writer_open(&p, "/dev/full", "gb") != 0)
        skip();
    for (unsigned i = 0; i < 1000; i++)
        capture_writer_put(&p, 0, frame, sizeof(frame));
    assert_int_equal(capture_writer_close(&p), ENOSPC);
}

/* --- Timestamps on a time that does not go back --- */

#define DAY_S INT64_C(86400)

/* (at, in, expect) in seconds; the steps so far. */
struct timeline_row {
    int64_t in_s, expect_s;
    unsigned steps;
};

static void walk(struct capture_timeline *t, const struct timeline_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t at_ns = capture_timeline_put(t, rows[i].in_s * MOMENT_SECOND);
        if (at_ns != rows[i].expect_s * MOMENT_SECOND || t->steps != rows[i].steps)
            fail_msg("row %zu: %lld ns, %llu steps", i, (long long)at_ns, (unsigned long long)t->steps);
        assert_int_equal(t->last_ns, at_ns);
        assert_int_equal(t->first_ns, rows[0].expect_s * MOMENT_SECOND);
    }
}

/* A second is out of order, more is a clock that was set; forwards a day passes. */
TEST(a_second_back)
{
    static const struct timeline_row rows[] = {
        {1000, 1000, 0},
        {1001, 1001, 0},
        {1000, 1001, 1}, /* out of order */
        {1001, 1001, 1},
        {999, 1001, 2}, /* set back */
        {1002, 1004, 2},
        {1002 + DAY_S, 1004 + DAY_S, 2}, /* the longest silence */
        {1003 + 2 * DAY_S, 1004 + 2 * DAY_S, 3},
        {1005 + 2 * DAY_S, 1006 + 2 * DAY_S, 3},
        {0, 1006 + 2 * DAY_S, 4},
        {7, 1013 + 2 * DAY_S, 4},
    };
    struct capture_timeline t = {
        .back_ns = MOMENT_SECOND, .silence_ns = DAY_S * MOMENT_SECOND, .set_ns = DAY_S * MOMENT_SECOND};
    walk(&t, rows, COUNT(rows));
}

/* Up to a day is out of order; no time passes when the clock is set. */
TEST(a_day_back)
{
    static const struct timeline_row rows[] = {
        {100000, 100000, 0},
        {90000, 100000, 1},
        {100001, 100001, 1},
        {100001 - DAY_S, 100001, 2},
        {100001, 100001, 2},
        {100000 - DAY_S, 100001, 3}, /* set back */
        {100002 - DAY_S, 100003, 3},
        {100002, 100003 + DAY_S, 3},         /* the longest silence */
        {100003 + DAY_S, 100003 + DAY_S, 4}, /* set forwards */
        {100005 + DAY_S, 100005 + DAY_S, 4},
    };
    struct capture_timeline t = {.back_ns = DAY_S * MOMENT_SECOND, .silence_ns = DAY_S * MOMENT_SECOND};
    walk(&t, rows, COUNT(rows));
}

/* Between the ends of time, and as often as would overflow 64 bits: time neither goes back nor past its end.
 */
TEST(ends_of_time)
{
    static const int64_t sets[] = {0, DAY_S * MOMENT_SECOND, INT64_MAX};
    static const int64_t ins[] = {0, INT64_MAX, 1, INT64_MAX - 1, INT64_C(8000000000) * MOMENT_SECOND};
    for (size_t k = 0; k < COUNT(sets); k++) {
        struct capture_timeline t = {.silence_ns = DAY_S * MOMENT_SECOND, .set_ns = sets[k]};
        int64_t last_ns = 0;
        for (size_t i = 0; i < 400000; i++) {
            int64_t at_ns = capture_timeline_put(&t, ins[i % COUNT(ins)]);
            assert_true(at_ns >= last_ns && at_ns <= CAPTURE_TIMELINE_LAST_NS);
            last_ns = at_ns;
        }
        assert_int_equal(last_ns, sets[k] == 0 ? 0 : CAPTURE_TIMELINE_LAST_NS);
    }
}

/* Silences that last until the end of time stay before it. */
TEST(long_silences)
{
    struct capture_timeline t = {.silence_ns = INT64_MAX};
    assert_int_equal(capture_timeline_put(&t, 5), 5);
    assert_int_equal(capture_timeline_put(&t, INT64_MAX), CAPTURE_TIMELINE_LAST_NS);
    assert_int_equal(capture_timeline_put(&t, INT64_MAX), CAPTURE_TIMELINE_LAST_NS);
    assert_int_equal(t.steps, 0);
}

UNIT_MAIN(NULL, NULL)
