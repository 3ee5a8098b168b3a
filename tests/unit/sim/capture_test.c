/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures of all link types that are read, and files that are not what they should be. */
#include "sim/capture.h"

#include "tests/unit/capture/scratch_file.h"

#include <pcap/pcap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SECOND       INT64_C(1000000000)

static struct capture capture; /* too large for a stack */

static void make(char *path, int link_type, const struct scratch_file_frame *frames, size_t count)
{
    scratch_file_make(path);
    scratch_file_capture(path, link_type, frames, count);
}

/* --- link types --- */

struct link_row {
    const char *name;
    int link_type;
    uint8_t octets;
    uint8_t bytes[24];
    uint8_t want_octets;
    uint8_t want_type[2]; /* at 12 */
    uint8_t want_first;   /* at 14 */
};

static const struct link_row links[] = {
    {"Ethernet", DLT_EN10MB, 16, {[12] = 8, 0, 0x45, 1}, 16, {8, 0}, 0x45},
    {"Ethernet, short", DLT_EN10MB, 1, {9}, 1, {0}, 0},
    {"raw IPv4", DLT_RAW, 4, {0x45, 1, 2, 3}, 18, {8, 0}, 0x45},
    {"raw IPv6", DLT_RAW, 4, {0x60, 1, 2, 3}, 18, {0x86, 0xdd}, 0x60},
    {"raw, empty", DLT_RAW, 0, {0}, 14, {8, 0}, 0},
    {"cooked IPv4", DLT_LINUX_SLL, 18, {[14] = 8, 0, 0x45, 7}, 16, {8, 0}, 0x45},
    {"cooked ARP", DLT_LINUX_SLL, 18, {[14] = 8, 6, 0x11, 7}, 16, {8, 6}, 0x11},
    {"cooked, nothing behind", DLT_LINUX_SLL, 16, {[14] = 8, 0}, 14, {8, 0}, 0},
    {"cooked, cut", DLT_LINUX_SLL, 15, {0}, 0, {0}, 0},
};

static void link_types(void **state)
{
    for (size_t i = 0; i < COUNT(links); i++) {
        const struct link_row *row = &links[i];
        char path[SCRATCH_FILE_CHARS];
        struct capture_frame frame;
        make(path, row->link_type, &(struct scratch_file_frame){1, 5, row->octets, row->octets, row->bytes},
             1);
        assert_int_equal(capture_open(&capture, path), 0);
        assert_true(capture_next(&capture, &frame));
        if (frame.octets != row->want_octets || frame.at_ns != SECOND + 5)
            fail_msg("%s: %zu octets", row->name, frame.octets);
        if (frame.octets >= 14)
            assert_memory_equal(frame.bytes + 12, row->want_type, 2);
        if (frame.octets > 14)
            assert_int_equal(frame.bytes[14], row->want_first);
        assert_false(capture_next(&capture, &frame));
        assert_false(capture.is_broken);
        assert_int_equal(capture_percent(&capture), 100);
        capture_close(&capture);
        assert_int_equal(capture_percent(&capture), -1);
        unlink(path);
    }
}

