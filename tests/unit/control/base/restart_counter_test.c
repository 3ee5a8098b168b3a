/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/restart_counter.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum end { KILLED, FULL, EMPTY }; /* of a run: by SIGKILL, in order with contexts, in order without one */

static void run(const char *path, enum end end, int expect)
{
    struct restart_counter counter;
    restart_counter_open(&counter, path);
    assert_int_equal(counter.value, expect);
    if (end == KILLED)
        close(counter.fd);
    else
        restart_counter_close(&counter, end == EMPTY);
}

static int synced; /* calls of fsync(), which is this one here */

static int count_sync(int fd)
{
    assert_true(fd >= 0);
    synced++;
    return 0;
}

int fsync(int fd) __attribute__((alias("count_sync")));

/* A number that only the page cache has is given again after a crash of the machine. */
TEST(each_line_is_on_the_disk)
{
    char path[] = "/tmp/gbflow-restarts-XXXXXX";
    struct restart_counter counter;
    close(mkstemp(path));
    synced = 0;
    restart_counter_open(&counter, path);
    assert_int_equal(synced, 1);
    restart_counter_close(&counter, true);
    assert_int_equal(synced, 2);
    unlink(path);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

TEST(a_run_without_contexts_is_followed_by_one_with_the_same_number)
{
    static const struct {
        const char *file; /* NULL: as the row before has left it, "": there is none */
        enum end end;
        int expect;
    } rows[] = {
        {"", FULL, 0},
        {NULL, FULL, 1},
        {NULL, EMPTY, 2},
        {NULL, EMPTY, 2},
        {NULL, KILLED, 2},
        {NULL, KILLED, 3},
        {NULL, FULL, 4},
        {NULL, EMPTY, 5},
        {"255", EMPTY, 0},
        {NULL, FULL, 0},
        {"254\n", KILLED, 255},
        {NULL, KILLED, 0},
        {"7 empt", KILLED, 8},
        {"7 emptyish\n", FULL, 8},
        {"7 empty\n", FULL, 8},
        {"7   empty\n", FULL, 7},
        {"300 empty\n", FULL, 45},
        {"empty\n", FULL, 0},
        {"\n", FULL, 0},
        {"9   empty and more than a line of this file has\n", FULL, 10},
        {NULL, FULL, 11},
    };
    char folder[] = "/tmp/gbflow-restarts-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/counter", folder);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].file && rows[i].file[0])
            put(path, rows[i].file);
        run(path, rows[i].end, rows[i].expect);
    }
    unlink(path);
    rmdir(folder);
}

TEST(a_file_that_had_more_has_one_line)
{
    static const char expect[] = "10  empty\n";
    char path[] = "/tmp/gbflow-restarts-XXXXXX", text[100] = "";
    FILE *file;
    close(mkstemp(path));
    put(path, "9   empty and more than a line of this file has\n8\n");
    run(path, EMPTY, 10);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof(text), file), sizeof(expect) - 1);
    assert_string_equal(text, expect);
    fclose(file);
    unlink(path);
}

/* A node gives up its rights behind its start. */
TEST(the_end_needs_no_right_to_open_the_file)
{
    char path[] = "/tmp/gbflow-restarts-XXXXXX", moved[64];
    struct restart_counter counter;
    close(mkstemp(path));
    put(path, "6\n");
    snprintf(moved, sizeof moved, "%s.moved", path);
    restart_counter_open(&counter, path);
    assert_int_equal(rename(path, moved), 0);
    restart_counter_close(&counter, true);
    assert_int_equal(access(path, F_OK), -1);
    run(moved, FULL, 7);
    unlink(moved);
}

TEST(without_a_file_nothing_is_kept)
{
    static const char *const paths[] = {"", "/nowhere/at/all", "/dev/null"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct restart_counter counter;
        restart_counter_open(&counter, paths[i]);
        assert_int_equal(counter.fd, -1);
        restart_counter_close(&counter, true);
    }
}

UNIT_MAIN(NULL, NULL)
