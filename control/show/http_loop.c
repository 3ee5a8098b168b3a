/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/http_loop.h"

#include "control/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOK_MS 100 /* while there are connections */

/* --- connections --- */

/* The server never has more connections than places. */
static struct http_connection *free_place(struct http_loop *loop)
{
    struct http_connection *c = loop->list;
    while (c < loop->list + HTTP_LOOP_CONNECTIONS - 1 && c->fd >= 0)
        c++;
    return c;
}

void http_loop_note(void *arg, struct MHD_Connection *connection, void **place,
                    enum MHD_ConnectionNotificationCode what)
{
    struct http_loop *loop = arg;
    struct http_connection *c = *place;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *place = c = free_place(loop);
        int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        *c = (struct http_connection){.fd = fd, .since_ns = clock_now_ns()};
        loop->count++;
    } else if (c) {
        c->fd = -1;
        loop->count--;
        loop->has_ended = true;
    }
}

void http_loop_answered(struct MHD_Connection *connection)
{
    struct http_connection *c =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    c->is_answered = true;
    c->since_ns = clock_now_ns();
}

static int64_t time_of(const struct http_loop *loop, const struct http_connection *c)
{
    int64_t time_ns = c->is_answered ? HTTP_LOOP_ANSWER_NS : HTTP_LOOP_REQUEST_NS;
    return loop->count > HTTP_LOOP_CONNECTIONS / 2 ? time_ns / HTTP_LOOP_CROWDED : time_ns;
}

/* The server sees that the connection has ended, and closes it. */
static void cut_late(struct http_loop *loop)
{
    int64_t now_ns = clock_now_ns();
    for (struct http_connection *c = loop->list; c < loop->list + HTTP_LOOP_CONNECTIONS; c++)
        if (c->fd >= 0 && !c->is_cut && now_ns - c->since_ns > time_of(loop, c)) {
            c->is_cut = true;
            shutdown(c->fd, SHUT_RDWR);
        }
}

/* --- the thread --- */

/* A server with all its connections takes no new one until it is run once more after the end of one. */
static void run_server(struct http_loop *loop)
{
    do {
        loop->has_ended = false;
        MHD_run(loop->daemon);
    } while (loop->has_ended);
}

static int wait_ms(const struct http_loop *loop)
{
    MHD_UNSIGNED_LONG_LONG ms;
    int most = loop->count > 0 ? LOOK_MS : -1;
    if (MHD_get_timeout(loop->daemon, &ms) != MHD_YES)
        return most;
    return most < 0 || ms < LOOK_MS ? (int)(ms < LOOK_MS ? ms : LOOK_MS) : most;
}

static void *run(void *arg)
{
    struct http_loop *loop = arg;
    int epoll_fd = MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    struct pollfd fds[] = {{.fd = epoll_fd, .events = POLLIN}, {.fd = loop->stop_fd, .events = POLLIN}};
    for (;;) {
        run_server(loop); /* first: requests that came while an answer was made are whole */
        cut_late(loop);
        if (poll(fds, 2, wait_ms(loop)) > 0 && fds[1].revents != 0)
            return NULL;
    }
}

bool http_loop_start(struct http_loop *loop, struct MHD_Daemon *daemon)
{
    loop->daemon = daemon;
    for (unsigned i = 0; i < HTTP_LOOP_CONNECTIONS; i++)
        loop->list[i].fd = -1;
    loop->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->stop_fd < 0)
        return false;
    errno = pthread_create(&loop->thread, NULL, run, loop);
    if (errno == 0) {
        pthread_setname_np(loop->thread, "metrics");
        return true;
    }
    close(loop->stop_fd);
    return false;
}

void http_loop_stop(struct http_loop *loop)
{
    eventfd_write(loop->stop_fd, 1);
    pthread_join(loop->thread, NULL);
    close(loop->stop_fd);
}
