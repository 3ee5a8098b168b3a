/* SPDX-License-Identifier: BSD-3-Clause */
/* Result files in a folder of their own: absent or as before until they are complete. */
#include "control/base/whole_file.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gbflow-whole-XXXXXX";

static int enter(void **state)
{
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *path, const char *text)
{
    char octets[16] = "";
    FILE *file = fopen(path, "r");
    assert_int_equal(file != NULL, text != NULL);
    if (!file)
        return;
    octets[fread(octets, 1, sizeof(octets) - 1, file)] = 0;
    fclose(file);
    assert_string_equal(octets, text);
}

TEST(rows)
{
    static const struct {
        const char *before, *after; /* NULL: no file */
        bool is_ended; /* by whole_file_close(), else by the end of the process: nothing is closed */
    } all[] = {
        {NULL, NULL, false},
        {NULL, "new", true},
        {"old", "old", false},
        {"old", "new", true},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        if (all[i].before)
            put("x", all[i].before);
        FILE *file = whole_file_open("x");
        assert_non_null(file);
        fputs("new", file);
        fflush(file);
        expect("x", all[i].before);
        assert_int_equal(all[i].is_ended ? whole_file_close(file, "x") : fclose(file), 0);
        expect("x", all[i].after);
        unlink("x");
    }
}

TEST(the_mode_stays)
{
    struct stat of_x;
    put("x", "old");
    assert_int_equal(chmod("x", 0640), 0);
    assert_int_equal(whole_file_close(whole_file_open("x"), "x"), 0);
    assert_int_equal(stat("x", &of_x), 0);
    assert_int_equal(of_x.st_mode & 0777, 0640);
    unlink("x");
}

TEST(a_link_stays)
{
    struct stat of_link;
    put("x", "old");
    assert_int_equal(symlink("x", "link"), 0);
    FILE *file = whole_file_open("link");
    fputs("new", file);
    assert_int_equal(whole_file_close(file, "link"), 0);
    expect("x", "new");
    assert_int_equal(lstat("link", &of_link), 0);
    assert_true(S_ISLNK(of_link.st_mode));
    unlink("x");
    unlink("link");
}

/* Not the file that it leads to, nor a file that is no link. */
TEST(a_link_is_dropped)
{
    put("x", "old");
    assert_int_equal(symlink("x", "link"), 0);
    assert_int_equal(link("x", "hard"), 0);
    assert_true(whole_file_drop_link("link"));
    assert_true(whole_file_drop_link("hard"));
    expect("link", NULL);
    expect("hard", NULL);
    assert_true(whole_file_drop_link("x"));
    assert_true(whole_file_drop_link("nothing"));
    expect("x", "old");
    unlink("x");
}

TEST(devices_are_written_directly)
{
    struct stat of_null;
    assert_int_equal(whole_file_close(whole_file_open("/dev/null"), "/dev/null"), 0);
    assert_int_equal(stat("/dev/null", &of_null), 0);
    assert_true(S_ISCHR(of_null.st_mode));
    FILE *full = whole_file_open("/dev/full");
    fputs("new", full);
    assert_int_not_equal(whole_file_close(full, "/dev/full"), 0);
    assert_null(whole_file_open("no-folder/x"));
}

TEST(same_files)
{
    static const struct {
        const char *a, *b;
        bool is_same;
    } all[] = {
        {NULL, NULL, false},      {"x", NULL, false},
        {"x", "./x", true},       {"x", "y", false},
        {"new", "./new", true},   {"new", "new2", false},
        {"x", "hard", true},      {"/dev/null", "/dev/null", false},
        {"new", "../new", false}, {"a/new", "b/new", false},
    };
    put("x", "");
    put("y", "");
    assert_int_equal(link("x", "hard"), 0);
    for (size_t i = 0; i < COUNT(all); i++)
        assert_int_equal(whole_file_is_same(all[i].a, all[i].b), all[i].is_same);
    unlink("x");
    unlink("y");
    unlink("hard");
}

UNIT_MAIN(enter, leave)
