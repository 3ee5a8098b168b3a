/* SPDX-License-Identifier: BSD-3-Clause */
/* A socket in a folder of its own, and clients of it; time stands still unless the test moves it. */
#ifndef TESTS_UNIT_CONTROL_SHOW_SOCKET_RIG_H
#define TESTS_UNIT_CONTROL_SHOW_SOCKET_RIG_H

#include "control/show/telemetry_socket.h"
#include "tests/unit/unit.h"

#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define OCTETS  65536
#define LOOK_NS (MOMENT_SECOND / 2)

struct socket_rig {
    char folder[64];
    struct telemetry_socket socket;
    int64_t now;
};

static inline void socket_rig_step(struct socket_rig *f)
{
    telemetry_socket_step(&f->socket, f->now);
}

/* When the socket looks after itself. */
static inline void socket_rig_step_later(struct socket_rig *f)
{
    f->now += LOOK_NS;
    socket_rig_step(f);
}

static inline void socket_rig_open(struct socket_rig *f, const struct telemetry_source *source)
{
    f->now = 0;
    strcpy(f->folder, "/tmp/gbflow-socket-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    setenv("RUNTIME_DIRECTORY", f->folder, 1);
    assert_true(telemetry_socket_open(&f->socket, "bss", source));
}

static inline void socket_rig_close(struct socket_rig *f)
{
    char command[128];
    telemetry_socket_close(&f->socket);
    snprintf(command, sizeof(command), "rm -r %s", f->folder);
    assert_int_equal(system(command), 0);
}

static inline int socket_rig_join(const struct socket_rig *f)
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
static inline json_t *socket_rig_got(int fd)
{
    static char answer[OCTETS];
    ssize_t octets = recv(fd, answer, sizeof(answer), 0);
    return octets > 0 ? json_loadb(answer, (size_t)octets, 0, NULL) : NULL;
}

/* A client that has read its greeting. */
static inline int socket_rig_greet(struct socket_rig *f)
{
    int fd = socket_rig_join(f);
    assert_true(fd >= 0);
    socket_rig_step(f);
    json_t *greeting = socket_rig_got(fd);
    assert_int_equal(json_integer_value(json_object_get(greeting, "max_output_len")), 16384);
    assert_int_equal(json_integer_value(json_object_get(greeting, "pid")), getpid());
    json_decref(greeting);
    return fd;
}

static inline json_t *socket_rig_ask(struct socket_rig *f, int fd, const char *command, size_t octets)
{
    assert_int_equal(send(fd, command, octets, 0), octets);
    socket_rig_step(f);
    return socket_rig_got(fd);
}

/* octets 0: of the text. */
static inline void socket_rig_check(struct socket_rig *f, int fd, const char *command, size_t octets,
                                    const char *expected)
{
    json_t *answer = socket_rig_ask(f, fd, command, octets ? octets : strlen(command));
    char *text = json_dumps(answer, JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(answer);
}

/* Whether the caller's loop would call the socket at once. */
static inline bool socket_rig_is_ready(const struct socket_rig *f)
{
    return poll(&(struct pollfd){.fd = f->socket.fd, .events = POLLIN}, 1, 0) == 1;
}

#endif
