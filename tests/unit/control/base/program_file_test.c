/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that a process has open, as its program: as it was, replaced as dpkg does it, deleted. */
#include "control/base/program_file.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char folder[32], path[64], other[64], link[64];
    int fd;
    struct program_file file;
};

static void begin(struct place *it)
{
    snprintf(it->folder, sizeof(it->folder), "/tmp/gbflow-program-XXXXXX");
    assert_non_null(mkdtemp(it->folder));
    snprintf(it->path, sizeof(it->path), "%s/gbflow", it->folder);
    snprintf(it->other, sizeof(it->other), "%s/gbflow.dpkg-new", it->folder);
    it->fd = open(it->path, O_WRONLY | O_CREAT, 0755);
    assert_true(it->fd >= 0);
    snprintf(it->link, sizeof(it->link), "/proc/self/fd/%d", it->fd);
    program_file_init(&it->file, it->link);
}

static void end(struct place *it)
{
    close(it->fd);
    unlink(it->path);
    unlink(it->other);
    assert_int_equal(rmdir(it->folder), 0);
}

/* Makes the other file; returns when, since 1970. */
static int64_t put_other(struct place *it)
{
    struct stat found;
    assert_int_equal(close(open(it->other, O_WRONLY | O_CREAT, 0755)), 0);
    assert_int_equal(stat(it->other, &found), 0);
    return found.st_ctim.tv_sec * INT64_C(1000000000) + found.st_ctim.tv_nsec;
}

static void expect(const struct place *it, enum program_file_state state, int64_t at_least_ns)
{
    int64_t replaced_at_ns = -1;
    assert_int_equal(program_file_look(&it->file, &replaced_at_ns), state);
    assert_true(at_least_ns ? replaced_at_ns >= at_least_ns : replaced_at_ns == 0);
}

TEST_IN(as_it_was, struct place, it, begin(it), end(it))
{
    assert_string_equal(it->file.path, it->path);
    expect(it, PROGRAM_FILE_CURRENT, 0);
    assert_int_equal(chmod(it->path, 0700), 0);
    expect(it, PROGRAM_FILE_CURRENT, 0);
}

TEST_IN(replaced, struct place, it, begin(it), end(it))
{
    int64_t made_at_ns = put_other(it);
    expect(it, PROGRAM_FILE_CURRENT, 0);
    assert_int_equal(rename(it->other, it->path), 0);
    expect(it, PROGRAM_FILE_REPLACED, made_at_ns);
}

TEST_IN(moved_away_and_replaced, struct place, it, begin(it), end(it))
{
    assert_int_equal(rename(it->path, it->other), 0);
    expect(it, PROGRAM_FILE_DELETED, 0);
    assert_int_equal(close(open(it->path, O_WRONLY | O_CREAT, 0755)), 0);
    expect(it, PROGRAM_FILE_REPLACED, 1);
}

TEST_IN(without_a_link, struct place, it, begin(it), end(it))
{
    program_file_init(&it->file, it->other);
    expect(it, PROGRAM_FILE_UNKNOWN, 0);
}

UNIT_MAIN(NULL, NULL)
