/* SPDX-License-Identifier: BSD-3-Clause */
/* Octets of a capture out of files, plain or gzip, and of memory. */
#include "capture/source.h"

#include "tests/unit/capture/scratch_file.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST = 300000 };

static uint8_t octets[MOST], got[MOST + 1];

static int fill(void **state)
{
    for (size_t i = 0; i < MOST; i++)
        octets[i] = (uint8_t)(i * 7919 >> 8);
    return 0;
}

static void write_plain(const char *path, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(octets, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void write_gzip(const char *path, size_t count)
{
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, octets, (unsigned)count), count);
    assert_int_equal(gzclose(file), Z_OK);
}

/* Reads it all, in pieces of growing size, and asks where it is after each. */
static void expect_all(FILE *file, const struct capture_source *s, size_t count)
{
    size_t at = 0, piece = 1, taken;
    assert_non_null(file);
    assert_int_equal(s->head_octets, count < 4 ? count : 4);
    assert_memory_equal(s->head, octets, s->head_octets);
    while ((taken = fread(got + at, 1, piece, file)) > 0) {
        at += taken;
        assert_int_equal(ftello(file), at);
        piece = piece * 3 < MOST - at ? piece * 3 : MOST + 1 - at;
    }
    assert_int_equal(at, count);
    assert_memory_equal(got, octets, count);
    assert_true(feof(file));
    assert_null(capture_source_error(s));
}

TEST(whole_streams)
{
    static const size_t counts[] = {0, 1, 3, 4, 5, 4096, MOST};
    for (size_t i = 0; i < 3 * COUNT(counts); i++) {
        size_t count = counts[i / 3];
        struct capture_source s;
        char path[SCRATCH_FILE_CHARS];
        scratch_file_make(path);
        (i % 3 == 1 ? write_gzip : write_plain)(path, count);
        FILE *file =
            i % 3 == 2 ? capture_source_open_memory(&s, octets, count) : capture_source_open(&s, path);
        expect_all(file, &s, count);
        assert_int_equal(capture_source_is_gzip(&s), i % 3 == 1);
        assert_int_equal(capture_source_percent(&s), i % 3 == 2 || s.file_octets == 0 ? -1 : 100);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(capture_source_percent(&s), -1);
        unlink(path);
    }
}

/* It can be asked where it is, and not be sent elsewhere. */
TEST(no_way_back)
{
    struct capture_source s;
    FILE *file = capture_source_open_memory(&s, octets, 100);
    assert_int_equal(fread(got, 1, 50, file), 50);
    assert_int_equal(fseeko(file, 0, SEEK_END), -1);
    assert_int_equal(errno, ESPIPE);
    fclose(file);
}

/* A gzip file that is cut anywhere, or has an octet changed, ends with a reason. */
TEST(damaged_gzip)
{
    char path[SCRATCH_FILE_CHARS];
    scratch_file_make(path);
    write_gzip(path, 20000);
    size_t whole = scratch_file_octets(path);
    for (size_t octet = whole - 1; octet > 2; octet -= octet > 100 ? 97 : 1) {
        struct capture_source s;
        scratch_file_cut(path, octet);
        FILE *file = capture_source_open(&s, path);
        size_t count = fread(got, 1, MOST, file);
        assert_true(count <= 20000);
        assert_memory_equal(got, octets, count);
        assert_non_null(capture_source_error(&s));
        assert_string_equal(capture_source_error(&s), "unexpected end of file");
        fclose(file);
    }
    unlink(path);
}

/* A changed octet behind the gzip header ends the stream with a reason; the first octets are given all the
 * same. */
TEST(changed_gzip)
{
    char path[SCRATCH_FILE_CHARS];
    scratch_file_make(path);
    for (size_t octet = 10, whole = octet + 1; octet < whole; octet += 13) {
        struct capture_source s;
        write_gzip(path, 20000);
        whole = scratch_file_octets(path);
        FILE *file = fopen(path, "r+b");
        fseeko(file, (off_t)octet, SEEK_SET);
        int old = fgetc(file);
        fseeko(file, (off_t)octet, SEEK_SET);
        fputc(old ^ 0x55, file);
        fclose(file);
        file = capture_source_open(&s, path);
        assert_true(fread(got, 1, MOST, file) >= s.head_octets);
        assert_memory_equal(got, s.head, s.head_octets);
        assert_non_null(capture_source_error(&s));
        fclose(file);
    }
    unlink(path);
}

TEST(not_there)
{
    struct capture_source s;
    assert_null(capture_source_open(&s, "no such folder/gn.pcap"));
    assert_int_equal(errno, ENOENT);
    FILE *file = capture_source_open(&s, "."); /* a folder opens, and cannot be read */
    assert_non_null(file);
    assert_int_equal(s.head_octets, 0);
    assert_string_equal(capture_source_error(&s), strerror(EISDIR));
    fclose(file);
}

UNIT_MAIN(fill, NULL)