/* The longest packets that an Ethernet header of ours can stand before, and one octet more. */
static void longest(void **state)
{
    static uint8_t bytes[65552];
    const struct {
        uint32_t octets;
        size_t want;
    } rows[] = {{65536, 65550}, {65537, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[SCRATCH_FILE_CHARS];
        struct capture_frame frame;
        make(path, DLT_RAW, &(struct scratch_file_frame){0, 0, rows[i].octets, rows[i].octets, bytes}, 1);
        assert_int_equal(capture_open(&capture, path), 0);
        assert_true(capture_next(&capture, &frame));
        assert_int_equal(frame.octets, rows[i].want);
        capture_close(&capture);
        unlink(path);
    }
}

static void refused_link_types(void **state)
{
    static const int types[] = {DLT_IEEE802_11, DLT_NULL, DLT_PPP, DLT_GPRS_LLC};
    for (size_t i = 0; i < COUNT(types); i++) {
        char path[SCRATCH_FILE_CHARS];
        make(path, types[i], NULL, 0);
        assert_int_equal(capture_open(&capture, path), -1);
        assert_non_null(strstr(capture.error, "link type"));
        capture_close(&capture);
        unlink(path);
    }
}

/* --- time --- */

static void time_stamps(void **state)
{
    static const uint8_t bytes[60] = {1};
    static const struct scratch_file_frame frames[] = {
        {10, 999999999, 60, 60, bytes}, {11, 0, 60, 60, bytes}, {9, 0, 1500, 60, bytes},
        {10, 1, 60, 60, bytes},         {12, 1, 61, 60, bytes}, {100000, 1, 60, 60, bytes},
        {100003, 1, 60, 60, bytes},     {13, 2, 60, 60, bytes}, {15, 2, 60, 60, bytes},
    };
    static const int64_t want[] = {11 * SECOND - 1,    11 * SECOND,        11 * SECOND,
                                   11 * SECOND,        12 * SECOND + 1,    86412 * SECOND + 1,
                                   86415 * SECOND + 1, 86415 * SECOND + 1, 86417 * SECOND + 1};
    char path[SCRATCH_FILE_CHARS];
    struct capture_frame frame;

    make(path, DLT_EN10MB, frames, COUNT(frames));
    assert_int_equal(capture_open(&capture, path), 0);
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(capture_next(&capture, &frame));
        assert_int_equal(frame.at_ns, want[i]);
    }
    assert_false(capture_next(&capture, &frame));
    assert_int_equal(capture.frames, COUNT(want));
    assert_int_equal(capture.clock_steps, 4);
    assert_int_equal(capture.cut_short, 2);
    capture_close(&capture);
    unlink(path);
}

/* --- damage --- */

static void not_a_capture(void **state)
{
    char path[SCRATCH_FILE_CHARS];
    scratch_file_make(path);
    assert_int_equal(capture_open(&capture, path), -1);
    assert_true(capture.error[0] != '\0');
    FILE *file = fopen(path, "w");
    fputs("This is a letter, not a capture. It goes on for a while.\n", file);
    fclose(file);
    assert_int_equal(capture_open(&capture, path), -1);
    assert_true(capture.error[0] != '\0');
    unlink(path);
    assert_int_equal(capture_open(&capture, path), -1);
    assert_true(capture.error[0] != '\0');
    capture_close(&capture);
}

/* Cut at every octet: the frames before the cut are read, and a cut inside a frame is told. */
static void cut_anywhere(void **state)
{
    enum { HEADER = 24, FRAME = 16 + 20 };
    static const uint8_t bytes[20] = {1};
    static const struct scratch_file_frame frames[] = {
        {1, 0, 20, 20, bytes},
        {2, 0, 20, 20, bytes},
        {3, 0, 20, 20, bytes},
    };
    char path[SCRATCH_FILE_CHARS];
    make(path, DLT_EN10MB, frames, COUNT(frames));
    assert_int_equal(scratch_file_octets(path), HEADER + 3 * FRAME);
    for (size_t octets = HEADER + 3 * FRAME; octets-- > HEADER;) {
        struct capture_frame frame;
        size_t count = 0;
        scratch_file_cut(path, octets);
        assert_int_equal(capture_open(&capture, path), 0);
        while (capture_next(&capture, &frame))
            count++;
        assert_int_equal(count, (octets - HEADER) / FRAME);
        assert_int_equal(capture.is_broken, (octets - HEADER) % FRAME != 0);
        assert_int_equal(capture.error[0] != '\0', capture.is_broken);
        capture_close(&capture);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_types),  cmocka_unit_test(longest),       cmocka_unit_test(refused_link_types),
        cmocka_unit_test(time_stamps), cmocka_unit_test(not_a_capture), cmocka_unit_test(cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
