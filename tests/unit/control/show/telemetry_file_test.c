/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a process's socket: names that are taken or left over, a process without descriptors, a file
 * that is gone. */
#include "control/report/field.h"
#include "control/show/process_find.h"
#include "tests/unit/control/show/socket_rig.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static json_t *tell(void *unused_record, const char *parameters)
{
    return json_pack("{s:[s]}", "of", parameters ? parameters : "none");
}

static const struct field tables[] = {FIELD_END};
static const struct telemetry_order orders[] = {{.name = "tell", .what = "Tells", .tell = tell},
                                                {.name = NULL}};
static const struct telemetry_source source = {.tables = tables, .orders = orders};

static void begin(struct socket_rig *f)
{
    socket_rig_open(f, &source);
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
TEST_IN(a_client_waits_for_a_descriptor, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int fd = socket_rig_join(f);
    struct rlimit before = take_descriptors();
    socket_rig_step(f);
    socket_rig_step_later(f);
    socket_rig_step(f);
    assert_false(socket_rig_is_ready(f));
    assert_null(socket_rig_got(fd));
    setrlimit(RLIMIT_NOFILE, &before);
    socket_rig_step_later(f);
    socket_rig_step(f);
    json_t *greeting = socket_rig_got(fd);
    assert_non_null(greeting);
    json_decref(greeting);
    close(fd);
}

TEST_IN(an_idle_client_leaves_its_descriptor, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int idle = socket_rig_greet(f), fd = socket_rig_join(f);
    f->now += TELEMETRY_SOCKET_IDLE_NS;
    struct rlimit before = take_descriptors();
    socket_rig_step(f);
    setrlimit(RLIMIT_NOFILE, &before);
    json_t *greeting = socket_rig_got(fd);
    assert_non_null(greeting);
    assert_int_equal(recv(idle, &(char){0}, 1, 0), 0);
    json_decref(greeting);
    close(idle);
    close(fd);
}

TEST_IN(a_socket_without_a_file_is_opened_again, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    int before = socket_rig_greet(f);
    assert_int_equal(unlink(f->socket.path), 0);
    assert_int_equal(socket_rig_join(f), -1);
    socket_rig_step_later(f);
    int fd = socket_rig_greet(f);
    socket_rig_check(f, before, "/gbflow/tell", 0, "{\"/gbflow/tell\":{\"of\":[\"none\"]}}");
    close(before);
    close(fd);
}

/* The first one leaves it alone, says so once, and has its name again when the second one has ended. */
TEST_IN(a_file_of_another_process_stays, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    char text[2000] = "", path[sizeof(f->socket.path) + 8];
    struct socket_rig second = *f;
    assert_int_equal(unlink(f->socket.path), 0);
    assert_true(telemetry_socket_open(&second.socket, "bss", &source));
    snprintf(path, sizeof(path), "%s/said", f->folder);
    int out = open(path, O_RDWR | O_CREAT, 0600), saved = dup(STDERR_FILENO);
    assert_int_equal(dup2(out, STDERR_FILENO), STDERR_FILENO);
    for (unsigned i = 0; i < 3; i++)
        socket_rig_step_later(f);
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_true(pread(out, text, sizeof(text) - 1, 0) > 0);
    close(out);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    close(socket_rig_greet(&second));
    telemetry_socket_close(&second.socket);
    socket_rig_step_later(f);
    close(socket_rig_greet(f));
}

/* The second one takes it over when the first one has ended. */
TEST_IN(a_name_has_one_process, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    struct telemetry_socket second;
    assert_true(telemetry_socket_open(&second, "bss", &source));
    assert_int_equal(second.listener, -1);
    telemetry_socket_step(&second, f->now);
    int fd = socket_rig_greet(f); /* the first one is there as before */
    close(fd);
    telemetry_socket_close(&f->socket);
    telemetry_socket_step(&second, f->now + LOOK_NS);
    f->socket = second;
    fd = socket_rig_greet(f);
    close(fd);
    assert_true(telemetry_socket_open(&second, "other", &source));
    assert_true(second.listener >= 0);
    telemetry_socket_close(&second);
}

TEST_IN(the_folder_is_the_users_alone, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    char folder[sizeof(f->socket.path)];
    struct stat of_folder;
    strcpy(folder, f->socket.path);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(stat(folder, &of_folder), 0);
    assert_int_equal(of_folder.st_mode & 0777, 0700);
}

/* As after SIGKILL: the file is there, and no process listens. */
TEST_IN(a_left_socket_is_replaced, struct socket_rig, f, begin(f), socket_rig_close(f))
{
    char path[sizeof(f->socket.path)];
    strcpy(path, f->socket.path);
    f->socket.path[0] = '\0';
    telemetry_socket_close(&f->socket);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(socket_rig_join(f), -1);
    assert_true(telemetry_socket_open(&f->socket, "bss", &source));
    close(socket_rig_greet(f));
    telemetry_socket_close(&f->socket);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* --- processes that run --- */

TEST_IN(processes_are_found, struct socket_rig, f, begin(f), socket_rig_close(f))
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

TEST_IN(names_that_are_none, struct socket_rig, f, begin(f), socket_rig_close(f))
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
