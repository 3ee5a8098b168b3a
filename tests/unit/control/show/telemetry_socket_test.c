/* SPDX-License-Identifier: BSD-3-Clause */
/* The telemetry socket without DPDK: greeting, tables by pages, strange commands, clients that come and go,
 * names that are taken or left over. */
#include "control/show/telemetry_socket.h"
#include "control/report/field.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define ROWS   500
#define OCTETS 65536

struct row {
    const char *name;
    uint64_t count, level;
};

static void each(const void *record, struct field_sink *sink)
{
    const struct row *rows = record;
    for (unsigned i = 0; i < ROWS; i++)
        if (field_wants(sink))
            field_put(sink, NULL, &rows[i]);
}

static const struct field rows_fields[] = {
    FIELD(struct row, LABEL, "name", "", name, "Name."),
    FIELD(struct row, COUNTER, "count", "events", count, "Count."),
    FIELD(struct row, GAUGE, "level", "octets", level, "Level."),
    FIELD_END,
};
static const struct field tables[] = {
    FIELD_INSIDE(LIST, "things", 0, rows_fields, "Things.", .each = each),
    FIELD_END,
};

static struct row rows[ROWS];
static const struct telemetry_source source = {.tables = tables, .record = rows};

struct fixture {
    char folder[64];
    struct telemetry_socket socket;
};

static void begin(struct fixture *f)
{
    for (unsigned i = 0; i < ROWS; i++)
        rows[i] = (struct row){"a thing with a long name", i, 1};
    strcpy(f->folder, "/tmp/gbflow-socket-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    setenv("RUNTIME_DIRECTORY", f->folder, 1);
    assert_true(telemetry_socket_open(&f->socket, "bss", &source));
}

static void end(struct fixture *f)
{
    char command[128];
    telemetry_socket_close(&f->socket);
    snprintf(command, sizeof(command), "rm -r %s", f->folder);
    assert_int_equal(system(command), 0);
}

static int join(const struct fixture *f)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/dpdk/bss/dpdk_telemetry.v2", f->folder);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    close(fd);
    return -1;
}

/* What the client has got; NULL: nothing, or its end. */
static json_t *got(int fd)
{
    static char answer[OCTETS];
    ssize_t octets = recv(fd, answer, sizeof(answer), 0);
    return octets > 0 ? json_loadb(answer, (size_t)octets, 0, NULL) : NULL;
}

/* A client that has read its greeting. */
static int join_and_greet(struct fixture *f)
{
    int fd = join(f);
    assert_true(fd >= 0);
    telemetry_socket_step(&f->socket);
    json_t *greeting = got(fd);
    assert_int_equal(json_integer_value(json_object_get(greeting, "max_output_len")), 16384);
    assert_int_equal(json_integer_value(json_object_get(greeting, "pid")), getpid());
    json_decref(greeting);
    return fd;
}

static json_t *ask(struct fixture *f, int fd, const char *command, size_t octets)
{
    assert_int_equal(send(fd, command, octets, 0), octets);
    telemetry_socket_step(&f->socket);
    return got(fd);
}

TEST_IN(all_rows_come_in_pages, struct fixture, f, begin(f), end(f))
{
    int fd = join_and_greet(f);
    unsigned seen = 0, pages = 0;
    for (size_t count = 1; count > 0; pages++) {
        char command[64];
        snprintf(command, sizeof(command), "/gbflow/table/things,%u", seen);
        json_t *answer = ask(f, fd, command, strlen(command));
        const json_t *list = json_object_get(answer, "/gbflow/table/things");
        assert_string_equal(json_string_value(json_array_get(json_array_get(list, 0), 1)), "count");
        assert_string_equal(json_string_value(json_array_get(json_array_get(list, 1), 1)), "n");
        count = json_array_size(list) - 2;
        for (size_t i = 0; i < count; i++, seen++)
            assert_int_equal(atoi(json_string_value(json_array_get(json_array_get(list, i + 2), 1))), seen);
        json_decref(answer);
    }
    assert_int_equal(seen, ROWS);
    assert_true(pages > 2);
    close(fd);
}

static const struct {
    const char *command;
    size_t octets; /* 0: of the text */
    const char *answer;
} commands[] = {
    {"/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}"},
    {"/gbflow/things,7", 0,
     "{\"/gbflow/things\":{\"name\":\"a thing with a long name\",\"count\":7,\"level\":1}}"},
    {"/gbflow/things,500", 0, "{\"/gbflow/things\":{}}"},
    {"/gbflow/things,x", 0,
     "{\"/gbflow/things\":{\"name\":\"a thing with a long name\",\"count\":0,\"level\":1}}"},
    {"/gbflow/table/other,0", 0, "{\"/gbflow/table/other\":null}"},
    {"/", 0, "{\"/\":null}"},
    {"/gbflow/", 0, "{\"/gbflow/\":null}"},
    {"/gbflow/things\0more", 19, "{\"/gbflow/things\":{\"rows\":500}}"},
    {"\xff", 0, "{\"error\":\"the command is not UTF-8\"}"},
};

TEST_IN(answers_to_commands, struct fixture, f, begin(f), end(f))
{
    int fd = join_and_greet(f);
    for (size_t i = 0; i < COUNT(commands); i++) {
        size_t octets = commands[i].octets ? commands[i].octets : strlen(commands[i].command);
        json_t *answer = ask(f, fd, commands[i].command, octets);
        char *text = json_dumps(answer, JSON_COMPACT);
        assert_string_equal(text, commands[i].answer);
        free(text);
        json_decref(answer);
    }
    close(fd);
}

