/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/tcp_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_OCTETS 16384
#define READS       4 /* of one step, so that a fast server does not hold the owner */

void tcp_client_init(struct tcp_client *client, int epoll_fd)
{
    *client = (struct tcp_client){.epoll_fd = epoll_fd, .fd = -1};
}

void tcp_client_fini(struct tcp_client *client)
{
    tcp_client_close(client);
    free(client->queue);
    client->queue = NULL;
}

void tcp_client_close(struct tcp_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    client->is_up = client->has_failed = false;
    client->queued = 0;
}

/* --- connecting --- */

static bool tcp_client_begin(struct tcp_client *client, const struct sockaddr_in *to)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET};
    int one = 1;
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (client->fd < 0)
        return false;
    event.data.fd = client->fd;
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (epoll_ctl(client->epoll_fd, EPOLL_CTL_ADD, client->fd, &event) < 0)
        return false;
    return connect(client->fd, (const struct sockaddr *)to, sizeof(*to)) == 0 || errno == EINPROGRESS;
}

void tcp_client_open(struct tcp_client *client, const char *address, uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    tcp_client_close(client);
    if (!client->queue)
        client->queue = malloc(TCP_CLIENT_QUEUE_OCTETS);
    client->has_failed =
        !client->queue || inet_pton(AF_INET, address, &to.sin_addr) != 1 || !tcp_client_begin(client, &to);
}

/* Whether the connection is up now, or has failed. */
static bool has_connected(struct tcp_client *client)
{
    struct pollfd ready = {.fd = client->fd, .events = POLLOUT};
    int error = 0;
    socklen_t octets = sizeof(error);
    if (poll(&ready, 1, 0) != 1)
        return false;
    getsockopt(client->fd, SOL_SOCKET, SO_ERROR, &error, &octets);
    client->has_failed = error != 0;
    return error == 0;
}

/* --- sending --- */

static void flush(struct tcp_client *client)
{
    while (client->queued > 0) {
        ssize_t sent = send(client->fd, client->queue, client->queued, MSG_NOSIGNAL);
        if (sent <= 0) {
            client->has_failed = sent < 0 && errno != EAGAIN && errno != EINTR;
            return;
        }
        client->queued -= (size_t)sent;
        memmove(client->queue, client->queue + sent, client->queued);
    }
}

void tcp_client_send(struct tcp_client *client, const void *octets, size_t count)
{
    if (client->fd < 0 || client->has_failed)
        return;
    if (count > TCP_CLIENT_QUEUE_OCTETS - client->queued) {
        client->has_failed = true;
        return;
    }
    memcpy(client->queue + client->queued, octets, count);
    client->queued += count;
    if (client->is_up)
        flush(client);
}

/* --- what happened --- */

/* Reads once; false: nothing is there, or the connection has ended. */
static bool read_some(struct tcp_client *client, const struct tcp_client_events *events)
{
    uint8_t bytes[READ_OCTETS];
    ssize_t count = recv(client->fd, bytes, sizeof(bytes), 0);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
        client->has_failed = true;
    if (count <= 0)
        return false;
    events->on_octets(events->arg, bytes, (size_t)count);
    return client->fd >= 0 && !client->has_failed;
}

static bool use(struct tcp_client *client, const struct tcp_client_events *events)
{
    bool is_busy = false;
    if (!client->is_up) {
        if (!has_connected(client))
            return false;
        client->is_up = is_busy = true;
        events->on_up(events->arg);
    }
    for (unsigned i = 0; i < READS && client->fd >= 0 && read_some(client, events); i++)
        is_busy = true;
    if (client->fd >= 0 && client->queued > 0)
        flush(client);
    return is_busy;
}

bool tcp_client_step(struct tcp_client *client, const struct tcp_client_events *events)
{
    bool is_busy = client->fd >= 0 && !client->has_failed && use(client, events);
    if (!client->has_failed)
        return is_busy;
    tcp_client_close(client);
    events->on_down(events->arg);
    return true;
}
