/* SPDX-License-Identifier: BSD-3-Clause */
/* The socket of a process: greeting, tables by pages, orders, strange commands, clients that come and go,
 * names that are taken or left over, a process without descriptors, a file that is gone. */
#include "control/base/asker.h"
#include "control/show/process_find.h"
#include "control/show/telemetry_socket.h"
#include "control/report/field.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define ROWS      500
#define OCTETS    65536
#define CLIENTS   TELEMETRY_SOCKET_CLIENTS
#define OTHER_UID 65534
#define LOOK_NS   (MOMENT_SECOND / 2)
#define FOLLOWERS 5

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
static bool is_order_pending;

static const char *refuse(void *unused_record, const char *parameters)
{
    return parameters ? parameters : "refused";
}

static const char *do_it(void *unused_record, const char *unused_parameters)
{
    is_order_pending = true;
    return NULL;
}

static bool is_pending(const void *unused_record)
{
    return is_order_pending;
}

static int followers[CLIENTS];
static unsigned follower_count, left_count;

static const char *follow(void *unused_record, const char *unused_parameters, int fd)
{
    if (follower_count - left_count == FOLLOWERS)
        return "too many";
    followers[follower_count++] = fd;
    return NULL;
}

static void leave(void *unused_record, int unused_fd)
{
    left_count++;
}

static struct asker who_asked;

static const char *take_asker(void *unused_record, const char *unused_parameters, const struct asker *asker)
{
    who_asked = *asker;
    return NULL;
}

static json_t *tell(void *unused_record, const char *parameters)
{
    return json_pack("{s:[s]}", "of", parameters ? parameters : "none");
}

static const struct telemetry_order orders[] = {
    {.name = "follow", .follow = follow, .leave = leave},
    {.name = "refuse", .what = "Is refused", .act = refuse},
    {.name = "slow", .what = "Waits", .act = do_it, .is_pending = is_pending},
    {.name = "whose", .what = "Is for its asker", .act_for = take_asker},
    {.name = "tell", .what = "Tells", .tell = tell},
    {.name = NULL},
};
static const struct telemetry_source source = {.tables = tables, .record = rows, .orders = orders};

struct fixture {
    char folder[64];
    struct telemetry_socket socket;
    int64_t now;
};

static void step(struct fixture *f)
{
    telemetry_socket_step(&f->socket, f->now);
}

/* When the socket looks after itself. */
static void step_later(struct fixture *f)
{
    f->now += LOOK_NS;
    step(f);
}

static void begin(struct fixture *f)
{
    for (unsigned i = 0; i < ROWS; i++)
        rows[i] = (struct row){"a thing with a long name", i, 1};
    f->now = 0;
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
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/dpdk/bss/" TELEMETRY_SOCKET_FILE, f->folder);
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
    step(f);
    json_t *greeting = got(fd);
    assert_int_equal(json_integer_value(json_object_get(greeting, "max_output_len")), 16384);
    assert_int_equal(json_integer_value(json_object_get(greeting, "pid")), getpid());
    json_decref(greeting);
    return fd;
}

static json_t *ask(struct fixture *f, int fd, const char *command, size_t octets)
{
    assert_int_equal(send(fd, command, octets, 0), octets);
    step(f);
    return got(fd);
}

