/* SPDX-License-Identifier: BSD-3-Clause */
/* The socket of a process: greeting, tables by pages, orders, strange commands, clients that come and go. */
#include "control/base/asker.h"
#include "control/report/field.h"
#include "tests/unit/control/show/socket_rig.h"

#include <sys/stat.h>

#define ROWS      500
#define CLIENTS   TELEMETRY_SOCKET_CLIENTS
#define OTHER_UID 65534
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

static void begin(struct socket_rig *f)
{
    for (unsigned i = 0; i < ROWS; i++)
        rows[i] = (struct row){"a thing with a long name", i, 1};
    socket_rig_open(f, &source);
}

TEST_IN(all_rows_come_in_pages, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fd = socket_rig_greet(f);
    unsigned seen = 0, pages = 0;
    for (size_t count = 1; count > 0; pages++) {
        char command[64];
        snprintf(command, sizeof(command), "/gbflow/table/things,%u", seen);
        json_t *answer = socket_rig_ask(f, fd, command, strlen(command));
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

TEST_IN(answers_to_commands, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fd = socket_rig_greet(f);
    for (size_t i = 0; i < COUNT(commands); i++)
        socket_rig_check(f, fd, commands[i].command, commands[i].octets, commands[i].answer);
    close(fd);
}

/* The second client came early, and has asked since: the first one and the third one make room. */
TEST_IN(a_new_client_replaces_the_one_idle_longest, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    static const char command[] = "/gbflow/things";
    int fds[CLIENTS], late[2];
    for (unsigned i = 0; i < CLIENTS; i++)
        fds[i] = socket_rig_greet(f);
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    json_decref(socket_rig_ask(f, fds[1], command, strlen(command)));
    for (unsigned i = 0; i < COUNT(late); i++)
        late[i] = socket_rig_greet(f);
    for (unsigned i = 0; i < CLIENTS; i++) {
        bool is_closed = recv(fds[i], &(char){0}, 1, 0) == 0;
        assert_int_equal(is_closed, i == 0 || i == 2);
    }
    for (unsigned i = 0; i < COUNT(late); i++) {
        json_t *answer = socket_rig_ask(f, late[i], command, strlen(command));
        assert_non_null(answer);
        json_decref(answer);
        close(late[i]);
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        close(fds[i]);
}

/* A question and a new client in one step: the question is answered first, and counts. */
TEST_IN(a_client_that_has_just_asked_is_not_idle, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    static const char command[] = "/gbflow/things";
    int fds[CLIENTS], late;
    for (unsigned i = 0; i < CLIENTS; i++)
        fds[i] = socket_rig_greet(f);
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    late = socket_rig_join(f); /* before the question, so that its event comes first */
    assert_int_equal(send(fds[0], command, strlen(command), 0), strlen(command));
    socket_rig_step(f);
    json_t *answer = socket_rig_got(fds[0]), *greeting = socket_rig_got(late);
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
TEST_IN(a_client_that_does_not_read_is_closed, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    static const char command[] = "/gbflow/table/things,0";
    int slow = socket_rig_greet(f), other;
    for (unsigned i = 0; i < 1000; i++) {
        send(slow, command, strlen(command), MSG_NOSIGNAL);
        socket_rig_step(f);
    }
    assert_true(send(slow, command, strlen(command), MSG_NOSIGNAL) < 0);
    other = socket_rig_greet(f);
    json_decref(socket_rig_ask(f, other, command, strlen(command)));
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

TEST_IN(orders_are_carried_out, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fd = socket_rig_greet(f);
    for (size_t i = 0; i < COUNT(wanted); i++)
        socket_rig_check(f, fd, wanted[i].command, 0, wanted[i].answer);
    close(fd);
}

/* Meanwhile others are answered, a further question waits, and the loop is not kept busy. */
TEST_IN(an_order_knows_its_asker, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fd = socket_rig_greet(f);
    who_asked = (struct asker){0};
    socket_rig_check(f, fd, "/gbflow/whose", 0, "{\"/gbflow/whose\":{\"result\":\"ok\"}}");
    assert_true(who_asked.is_known);
    assert_int_equal(who_asked.uid, getuid());
    assert_int_equal(who_asked.pid, getpid());
    close(fd);
}

TEST_IN(an_answer_to_an_order_waits_until_it_is_done, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fd = socket_rig_greet(f), gone = socket_rig_greet(f), other = socket_rig_greet(f);
    assert_null(socket_rig_ask(f, fd, "/gbflow/slow", strlen("/gbflow/slow")));
    assert_null(socket_rig_ask(f, gone, "/gbflow/slow,", strlen("/gbflow/slow,")));
    assert_null(socket_rig_ask(f, fd, "/gbflow/refuse", strlen("/gbflow/refuse")));
    socket_rig_check(f, other, "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close(gone);
    socket_rig_step(f);
    assert_false(socket_rig_is_ready(f));
    is_order_pending = false;
    socket_rig_step(f);
    json_t *answer = socket_rig_got(fd), *result = json_object_get(answer, "/gbflow/slow");
    assert_string_equal(json_string_value(json_object_get(result, "result")), "ok");
    json_decref(answer);
    socket_rig_step(f);
    json_decref(answer = socket_rig_got(fd)); /* of the question that has waited */
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

TEST_IN(many_idle_clients_keep_none_out, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fds[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        fds[i] = socket_rig_join(f);
        f->now += i == CLIENTS ? TELEMETRY_SOCKET_IDLE_NS : 0;
        socket_rig_step(f);
    }
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    int fd = socket_rig_greet(f);
    socket_rig_check(f, fd, "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close(fd);
    close_all(fds, MANY);
}

#define AT_ONCE 40

/* All come, and only then ask: none makes room for another. */
TEST_IN(forty_at_once_are_answered, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fds[AT_ONCE];
    for (unsigned i = 0; i < AT_ONCE; i++)
        fds[i] = socket_rig_greet(f);
    for (unsigned i = 0; i < AT_ONCE; i++)
        socket_rig_check(f, fds[i], "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close_all(fds, AT_ONCE);
}

static void check_turned_away(struct socket_rig *f, int fd)
{
    socket_rig_step(f);
    json_t *answer = socket_rig_got(fd);
    assert_string_equal(json_string_value(json_object_get(answer, "error")), "busy: 64 clients");
    json_decref(answer);
    assert_int_equal(recv(fd, &(char){0}, 1, 0), 0);
    close(fd);
}

TEST_IN(one_too_many_is_told_so, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fds[CLIENTS];
    for (unsigned i = 0; i < CLIENTS; i++)
        fds[i] = socket_rig_greet(f);
    check_turned_away(f, socket_rig_join(f));
    socket_rig_check(f, fds[0], "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close_all(fds, CLIENTS);
}

/* A client of another user, which may only read. */
static int join_as_other(const struct socket_rig *f)
{
    assert_int_equal(seteuid(OTHER_UID), 0);
    int fd = socket_rig_join(f);
    assert_int_equal(seteuid(0), 0);
    return fd;
}

static void let_others_in(const struct socket_rig *f)
{
    char path[sizeof(f->socket.path)];
    strcpy(path, f->socket.path);
    chmod(path, 0777);
    for (char *end; strlen(path) > strlen(f->folder) && (end = strrchr(path, '/')); chmod(path, 0777))
        *end = '\0';
}

/* Readers who ask all the time keep neither root nor the process's user out, and take no place of theirs. */
TEST_IN(a_reader_makes_room_for_one_who_acts, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fds[CLIENTS];
    if (geteuid() != 0) {
        print_message("a client of another user needs root\n");
        skip();
    }
    let_others_in(f);
    for (unsigned i = 0; i < CLIENTS; i++) {
        fds[i] = join_as_other(f);
        socket_rig_step(f);
    }
    check_turned_away(f, join_as_other(f));
    int fd = socket_rig_greet(f);
    json_t *greeting = socket_rig_got(fds[0]);
    assert_non_null(greeting);
    json_decref(greeting);
    assert_int_equal(recv(fds[0], &(char){0}, 1, 0), 0);
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    for (unsigned i = 1; i < CLIENTS; i++)
        json_decref(socket_rig_ask(f, fds[i], "/gbflow/tell", strlen("/gbflow/tell")));
    check_turned_away(f, join_as_other(f));
    socket_rig_check(f, fd, "/gbflow/things", 0, "{\"/gbflow/things\":{\"rows\":500}}");
    close(fd);
    close_all(fds, CLIENTS);
}

/* --- clients that follow --- */

static void begin_to_follow(struct socket_rig *f, int fds[FOLLOWERS])
{
    follower_count = left_count = 0;
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        fds[i] = socket_rig_greet(f);
        json_t *answer = socket_rig_ask(f, fds[i], "/gbflow/follow,x", 16);
        assert_string_equal(
            json_string_value(json_object_get(json_object_get(answer, "/gbflow/follow"), "result")), "ok");
        json_decref(answer);
    }
}

TEST_IN(followers_stay_while_others_come, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fds[FOLLOWERS];
    begin_to_follow(f, fds);
    for (unsigned i = 0; i < 3 * CLIENTS; i++) {
        int fd = socket_rig_greet(f);
        json_t *answer = socket_rig_ask(f, fd, "/gbflow/follow", 14);
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
    socket_rig_step(f);
    socket_rig_step(f);
    assert_int_equal(left_count, FOLLOWERS);
}

TEST_IN(a_follower_that_speaks_is_closed, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fds[FOLLOWERS];
    char text[8];
    begin_to_follow(f, fds);
    assert_int_equal(send(fds[0], "/gbflow/things", 14, 0), 14);
    socket_rig_step(f);
    assert_int_equal(recv(fds[0], text, sizeof(text), 0), 0);
    assert_int_equal(left_count, 1);
    telemetry_socket_close(&f->socket);
    assert_int_equal(left_count, FOLLOWERS);
    for (unsigned i = 0; i < FOLLOWERS; i++)
        close(fds[i]);
}

UNIT_MAIN(NULL, NULL)
