/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of a capture in virtual time: which, as what, and when. */
#include "tests/unit/capture/scratch_file.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "sim/bss_account.h"
#include "sim/gb_wire.h"
#include "sim/capture_feed.h"
#include "sim/loop.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static struct capture_feed feed; /* too large for a stack */

static int open_frames(int link_type, const struct scratch_file_frame *frames, size_t count)
{
    char path[SCRATCH_FILE_CHARS];
    scratch_file_make(path);
    scratch_file_capture(path, link_type, frames, count);
    int rc = capture_feed_open(&feed, path);
    unlink(path);
    return rc;
}

/* Of each link an Ethernet frame; of one that is too short for its link's header, an empty one. */
TEST(links)
{
    static const struct {
        int link_type;
        uint32_t octets;
        uint8_t bytes[24];
        size_t want;
        uint8_t want_type[2];
    } rows[] = {
        {DLT_EN10MB, 16, {[12] = 8, 6}, 16, {8, 6}},
        {DLT_RAW, 4, {0x60}, 18, {0x86, 0xdd}},
        {DLT_NULL, 8, {2, 0, 0, 0, 0x45}, 18, {8, 0}},
        {DLT_LINUX_SLL, 18, {[14] = 8, 0, 0x45}, 16, {8, 0}},
        {DLT_LINUX_SLL2, 22, {8, 0, [20] = 0x45}, 16, {8, 0}},
        {DLT_LINUX_SLL, 15, {0}, 0, {0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct scratch_file_frame frame = {1, 5, rows[i].octets + 1, rows[i].octets, rows[i].bytes};
        assert_int_equal(open_frames(rows[i].link_type, &frame, 1), 0);
        assert_true(feed.has_frame);
        assert_int_equal(feed.frame.captured, rows[i].want);
        assert_int_equal(capture_feed_due_ns(&feed), SECOND + 5);
        if (rows[i].want)
            assert_memory_equal(feed.frame.bytes + 12, rows[i].want_type, 2);
        capture_feed_next(&feed);
        assert_false(feed.has_frame);
        assert_int_equal(capture_feed_due_ns(&feed), MOMENT_NEVER);
        assert_int_equal(feed.frames, 1);
        assert_int_equal(feed.cut_short, 1);
        capture_feed_close(&feed);
    }
}

/* The longest packets that an Ethernet header of ours can stand before, and one octet more. */
TEST(longest)
{
    static uint8_t bytes[65552];
    const struct {
        uint32_t octets;
        size_t want;
    } rows[] = {{65536, 65550}, {65537, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct scratch_file_frame frame = {0, 0, rows[i].octets, rows[i].octets, bytes};
        assert_int_equal(open_frames(DLT_RAW, &frame, 1), 0);
        assert_int_equal(feed.frame.captured, rows[i].want);
        capture_feed_close(&feed);
    }
}

TEST(refused)
{
    static const int types[] = {DLT_IEEE802_11, DLT_FRELAY, DLT_GPRS_LLC};
    for (size_t i = 0; i < COUNT(types); i++) {
        assert_int_equal(open_frames(types[i], NULL, 0), -1);
        assert_non_null(strstr(feed.reader.error, "link type"));
        assert_false(feed.has_frame);
        capture_feed_close(&feed);
    }
    assert_int_equal(capture_feed_open(&feed, "no such folder/gn.pcap"), -1);
    assert_string_equal(feed.reader.error, "cannot be opened: No such file or directory");
    assert_int_equal(open_frames(DLT_EN10MB, NULL, 0), 0); /* empty, and sound */
    assert_false(feed.has_frame);
    capture_feed_close(&feed);
}

/* --- interfaces of other links --- */

static void put(FILE *file, const uint32_t *words, size_t count)
{
    assert_int_equal(fwrite(words, 4, count, file), count);
}

/* Two interfaces, of 802.11 and of raw IP, with so many packets of four octets each in turn. */
static int open_mixed(unsigned packets, unsigned interfaces)
{
    static const uint32_t section[] = {0x0a0d0d0a, 28, 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX, 28};
    char path[SCRATCH_FILE_CHARS];
    scratch_file_make(path);
    FILE *file = fopen(path, "wb");
    put(file, section, COUNT(section));
    put(file, (const uint32_t[]){1, 20, 105, 0, 20}, 5);
    put(file, (const uint32_t[]){1, 20, 101, 0, 20}, 5);
    for (uint32_t i = 0; i < packets; i++)
        put(file, (const uint32_t[]){6, 36, i % interfaces, 0, i, 4, 5, 0x45, 36}, 9);
    fclose(file);
    int rc = capture_feed_open(&feed, path);
    unlink(path);
    return rc;
}

/* Packets of links that are not read are left out; a capture of nothing else is refused. */
TEST(left_out)
{
    assert_int_equal(open_mixed(5, 2), 0);
    for (unsigned i = 0; i < 2; i++, capture_feed_next(&feed)) {
        assert_true(feed.has_frame);
        assert_int_equal(feed.frame.captured, 18);
        assert_int_equal(feed.frame.at_ns, (2 * i + 1) * 1000);
    }
    assert_false(feed.has_frame);
    assert_int_equal(feed.frames, 2);
    assert_int_equal(feed.cut_short, 2);
    assert_int_equal(feed.reader.counts.unknown_links, 3);
    capture_feed_close(&feed);
    assert_int_equal(open_mixed(5, 1), -1);
    assert_string_equal(
        feed.reader.error,
        "all 5 packets have unsupported link types, the last one 105; supported are: Ethernet, raw IP, "
        "loopback, Linux cooked, PPP, Cisco HDLC");
    capture_feed_close(&feed);
}

/* --- time --- */

TEST(time_stamps)
{
    static const uint8_t bytes[60] = {1};
    static const struct scratch_file_frame frames[] = {
        {10, 999999999, 60, 60, bytes}, {11, 0, 60, 60, bytes}, {9, 0, 1500, 60, bytes},
        {10, 1, 60, 60, bytes},         {12, 1, 61, 60, bytes}, {100000, 1, 60, 60, bytes},
        {100003, 1, 60, 60, bytes},     {13, 2, 60, 60, bytes}, {15, 2, 60, 60, bytes},
    };
    static const int64_t want[] = {11 * SECOND - 1, 11 * SECOND,     11 * SECOND,
                                   11 * SECOND,     12 * SECOND + 1, 12 * SECOND + 1,
                                   15 * SECOND + 1, 15 * SECOND + 1, 17 * SECOND + 1};
    assert_int_equal(open_frames(DLT_EN10MB, frames, COUNT(frames)), 0);
    for (size_t i = 0; i < COUNT(want); i++, capture_feed_next(&feed)) {
        assert_true(feed.has_frame);
        assert_int_equal(feed.frame.at_ns, want[i]);
    }
    assert_false(feed.has_frame);
    assert_false(feed.reader.is_broken);
    assert_int_equal(feed.frames, COUNT(want));
    assert_int_equal(feed.timeline.steps, 4);
    assert_int_equal(feed.cut_short, 2);
    capture_feed_close(&feed);
}

/* --- what a frame costs --- */

enum { FRAMES = 100 };

static int64_t feed_step(void *self, int64_t now)
{
    struct capture_feed *f = self;
    if (capture_feed_due_ns(f) > now)
        return capture_feed_due_ns(f);
    capture_feed_next(f);
    return now;
}

/* As a node: something to do every 30 s, for as long as time passes (Tns-test, TS 48.016 11). */
static int64_t test_step(void *self, int64_t now)
{
    int64_t *next_ns = self;
    if (*next_ns <= now)
        *next_ns = now + 30 * SECOND;
    return *next_ns;
}

static bool is_over(void *arg, int64_t now)
{
    return !((struct capture_feed *)arg)->has_frame;
}

/* Plays frames whose timestamps repeat two gaps in turn; returns the rounds of the loop. */
static uint64_t rounds_of(int64_t even_s, int64_t odd_s, int64_t *passed_ns)
{
    static const uint8_t bytes[60];
    struct scratch_file_frame frames[FRAMES];
    int64_t at_s = 2000000000, next_ns = 0;
    for (unsigned i = 0; i < FRAMES; at_s += i % 2 ? odd_s : even_s, i++)
        frames[i] = (struct scratch_file_frame){at_s, 0, 60, 60, bytes};
    assert_int_equal(open_frames(DLT_EN10MB, frames, FRAMES), 0);
    const struct loop_actor actors[] = {{"feed", &feed, feed_step}, {"test", &next_ns, test_step}};
    struct loop loop = {.actors = actors, .count = COUNT(actors), .is_done = is_over, .arg = &feed};
    int64_t first_ns = feed.frame.at_ns, now = first_ns;
    assert_int_equal(loop_run(&loop, &now, MOMENT_NEVER - 1), LOOP_DONE);
    assert_int_equal(feed.frames, FRAMES);
    *passed_ns = now - first_ns;
    capture_feed_close(&feed);
    return loop.rounds;
}

/* A frame at which the clock leaps costs no more rounds than one that comes a second later. */
TEST(leaps_cost_nothing)
{
    static const int64_t day_s = 86400;
    const struct {
        const char *name;
        int64_t even_s, odd_s, passed_s;
    } rows[] = {
        {"forwards by a day and a second", day_s + 1, day_s + 1, 0},
        {"forwards, then a second", 10 * day_s, 1, FRAMES / 2 - 1},
        {"to and fro", 20000 * day_s, -20000 * day_s, 0},
        {"back, then a second", -10 * day_s, 1, FRAMES / 2 - 1},
    };
    int64_t passed_ns;
    uint64_t plain = rounds_of(1, 1, &passed_ns);
    assert_int_equal(passed_ns, (FRAMES - 1) * SECOND);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t rounds = rounds_of(rows[i].even_s, rows[i].odd_s, &passed_ns);
        if (rounds > plain || passed_ns != rows[i].passed_s * SECOND)
            fail_msg("%s: %llu rounds in %lld s, where a second each takes %llu", rows[i].name,
                     (unsigned long long)rounds, (long long)(passed_ns / SECOND), (unsigned long long)plain);
    }
}

/* Silences below a day are played, 31 days of them at most; after that a silence of a minute still is. */
TEST(silences_are_limited_in_sum)
{
    static const int64_t day_s = 86400;
    const struct {
        int64_t even_s, odd_s, passed_s; /* of FRAMES - 1 gaps */
    } rows[] = {
        {day_s, day_s, 32 * day_s},
        {day_s / 2, 60, FRAMES / 2 * day_s / 2 + (FRAMES / 2 - 1) * 60},
        {day_s, 60, 32 * day_s + (FRAMES / 2 - 1) * 60},
        {60, 60, (FRAMES - 1) * 60},
        {61, 1, FRAMES / 2 * 61 + FRAMES / 2 - 1},
    };
    int64_t passed_ns;
    for (size_t i = 0; i < COUNT(rows); i++) {
        rounds_of(rows[i].even_s, rows[i].odd_s, &passed_ns);
        if (passed_ns != rows[i].passed_s * SECOND)
            fail_msg("row %zu: %lld s", i, (long long)(passed_ns / SECOND));
    }
}

/* --- Headers of ciphered frames in clear, as they pass and later --- */

#define FRAME_OCTETS 60
#define TAP_FRAMES   1400

static const struct llc_key key = {
    .key = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}, .iov_ui = 99, .algorithm = 3};

static struct bss_account_tap fresh(void)
{
    return (struct bss_account_tap){.key = key, .gea = gea_init("portable", NULL)};
}

/* Header and SNDCP header of the count-th frame in clear; the rest counts on. */
static void clear_frame(uint8_t *frame, uint32_t count)
{
    for (unsigned i = 0; i < FRAME_OCTETS; i++)
        frame[i] = (uint8_t)(i + count);
    frame[0] = 0x43;
    frame[1] = (uint8_t)(0xc0 | (count % 512) >> 6);
    frame[2] = (uint8_t)((count & 63) << 2 | 3);
}

static void ciphered_frame(const struct bss_account_tap *tap, uint8_t *frame, uint32_t count)
{
    struct gea_job job = {key.key, frame + 3, llc_cipher_input(key.iov_ui, 3, count), FRAME_OCTETS - 3,
                          GEA_DOWNLINK};
    clear_frame(frame, count);
    gea_cipher_burst(tap->gea, &job, 1);
}

TEST(passes)
{
    struct bss_account_tap tap = fresh();
    uint8_t frame[FRAME_OCTETS], clear[FRAME_OCTETS];

    for (uint32_t count = 0; count < TAP_FRAMES; count++) {
        ciphered_frame(&tap, frame, count);
        clear_frame(clear, count);
        assert_memory_equal(bss_account_tap_pass(&tap, frame, FRAME_OCTETS), clear, BSS_ACCOUNT_TAP_OCTETS);
        for (uint32_t ago = 0; ago < 512 && ago <= count; ago += 73) {
            ciphered_frame(&tap, frame, count - ago);
            clear_frame(clear, count - ago);
            assert_memory_equal(bss_account_tap_passed(&tap, frame, FRAME_OCTETS), clear,
                                BSS_ACCOUNT_TAP_OCTETS);
        }
    }
}

/* What is in clear, or no UI frame, is left alone. */
TEST(left_alone)
{
    struct bss_account_tap tap = fresh();
    uint8_t frame[FRAME_OCTETS];

    clear_frame(frame, 1);
    frame[2] &= (uint8_t)~2;
    assert_ptr_equal(bss_account_tap_pass(&tap, frame, FRAME_OCTETS), frame);
    assert_ptr_equal(bss_account_tap_passed(&tap, frame, FRAME_OCTETS), frame);
    frame[1] = 0xfb;
    assert_ptr_equal(bss_account_tap_pass(&tap, frame, FRAME_OCTETS), frame);
    assert_ptr_equal(bss_account_tap_pass(&tap, frame, 2), frame);
    tap.key.algorithm = 0;
    ciphered_frame(&tap, frame, 1);
    assert_ptr_equal(bss_account_tap_pass(&tap, frame, FRAME_OCTETS), frame);
}

/* The shortest frame that can be: no information. */
TEST(short_frame)
{
    struct bss_account_tap tap = fresh();
    uint8_t frame[] = {0x43, 0xc0, 0x03, 0, 0, 0};
    assert_ptr_equal(bss_account_tap_pass(&tap, frame, sizeof(frame)), tap.clear);
}

UNIT_MAIN(NULL, NULL)
