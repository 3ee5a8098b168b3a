/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/resolver.h"

#include <ares.h>
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>

#define TIMEOUT_MS 1000 /* a phone waits 15 s for its own answer, and another SGSN is asked meanwhile */
#define TRIES      2
#define NS_PER_S   1000000000
#define NS_PER_US  1000

struct resolver_question {
    struct resolver *resolver;
    uint64_t id;
    bool has_address;
    char address[INET6_ADDRSTRLEN];
    struct resolver_question *next; /* of those that are answered */
};

void resolver_init(struct resolver *r, int epoll_fd)
{
    *r = (struct resolver){.epoll_fd = epoll_fd};
}

static void close_channel(struct resolver *r)
{
    if (!r->channel)
        return;
    ares_destroy(r->channel); /* answers all questions that are pending */
    ares_library_cleanup();
    r->channel = NULL;
}

void resolver_fini(struct resolver *r)
{
    close_channel(r);
    while (r->answered) {
        struct resolver_question *question = r->answered;
        r->answered = question->next;
        free(question);
    }
}

/* --- sockets --- */

/* The place of a socket, or a free one for it; NULL: all are taken. */
static struct resolver_socket *place_of(struct resolver *r, int fd)
{
    struct resolver_socket *free_place = NULL;
    for (unsigned i = 0; i < RESOLVER_SOCKETS; i++) {
        struct resolver_socket *socket = &r->sockets[i];
        if (!socket->is_readable && !socket->is_writable)
            free_place = socket;
        else if (socket->fd == fd)
            return socket;
    }
    return free_place;
}

static void watch(void *arg, ares_socket_t fd, int is_readable, int is_writable)
{
    struct resolver *r = arg;
    struct resolver_socket *socket = place_of(r, fd);
    if (socket)
        *socket = (struct resolver_socket){fd, is_readable, is_writable};
    struct epoll_event event = {.events = (is_readable ? EPOLLIN : 0) | (is_writable ? EPOLLOUT : 0),
                                .data.fd = fd};
    if (!is_readable && !is_writable)
        epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    else if (epoll_ctl(r->epoll_fd, EPOLL_CTL_MOD, fd, &event) < 0)
        epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static bool open_channel(struct resolver *r, const char *servers)
{
    char lookups[] = "b"; /* DNS alone */
    struct ares_options options = {.timeout = TIMEOUT_MS,
                                   .tries = TRIES,
                                   .lookups = lookups,
                                   .sock_state_cb = watch,
                                   .sock_state_cb_data = r};
    if (r->channel && strcmp(r->servers, servers) == 0)
        return true;
    close_channel(r);
    if (strlen(servers) >= sizeof(r->servers) || ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS)
        return false;
    int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB;
#ifdef ARES_OPT_QUERY_CACHE /* c-ares 1.31 and later keep answers; a question has to ask */
    mask |= ARES_OPT_QUERY_CACHE;
#endif
    if (ares_init_options(&r->channel, &options, mask) != ARES_SUCCESS) {
        r->channel = NULL;
        ares_library_cleanup();
        return false;
    }
    strcpy(r->servers, servers);
    if (ares_set_servers_ports_csv(r->channel, servers) == ARES_SUCCESS)
        return true;
    close_channel(r); /* it would ask the machine's own servers */
    return false;
}

/* --- questions --- */

static void answer(struct resolver_question *question)
{
    struct resolver_question **last = &question->resolver->answered;
    while (*last)
        last = &(*last)->next;
    *last = question;
}

static void take(void *arg, int status, int unused_timeouts, struct ares_addrinfo *found)
{
    struct resolver_question *question = arg;
    (void)unused_timeouts;
    question->resolver->pending--;
    const struct ares_addrinfo_node *node = status == ARES_SUCCESS && found ? found->nodes : NULL;
    if (node && node->ai_family == AF_INET) {
        const struct sockaddr_in *to = (const void *)node->ai_addr;
        question->has_address =
            inet_ntop(AF_INET, &to->sin_addr, question->address, sizeof(question->address)) != NULL;
    } else if (node && node->ai_family == AF_INET6) {
        const struct sockaddr_in6 *to = (const void *)node->ai_addr;
        question->has_address =
            inet_ntop(AF_INET6, &to->sin6_addr, question->address, sizeof(question->address)) != NULL;
    }
    if (found)
        ares_freeaddrinfo(found);
    answer(question);
}

void resolver_ask(struct resolver *r, uint64_t id, const char *name, const char *servers, bool is_ipv6)
{
    const struct ares_addrinfo_hints hints = {.ai_family = is_ipv6 ? AF_INET6 : AF_INET,
                                              .ai_flags = ARES_AI_NOSORT};
    struct resolver_question *question = calloc(1, sizeof(*question));
    if (!question)
        return; /* the asker has a timer */
    *question = (struct resolver_question){.resolver = r, .id = id};
    if (r->pending >= RESOLVER_PENDING || !open_channel(r, servers)) {
        answer(question);
        return;
    }
    r->pending++;
    ares_getaddrinfo(r->channel, name, NULL, &hints, take, question);
}

/* Sockets that have nothing to read cost a system call each. */
static void read_all(const struct resolver *r)
{
    for (unsigned i = 0; i < RESOLVER_SOCKETS; i++) {
        struct resolver_socket socket = r->sockets[i]; /* reading may close it */
        if (socket.is_readable || socket.is_writable)
            ares_process_fd(r->channel, socket.is_readable ? socket.fd : ARES_SOCKET_BAD,
                            socket.is_writable ? socket.fd : ARES_SOCKET_BAD);
    }
    ares_process_fd(r->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

int64_t resolver_step(struct resolver *r, resolver_told *told, void *arg)
{
    bool has_told = false;
    if (r->channel && r->pending > 0)
        read_all(r);
    while (r->answered) {
        struct resolver_question *question = r->answered;
        r->answered = question->next;
        told(arg, question->id, question->has_address ? question->address : NULL);
        free(question);
        has_told = true;
    }
    struct timeval most, *next = r->channel && r->pending > 0 ? ares_timeout(r->channel, NULL, &most) : NULL;
    if (has_told || !next)
        return has_told ? 0 : INT64_MAX;
    return (int64_t)next->tv_sec * NS_PER_S + (int64_t)next->tv_usec * NS_PER_US;
}