/* The second client came early, and has asked since: the first one and the third one make room. */
TEST_IN(a_new_client_replaces_the_one_idle_longest, struct fixture, f, begin(f), end(f))
{
    static const char command[] = "/gbflow/things";
    int fds[TELEMETRY_SOCKET_CLIENTS], late[2];
    for (unsigned i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++)
        fds[i] = join_and_greet(f);
    json_decref(ask(f, fds[1], command, strlen(command)));
    for (unsigned i = 0; i < COUNT(late); i++)
        late[i] = join_and_greet(f);
    for (unsigned i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++) {
        bool is_closed = recv(fds[i], &(char){0}, 1, 0) == 0;
        assert_int_equal(is_closed, i == 0 || i == 2);
    }
    for (unsigned i = 0; i < COUNT(late); i++) {
        json_t *answer = ask(f, late[i], command, strlen(command));
        assert_non_null(answer);
        json_decref(answer);
        close(late[i]);
    }
    for (unsigned i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++)
        close(fds[i]);
}

/* A question and a new client in one step: the question is answered first, and counts. */
TEST_IN(a_client_that_has_just_asked_is_not_idle, struct fixture, f, begin(f), end(f))
{
    static const char command[] = "/gbflow/things";
    int fds[TELEMETRY_SOCKET_CLIENTS], late;
    for (unsigned i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++)
        fds[i] = join_and_greet(f);
    late = join(f); /* before the question, so that its event comes first */
    assert_int_equal(send(fds[0], command, strlen(command), 0), strlen(command));
    telemetry_socket_step(&f->socket);
    json_t *answer = got(fds[0]), *greeting = got(late);
    assert_non_null(answer);
    assert_non_null(greeting);
    json_decref(answer);
    json_decref(greeting);
    assert_int_equal(recv(fds[0], &(char){0}, 1, 0), -1); /* still open */
    assert_int_equal(recv(fds[1], &(char){0}, 1, 0), 0);
    close(late);
    for (unsigned i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++)
        close(fds[i]);
}

/* Its answers fill the socket's buffer: the process does not wait, and others are answered. */
TEST_IN(a_client_that_does_not_read_is_closed, struct fixture, f, begin(f), end(f))
{
    static const char command[] = "/gbflow/table/things,0";
    int slow = join_and_greet(f), other;
    for (unsigned i = 0; i < 1000; i++) {
        send(slow, command, strlen(command), MSG_NOSIGNAL);
        telemetry_socket_step(&f->socket);
    }
    assert_true(send(slow, command, strlen(command), MSG_NOSIGNAL) < 0);
    other = join_and_greet(f);
    json_decref(ask(f, other, command, strlen(command)));
    close(slow);
    close(other);
}

TEST_IN(a_name_has_one_process, struct fixture, f, begin(f), end(f))
{
    struct telemetry_socket second;
    assert_false(telemetry_socket_open(&second, "bss", &source));
    assert_int_equal(second.fd, -1);
    telemetry_socket_close(&second);
    int fd = join_and_greet(f); /* the first one is there as before */
    close(fd);
    assert_true(telemetry_socket_open(&second, "other", &source));
    telemetry_socket_close(&second);
}

TEST_IN(the_folder_is_the_users_alone, struct fixture, f, begin(f), end(f))
{
    char folder[sizeof(f->socket.path)];
    struct stat of_folder;
    strcpy(folder, f->socket.path);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(stat(folder, &of_folder), 0);
    assert_int_equal(of_folder.st_mode & 0777, 0700);
}

/* As after SIGKILL: the file is there, and no process listens. */
TEST_IN(a_left_socket_is_replaced, struct fixture, f, begin(f), end(f))
{
    char path[sizeof(f->socket.path)];
    strcpy(path, f->socket.path);
    f->socket.path[0] = '\0';
    telemetry_socket_close(&f->socket);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(join(f), -1);
    assert_true(telemetry_socket_open(&f->socket, "bss", &source));
    int fd = join_and_greet(f);
    close(fd);
    telemetry_socket_close(&f->socket);
    assert_int_not_equal(access(path, F_OK), 0);
}

static const struct {
    const char *name;
    bool is_good;
} wishes[] = {
    {"emulate", true},
    {"gbflow-lab-bss", true},
    {"_9", true},
    {"x23456789012345678901234567890", true},
    {"x234567890123456789012345678901", false},
    {"", false},
    {".", false},
    {"..", false},
    {"a.b", false},
    {"-x", false},
    {"a b", false},
    {"a/b", false},
    {"a\n", false},
    {"\x1b[2J", false},
    {"\xc3\xa4", false},
};

TEST(names_of_processes)
{
    for (size_t i = 0; i < COUNT(wishes); i++)
        assert_int_equal(telemetry_socket_is_name(wishes[i].name), wishes[i].is_good);
}

TEST_IN(names_that_are_none, struct fixture, f, begin(f), end(f))
{
    char name[300];
    struct telemetry_socket s;
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    assert_false(telemetry_socket_open(&s, name, &source));
    assert_false(telemetry_socket_open(&s, "../bss", &source));
    setenv("RUNTIME_DIRECTORY", "/dev/null", 1);
    assert_false(telemetry_socket_open(&s, "bss", &source));
    telemetry_socket_close(&s);
    setenv("RUNTIME_DIRECTORY", f->folder, 1);
}

UNIT_MAIN(NULL, NULL)