/* octets 0: of the text. */
static void check_answer(struct fixture *f, int fd, const char *command, size_t octets, const char *expected)
{
    json_t *answer = ask(f, fd, command, octets ? octets : strlen(command));
    char *text = json_dumps(answer, JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(answer);
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
    {(const char[9000]){"/gbflow/things"}, 9000,
     "{\"error\":\"a command of 9000 octets; at most 1023 are taken\"}"},
    {"\xff", 0, "{\"error\":\"the command is not UTF-8\"}"},
};

TEST_IN(answers_to_commands, struct fixture, f, begin(f), end(f))
{
    int fd = join_and_greet(f);
    for (size_t i = 0; i < COUNT(commands); i++)
        check_answer(f, fd, commands[i].command, commands[i].octets, commands[i].answer);
    close(fd);
}

/* The second client came early, and has asked since: the first one and the third one make room. */
TEST_IN(a_new_client_replaces_the_one_idle_longest, struct fixture, f, begin(f), end(f))
{
    static const char command[] = "/gbflow/things";
    int fds[CLIENTS], late[2];
    for (unsigned i = 0; i < CLIENTS; i++)
        fds[i] = join_and_greet(f);
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    json_decref(ask(f, fds[1], command, strlen(command)));
    for (unsigned i = 0; i < COUNT(late); i++)
        late[i] = join_and_greet(f);
    for (unsigned i = 0; i < CLIENTS; i++) {
        bool is_closed = recv(fds[i], &(char){0}, 1, 0) == 0;
        assert_int_equal(is_closed, i == 0 || i == 2);
    }
    for (unsigned i = 0; i < COUNT(late); i++) {
        json_t *answer = ask(f, late[i], command, strlen(command));
        assert_non_null(answer);
        json_decref(answer);
        close(late[i]);
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        close(fds[i]);
}

/* A question and a new client in one step: the question is answered first, and counts. */
TEST_IN(a_client_that_has_just_asked_is_not_idle, struct fixture, f, begin(f), end(f))
{
    static const char command[] = "/gbflow/things";
    int fds[CLIENTS], late;
    for (unsigned i = 0; i < CLIENTS; i++)
        fds[i] = join_and_greet(f);
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    late = join(f); /* before the question, so that its event comes first */
    assert_int_equal(send(fds[0], command, strlen(command), 0), strlen(command));
    step(f);
    json_t *answer = got(fds[0]), *greeting = got(late);
    assert_non_null(answer);
    assert_non_null(greeting);
    json_decref(answer);
    json_decref(greeting);
    assert_int_equal(recv(fds[0], &(char){0}, 1, 0), -1); /* still open */
    assert_int_equal(recv(fds[1], &(char){0}, 1, 0), 0);
    close(late);
    for (unsigned i = 0; i < CLIENTS; i++)
        close(fds[i]);
}

/* Its answers fill the socket's buffer: the process does not wait, and others are answered. */
TEST_IN(a_client_that_does_not_read_is_closed, struct fixture, f, begin(f), end(f))
{
    static const char command[] = "/gbflow/table/things,0";
    int slow = join_and_greet(f), other;
    for (unsigned i = 0; i < 1000; i++) {
        send(slow, command, strlen(command), MSG_NOSIGNAL);
        step(f);
    }
    assert_true(send(slow, command, strlen(command), MSG_NOSIGNAL) < 0);
    other = join_and_greet(f);
    json_decref(ask(f, other, command, strlen(command)));
    close(slow);
    close(other);
}

static const struct {
    const char *command, *answer;
} wanted[] = {
    {"/gbflow/refuse", "{\"/gbflow/refuse\":{\"result\":\"refused\"}}"},
    {"/gbflow/refuse,a,b", "{\"/gbflow/refuse\":{\"result\":\"a,b\"}}"},
    {"/gbflow/table/refuse", "{\"/gbflow/table/refuse\":null}"},
    {"/gbflow/tell", "{\"/gbflow/tell\":{\"of\":[\"none\"]}}"},
    {"/gbflow/tell,a", "{\"/gbflow/tell\":{\"of\":[\"a\"]}}"},
    {"/gbflow/table/tell", "{\"/gbflow/table/tell\":null}"},
};

TEST_IN(orders_are_carried_out, struct fixture, f, begin(f), end(f))
{
    int fd = join_and_greet(f);
    for (size_t i = 0; i < COUNT(wanted); i++)
        check_answer(f, fd, wanted[i].command, 0, wanted[i].answer);
    close(fd);
}

/* Whether the caller's loop would call the socket at once. */
static bool is_ready(const struct fixture *f)
{
    return poll(&(struct pollfd){.fd = f->socket.fd, .events = POLLIN}, 1, 0) == 1;
}

/* Meanwhile others are answered, a further question waits, and the loop is not kept busy. */
TEST_IN(an_order_knows_its_asker, struct fixture, f, begin(f), end(f))
{
    int fd = join_and_greet(f);
    who_asked = (struct asker){0};
    check_answer(f, fd, "/gbflow/whose", 0, "{\"/gbflow/whose\":{\"result\":\"ok\"}}");
    assert_true(who_asked.is_known);
    assert_int_equal(who_asked.uid, getuid());
    assert_int_equal(who_asked.pid, getpid());
    close(fd);
}

TEST_IN(an_answer_to_an_order_waits_until_it_is_done, struct fixture, f, begin(f), end(f))
{
    int fd = join_and_greet(f), gone = join_and_greet(f), other = join_and_greet(f);
    assert_null(ask(f, fd, "/gbflow/slow", strlen("/gbflow/slow")));
    assert_null(ask(f, gone, "/gbflow/slow,", strlen("/gbflow/slow,")));
    assert_null(ask(f, fd, "/gbflow/refuse", strlen("/gbflow/refuse")));
    check_answer(f, other, "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close(gone);
    step(f);
    assert_false(is_ready(f));
    is_order_pending = false;
    step(f);
    json_t *answer = got(fd), *result = json_object_get(answer, "/gbflow/slow");
    assert_string_equal(json_string_value(json_object_get(result, "result")), "ok");
    json_decref(answer);
    step(f);
    json_decref(answer = got(fd)); /* of the question that has waited */
    assert_non_null(answer);
    close(fd);
    close(other);
}

static void close_all(const int *fds, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        close(fds[i]);
}

#define MANY (2 * CLIENTS)

TEST_IN(many_idle_clients_keep_none_out, struct fixture, f, begin(f), end(f))
{
    int fds[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        fds[i] = join(f);
        f->now += i == CLIENTS ? TELEMETRY_SOCKET_IDLE_NS : 0;
        step(f);
    }
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    int fd = join_and_greet(f);
    check_answer(f, fd, "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close(fd);
    close_all(fds, MANY);
}

#define AT_ONCE 40

/* All come, and only then ask: none makes room for another. */
TEST_IN(forty_at_once_are_answered, struct fixture, f, begin(f), end(f))
{
    int fds[AT_ONCE];
    for (unsigned i = 0; i < AT_ONCE; i++)
        fds[i] = join_and_greet(f);
    for (unsigned i = 0; i < AT_ONCE; i++)
        check_answer(f, fds[i], "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close_all(fds, AT_ONCE);
}

static void check_turned_away(struct fixture *f, int fd)
{
    step(f);
    json_t *answer = got(fd);
    assert_string_equal(json_string_value(json_object_get(answer, "error")), "busy: 64 clients");
    json_decref(answer);
    assert_int_equal(recv(fd, &(char){0}, 1, 0), 0);
    close(fd);
}

TEST_IN(one_too_many_is_told_so, struct fixture, f, begin(f), end(f))
{
    int fds[CLIENTS];
    for (unsigned i = 0; i < CLIENTS; i++)
        fds[i] = join_and_greet(f);
    check_turned_away(f, join(f));
    check_answer(f, fds[0], "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close_all(fds, CLIENTS);
}

/* A client of another user, which may only read. */
static int join_as_other(const struct fixture *f)
{
    assert_int_equal(seteuid(OTHER_UID), 0);
    int fd = join(f);
    assert_int_equal(seteuid(0), 0);
    return fd;
}

static void let_others_in(const struct fixture *f)
{
    char path[sizeof(f->socket.path)];
    strcpy(path, f->socket.path);
    chmod(path, 0777);
    for (char *end; strlen(path) > strlen(f->folder) && (end = strrchr(path, '/')); chmod(path, 0777))
        *end = '\0';
}

/* Readers who ask all the time keep neither root nor the process's user out, and take no place of theirs. */
TEST_IN(a_reader_makes_room_for_one_who_acts, struct fixture, f, begin(f), end(f))
{
    int fds[CLIENTS];
    if (geteuid() != 0)
        skip();
    let_others_in(f);
    for (unsigned i = 0; i < CLIENTS; i++) {
        fds[i] = join_as_other(f);
        step(f);
    }
    check_turned_away(f, join_as_other(f));
    int fd = join_and_greet(f);
    assert_non_null(got(fds[0])); /* the greeting */
    assert_int_equal(recv(fds[0], &(char){0}, 1, 0), 0);
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    for (unsigned i = 1; i < CLIENTS; i++)
        json_decref(ask(f, fds[i], "/gbflow/tell", strlen("/gbflow/tell")));
    check_turned_away(f, join_as_other(f));
    check_answer(f, fd, "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close(fd);
    close_all(fds, CLIENTS);
}

/* Takes away what the process has free; returns the limit before. */
static struct rlimit take_descriptors(void)
{
    struct rlimit before, none;
    int next = dup(STDERR_FILENO);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    return before;
}

/* Who comes meanwhile waits, and the loop is not kept busy. */
TEST_IN(a_client_waits_for_a_descriptor, struct fixture, f, begin(f), end(f))
{
    int fd = join(f);
    struct rlimit before = take_descriptors();
    step(f);
    step_later(f);
    step(f);
    assert_false(is_ready(f));
    assert_null(got(fd));
    setrlimit(RLIMIT_NOFILE, &before);
    step_later(f);
    step(f);
    json_t *greeting = got(fd);
    assert_non_null(greeting);
    json_decref(greeting);
    close(fd);
}

TEST_IN(an_idle_client_leaves_its_descriptor, struct fixture, f, begin(f), end(f))
{
    int idle = join_and_greet(f), fd = join(f);
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    struct rlimit before = take_descriptors();
    step(f);
    setrlimit(RLIMIT_NOFILE, &before);
    json_t *greeting = got(fd);
    assert_non_null(greeting);
    assert_int_equal(recv(idle, &(char){0}, 1, 0), 0);
    json_decref(greeting);
    close(idle);
    close(fd);
}

TEST_IN(a_socket_without_a_file_is_opened_again, struct fixture, f, begin(f), end(f))
{
    int before = join_and_greet(f);
    assert_int_equal(unlink(f->socket.path), 0);
    assert_int_equal(join(f), -1);
    step_later(f);
    int fd = join_and_greet(f);
    check_answer(f, before, "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close(before);
    close(fd);
}

/* The first one leaves it alone, says so once, and has its name again when the second one has ended. */
TEST_IN(a_file_of_another_process_stays, struct fixture, f, begin(f), end(f))
{
    char text[2000] = "", path[sizeof(f->socket.path) + 8];
    struct fixture second = *f;
    assert_int_equal(unlink(f->socket.path), 0);
    assert_true(telemetry_socket_open(&second.socket, "bss", &source));
    snprintf(path, sizeof(path), "%s/said", f->folder);
    int out = open(path, O_RDWR | O_CREAT, 0600), saved = dup(STDERR_FILENO);
    assert_int_equal(dup2(out, STDERR_FILENO), STDERR_FILENO);
    for (unsigned i = 0; i < 3; i++)
        step_later(f);
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_true(pread(out, text, sizeof(text) - 1, 0) > 0);
    close(out);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    close(join_and_greet(&second));
    telemetry_socket_close(&second.socket);
    step_later(f);
    close(join_and_greet(f));
}

/* The second one takes it over when the first one has ended. */
TEST_IN(a_name_has_one_process, struct fixture, f, begin(f), end(f))
{
    struct telemetry_socket second;
    assert_true(telemetry_socket_open(&second, "bss", &source));
    assert_int_equal(second.listener, -1);
    telemetry_socket_step(&second, f->now);
    int fd = join_and_greet(f); /* the first one is there as before */
    close(fd);
    telemetry_socket_close(&f->socket);
    telemetry_socket_step(&second, f->now + LOOK_NS);
    f->socket = second;
    fd = join_and_greet(f);
    close(fd);
    assert_true(telemetry_socket_open(&second, "other", &source));
    assert_true(second.listener >= 0);
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
    close(join_and_greet(f));
    telemetry_socket_close(&f->socket);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* --- clients that follow --- */

static void begin_to_follow(struct fixture *f, int fds[FOLLOWERS])
{
    follower_count = left_count = 0;
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        fds[i] = join_and_greet(f);
        json_t *answer = ask(f, fds[i], "/gbflow/follow,x", 16);
        assert_string_equal(
            json_string_value(json_object_get(json_object_get(answer, "/gbflow/follow"), "result")), "ok");
        json_decref(answer);
    }
}

TEST_IN(followers_stay_while_others_come, struct fixture, f, begin(f), end(f))
{
    int fds[FOLLOWERS];
    begin_to_follow(f, fds);
    for (unsigned i = 0; i < 3 * CLIENTS; i++) {
        int fd = join_and_greet(f);
        json_t *answer = ask(f, fd, "/gbflow/follow", 14);
        assert_string_equal(
            json_string_value(json_object_get(json_object_get(answer, "/gbflow/follow"), "result")),
            "too many");
        json_decref(answer);
        close(fd);
    }
    assert_int_equal(left_count, 0);
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        char text[8];
        assert_int_equal(send(followers[i], "line", 4, 0), 4);
        assert_int_equal(recv(fds[i], text, sizeof(text), 0), 4);
        close(fds[i]);
    }
    step(f);
    step(f);
    assert_int_equal(left_count, FOLLOWERS);
}

TEST_IN(a_follower_that_speaks_is_closed, struct fixture, f, begin(f), end(f))
{
    int fds[FOLLOWERS];
    char text[8];
    begin_to_follow(f, fds);
    assert_int_equal(send(fds[0], "/gbflow/things", 14, 0), 14);
    step(f);
    assert_int_equal(recv(fds[0], text, sizeof(text), 0), 0);
    assert_int_equal(left_count, 1);
    telemetry_socket_close(&f->socket);
    assert_int_equal(left_count, FOLLOWERS);
    for (unsigned i = 0; i < FOLLOWERS; i++)
        close(fds[i]);
}

/* --- processes that run --- */

TEST_IN(processes_are_found, struct fixture, f, begin(f), end(f))
{
    struct process_found found[PROCESS_FIND_MOST];
    struct telemetry_socket other;
    char path[128];
    assert_int_equal(process_find("node", found, 0) + process_find("*", found, 0), 0);
    assert_int_equal(process_find(NULL, found, 0), 1);
    assert_string_equal(found[0].name, "bss");
    assert_string_equal(found[0].kind, ""); /* nothing has stepped */
    assert_true(telemetry_socket_open(&other, "node", &source));
    assert_int_equal(process_find(NULL, found, 0), 2);
    assert_int_equal(process_find("node", found, 0), 1);
    snprintf(path, sizeof(path), "%s/dpdk/node/" TELEMETRY_SOCKET_FILE, f->folder);
    assert_string_equal(found[0].path, path);
    close(other.listener); /* as if it had been killed: the file stays */
    other.listener = -1;
    assert_int_equal(process_find(NULL, found, 0), 1);
    telemetry_socket_close(&other);
}

TEST_IN(names_that_are_none, struct fixture, f, begin(f), end(f))
{
    char name[300];
    struct telemetry_socket s;
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    const char *const bad[][2] = {{name, f->folder}, {"../bss", f->folder}, {"bss", "/dev/null"}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        setenv("RUNTIME_DIRECTORY", bad[i][1], 1);
        assert_true(telemetry_socket_open(&s, bad[i][0], &source));
        assert_int_equal(s.listener, -1);
        telemetry_socket_close(&s);
    }
    setenv("RUNTIME_DIRECTORY", f->folder, 1);
}

UNIT_MAIN(NULL, NULL)
