/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/log/notify.h"

#include "dataplane/base/moment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int64_t watchdog_ns(void)
{
    const char *micros = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!micros || (pid && strtoll(pid, NULL, 10) != getpid()))
        return 0;
    int64_t number = strtoll(micros, NULL, 10);
    return number > 0 && number < INT64_MAX / 1000 ? number * 1000 : 0;
}

/* '@' in front stands for a socket without a file. */
static int connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t chars = strlen(path);
    if (chars == 0 || chars >= sizeof(to.sun_path) || (path[0] != '/' && path[0] != '@'))
        return -1;
    memcpy(to.sun_path, path, chars);
    if (path[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t octets = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + chars);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, octets) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

void notify_open(struct notify *notify)
{
    const char *path = getenv("NOTIFY_SOCKET");
    *notify = (struct notify){.fd = path ? connect_to(path) : -1};
    notify->every_ns = notify->fd >= 0 ? watchdog_ns() / 2 : 0;
}

void notify_close(struct notify *notify)
{
    if (notify->fd >= 0)
        close(notify->fd);
    notify->fd = -1;
}

void notify_send(const struct notify *notify, const char *text)
{
    if (notify->fd >= 0)
        (void)!send(notify->fd, text, strlen(text), MSG_NOSIGNAL);
}

int64_t notify_alive(struct notify *notify, bool is_working, int64_t now)
{
    if (notify->every_ns == 0)
        return MOMENT_NEVER;
    if (now < notify->due_ns)
        return notify->due_ns;
    if (is_working)
        notify_send(notify, "WATCHDOG=1");
    notify->due_ns = now + notify->every_ns;
    return notify->due_ns;
}
