/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/telemetry_socket.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "control/report/field.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FOLDER         "/gbflow/"
#define QUESTION_CHARS 1024
#define MOST_OCTETS    16384 /* as DPDK's greeting says */

/* --- the path --- */

bool telemetry_socket_is_name(const char *name)
{
    static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t chars = strspn(name, good);
    return !name[chars] && chars > 0 && chars <= TELEMETRY_SOCKET_NAME_CHARS && name[0] != '-';
}

static void make_folder(const char *path)
{
    char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
    snprintf(folder, sizeof(folder), "%s", path);
    for (char *at = folder + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(folder, 0700); /* bind() tells why it cannot be used */
        *at = '/';
    }
}

static bool find_path(struct sockaddr_un *address, const char *prefix)
{
    size_t cap = sizeof(address->sun_path), used = eal_folder(address->sun_path, cap);
    address->sun_family = AF_UNIX;
    return snprintf(address->sun_path + used, cap - used, "/%s/dpdk_telemetry.v2", prefix) <
           (int)(cap - used);
}

/* Whether no process listens at the path any more. */
static bool is_left_over(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
                      errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return is_refused;
}

static bool bind_to(int fd, const struct sockaddr_un *address)
{
    for (int tries = 0; tries < 2; tries++) {
        if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
            return true;
        if (errno != EADDRINUSE || !is_left_over(address))
            break;
        unlink(address->sun_path);
    }
    return false;
}

/* --- clients --- */

static bool telemetry_socket_watch(const struct telemetry_socket *s, int fd, uint32_t index)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
    return epoll_ctl(s->fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void drop(struct telemetry_socket *s, uint32_t index)
{
    close(s->clients[index]);
    s->clients[index] = -1;
}

static bool send_json(int fd, json_t *root)
{
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12));
    size_t octets = text ? strlen(text) : 0;
    bool is_sent = text && send(fd, text, octets, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)octets;
    free(text);
    json_decref(root);
    return is_sent;
}

/* A free place, or that of the client that has been idle longest. */
static uint32_t place(const struct telemetry_socket *s)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++) {
        if (s->clients[i] < 0)
            return i;
        if (s->heard[i] < s->heard[found])
            found = i;
    }
    return found;
}

static void take_client(struct telemetry_socket *s, int fd)
{
    uint32_t index = place(s);
    if (s->clients[index] >= 0)
        drop(s, index);
    if (!telemetry_socket_watch(s, fd, index)) {
        close(fd);
        return;
    }
    s->clients[index] = fd;
    s->heard[index] = ++s->turn;
    if (!send_json(fd, json_pack("{s:s, s:i, s:i}", "version", command_version(), "pid", (int)getpid(),
                                 "max_output_len", MOST_OCTETS)))
        drop(s, index);
}

static void take_clients(struct telemetry_socket *s)
{
    for (int i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++) {
        int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        take_client(s, fd);
    }
}

/* An object with the answer by the command, as DPDK sends it. */
static json_t *answer_to(const struct telemetry_socket *s, char *question)
{
    char *parameters = strchr(question, ',');
    json_t *reply = NULL;
    if (parameters)
        *parameters++ = '\0';
    if (strncmp(question, FOLDER, strlen(FOLDER)) == 0)
        reply = telemetry_reply(&s->source, question + strlen(FOLDER), parameters);
    json_t *root = json_object();
    if (json_object_set_new(root, question, reply ? reply : json_null()) != 0)
        json_object_set_new(root, "error", json_string("the command is not UTF-8"));
    return root;
}

static void answer_client(struct telemetry_socket *s, uint32_t index)
{
    char question[QUESTION_CHARS];
    ssize_t got = recv(s->clients[index], question, sizeof(question) - 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0) {
        s->heard[index] = ++s->turn;
        question[got] = '\0';
        if (send_json(s->clients[index], answer_to(s, question)))
            return;
    }
    drop(s, index);
}

/* --- life --- */

static bool listen_at(struct telemetry_socket *s, const char *prefix)
{
    struct sockaddr_un address = {0};
    bool is_name = telemetry_socket_is_name(prefix);
    if (!is_name || !find_path(&address, prefix)) {
        errno = is_name ? ENAMETOOLONG : EINVAL;
        return false;
    }
    make_folder(address.sun_path);
    s->fd = epoll_create1(EPOLL_CLOEXEC);
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0 || s->listener < 0 || !bind_to(s->listener, &address))
        return false;
    memcpy(s->path, address.sun_path, sizeof(s->path));
    return listen(s->listener, TELEMETRY_SOCKET_CLIENTS) == 0 &&
           telemetry_socket_watch(s, s->listener, TELEMETRY_SOCKET_CLIENTS);
}

bool telemetry_socket_open(struct telemetry_socket *s, const char *prefix,
                           const struct telemetry_source *source)
{
    *s = (struct telemetry_socket){.source = *source, .fd = -1, .listener = -1};
    for (uint32_t i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++)
        s->clients[i] = -1;
    if (listen_at(s, prefix))
        return true;
    command_error("",
                  "warning: no telemetry socket '%s': %s; gbflow top and show cannot see this process. "
                  "--prefix NAME gives it another name",
                  prefix, strerror(errno));
    telemetry_socket_close(s);
    return false;
}

void telemetry_socket_step(struct telemetry_socket *s)
{
    struct epoll_event events[TELEMETRY_SOCKET_CLIENTS + 1];
    int count = epoll_wait(s->fd, events, TELEMETRY_SOCKET_CLIENTS + 1, 0);
    bool has_new = false;
    for (int i = 0; i < count; i++) {
        if (events[i].data.u32 == TELEMETRY_SOCKET_CLIENTS)
            has_new = true;
        else if (s->clients[events[i].data.u32] >= 0)
            answer_client(s, events[i].data.u32);
    }
    if (has_new) /* after the answers: a client that has just asked is not idle */
        take_clients(s);
}

void telemetry_socket_close(struct telemetry_socket *s)
{
    const bool is_open = s->fd >= 0;
    for (uint32_t i = 0; is_open && i < TELEMETRY_SOCKET_CLIENTS; i++)
        if (s->clients[i] >= 0)
            close(s->clients[i]);
    if (s->listener >= 0)
        close(s->listener);
    if (is_open)
        close(s->fd);
    if (s->path[0])
        unlink(s->path);
    *s = (struct telemetry_socket)TELEMETRY_SOCKET_CLOSED;
}
