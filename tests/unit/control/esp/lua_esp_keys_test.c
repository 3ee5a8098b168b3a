/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a node's esp.keys may name. */
#include "tests/unit/unit.h"

#include "control/esp/lua_esp_keys.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER 65534 /* the number of the user nobody */
#define ONE(direction, spi, more)                                                                            \
    "{ name = 'a', direction = '" direction "', spi = " #spi ", from = '192.0.2.1', to = '192.0.2.2',"       \
    " suite = 'null-sha-256', auth = ('%064x'):format(" #spi ") " more " }"
#define SOME "return { sas = { " ONE("out", 256, "") " } }"
#define MORE                                                                                                 \
    "return { sas = { " ONE("out", 256, ", mode = 'tunnel', inner = 'ipv6', dscp = 46") ", " ONE(            \
        "in", 257, "") ", " ONE("in", 258, ", mode = 'tunnel', window = 64") " } }"

struct place {
    char folder[32], path[64], said[1024];
};

static void make_place(struct place *place)
{
    *place = (struct place){.folder = "/tmp/gbflow-keys-XXXXXX"};
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->path, sizeof(place->path), "%s/esp.keys", place->folder);
}

static void remove_place(const struct place *place)
{
    unlink(place->path);
    assert_int_equal(rmdir(place->folder), 0);
}

static void write_keys(const struct place *place, const char *text)
{
    int fd = open(place->path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* How many associations the file has, by a process of its own; -1: it is wrong. */
static int read_keys(struct place *place, const char *path, bool is_other)
{
    static struct esp_keys keys;
    struct esp_config config = {0};
    int ends[2], status;
    size_t octets = 0;
    ssize_t got;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        alarm(20); /* it must not wait */
        snprintf(config.keys, sizeof(config.keys), "%s", path);
        bool is_ready = !is_other || setuid(OTHER) == 0;
        _exit(is_ready && lua_esp_keys_load(&keys, &config, "", NULL) ? (int)keys.count : 255);
    }
    close(ends[1]);
    while ((got = read(ends[0], place->said + octets, sizeof(place->said) - 1 - octets)) > 0)
        octets += (size_t)got;
    place->said[octets] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static void assert_refused(struct place *place, const char *path, const char *why)
{
    char line[1024];
    assert_int_equal(read_keys(place, path, false), -1);
    snprintf(line, sizeof(line), "%s: %s\n", path, why);
    assert_string_equal(place->said, line);
}

#define NOT_REGULAR "esp.keys is not a regular file; name one with the associations, of mode 0600"

TEST_IN(a_file, struct place, place, make_place(place), remove_place(place))
{
    write_keys(place, SOME);
    assert_int_equal(read_keys(place, place->path, false), 1);
    assert_string_equal(place->said, "");
    assert_int_equal(chmod(place->path, 0640), 0);
    assert_refused(place, place->path,
                   "others may read or write the keys of ESP: chmod 600, and its owner is the node's user");
    unlink(place->path);
    assert_refused(place, place->path, "No such file or directory");
}

/* What is left out has the value that the docs say. */
TEST_IN(fields, struct place, place, make_place(place), remove_place(place))
{
    static struct esp_keys keys;
    struct esp_config config = {0};
    const struct esp_keys_sa *list = keys.list;
    write_keys(place, MORE);
    snprintf(config.keys, sizeof(config.keys), "%s", place->path);
    assert_true(lua_esp_keys_load(&keys, &config, "", NULL));
    assert_int_equal(keys.count, 3);
    assert_true(list[0].params.is_inner_ipv6 && list[0].params.is_tunnel && !list[0].params.copies_dscp);
    assert_int_equal(list[0].params.dscp, 46);
    assert_true(!list[1].params.is_inner_ipv6 && list[1].params.is_inbound && list[1].params.copies_dscp);
    assert_int_equal(list[1].params.window, 1024);
    assert_true(!list[2].params.is_inner_ipv6);
    assert_int_equal(list[2].params.window, 64);
    lua_esp_keys_forget(&keys);
}

/* A FIFO without a writer would hold the reader. */
TEST_IN(no_regular_file, struct place, place, make_place(place), remove_place(place))
{
    assert_int_equal(mkfifo(place->path, 0600), 0);
    assert_refused(place, place->path, NOT_REGULAR);
    assert_refused(place, place->folder, NOT_REGULAR);
    assert_refused(place, "/dev/zero", NOT_REGULAR);
}

TEST_IN(another_user, struct place, place, make_place(place), remove_place(place))
{
    char line[1024];
    const struct passwd *other = getpwuid(OTHER);
    if (geteuid() != 0 || !other) {
        remove_place(place);
        skip();
    }
    write_keys(place, SOME);
    assert_int_equal(chmod(place->folder, 0755), 0);
    assert_int_equal(read_keys(place, place->path, true), -1);
    snprintf(line, sizeof(line),
             "%s: Permission denied: gbflow reads esp.keys as user '%s'; chown %s %s, and let that user "
             "enter its folders\n",
             place->path, other->pw_name, other->pw_name, place->path);
    assert_string_equal(place->said, line);
}

UNIT_MAIN(NULL, NULL)
