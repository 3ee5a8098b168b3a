/* SPDX-License-Identifier: BSD-3-Clause */
/* Datagrams to the socket of NOTIFY_SOCKET, and signs of life at half of WATCHDOG_USEC. */
#include "control/log/log.h"
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket without a file, as systemd in a container has it; its name is in NOTIFY_SOCKET. */
static int listen_as_systemd(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char name[64];
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    snprintf(name, sizeof(name), "@gbflow-notify-test-%d", (int)getpid());
    memcpy(at.sun_path, name, strlen(name));
    at.sun_path[0] = '\0';
    assert_int_equal(
        bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
        0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

/* "" if there is none. */
static const char *next(int fd)
{
    static char text[128];
    ssize_t octets = recv(fd, text, sizeof(text) - 1, 0);
    text[octets > 0 ? octets : 0] = '\0';
    return text;
}

TEST(test_texts)
{
    struct notify notify;
    int fd = listen_as_systemd();
    unsetenv("WATCHDOG_USEC");
    notify_open(&notify);
    notify_send(&notify, "READY=1\nSTATUS=x");
    assert_string_equal(next(fd), "READY=1\nSTATUS=x");
    assert_true(notify_alive(&notify, true, 0) == MOMENT_NEVER);
    assert_string_equal(next(fd), "");
    notify_close(&notify);
    close(fd);
}

static const struct {
    int64_t now;
    bool is_working, is_sent;
    int64_t next;
} alive_rows[] = {
    {0, true, true, 500},       {499, true, false, 500},   {500, true, true, 1000},
    {1001, false, false, 1501}, {1500, true, false, 1501}, {1501, true, true, 2001},
};

TEST(test_alive)
{
    struct notify notify;
    int fd = listen_as_systemd();
    setenv("WATCHDOG_USEC", "1000000", 1);
    notify_open(&notify);
    for (size_t i = 0; i < sizeof(alive_rows) / sizeof(alive_rows[0]); i++) {
        int64_t ms = MOMENT_SECOND / 1000;
        assert_true(notify_alive(&notify, alive_rows[i].is_working, alive_rows[i].now * ms) ==
                    alive_rows[i].next * ms);
        assert_string_equal(next(fd), alive_rows[i].is_sent ? "WATCHDOG=1" : "");
    }
    notify_close(&notify);
    close(fd);
}

static const struct {
    const char *socket, *micros, *pid;
    bool is_open, has_watchdog;
} environments[] = {
    {NULL, "1000000", NULL, false, false},
    {"relative", "1000000", NULL, false, false},
    {"/nowhere/at/all", NULL, NULL, false, false},
    {"", NULL, NULL, false, false},
};

TEST(test_without_a_socket)
{
    for (size_t i = 0; i < sizeof(environments) / sizeof(environments[0]); i++) {
        struct notify notify;
        unsetenv("NOTIFY_SOCKET");
        if (environments[i].socket)
            setenv("NOTIFY_SOCKET", environments[i].socket, 1);
        notify_open(&notify);
        assert_int_equal(notify.fd >= 0, environments[i].is_open);
        assert_int_equal(notify.every_ns > 0, environments[i].has_watchdog);
        notify_send(&notify, "READY=1");
        notify_close(&notify);
    }
}

TEST(test_the_watchdog_of_another_process)
{
    struct notify notify;
    int fd = listen_as_systemd();
    setenv("WATCHDOG_USEC", "1000000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    notify_open(&notify);
    assert_true(notify.fd >= 0 && notify.every_ns == 0);
    unsetenv("WATCHDOG_PID");
    notify_close(&notify);
    close(fd);
}

UNIT_MAIN(NULL, NULL)
