/* SPDX-License-Identifier: BSD-3-Clause */
/* The HTTP server of metrics: its thread, limits and answers. */
#include "control/show/telemetry.h"

#include "control/base/clock.h"
#include "control/show/metrics.h"
#include "dataplane/base/moment.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * A thread that runs a server of libmicrohttpd, and limits how long each connection lasts, whether or not its
 * client makes progress: libmicrohttpd itself waits for ever for a client that sends an octet now and then. A
 * connection has HTTP_LOOP_REQUEST_NS from its begin to its whole request, and HTTP_LOOP_ANSWER_NS from then
 * to the end of the answer. While more than half of the places are taken, it has a fifth of these times.
 */

#define HTTP_LOOP_CONNECTIONS       64
#define HTTP_LOOP_CONNECTIONS_OF_IP 8
#define HTTP_LOOP_REQUEST_NS        (5 * MOMENT_SECOND)
#define HTTP_LOOP_ANSWER_NS         (10 * MOMENT_SECOND)
#define HTTP_LOOP_CROWDED           5 /* by which the times are divided */

struct http_connection {
    int fd;           /* -1: the place is free */
    int64_t since_ns; /* begin, or end of the request */
    bool is_answered; /* the request is whole */
    bool is_cut;
};

/* All fields but stop belong to the thread, once it runs. */
struct http_loop {
    struct MHD_Daemon *daemon;
    pthread_t thread;
    int stop_fd; /* eventfd, readable: the thread ends; written by http_loop_stop() */
    unsigned count;
    bool has_ended; /* a connection, since the server was last run */
    struct http_connection list[HTTP_LOOP_CONNECTIONS];
};

/* Options of MHD_start_daemon(), whose flags are MHD_USE_EPOLL without a thread; the loop is zero. */
#define HTTP_LOOP_OPTIONS(loop)                                                                              \
    MHD_OPTION_NOTIFY_CONNECTION, http_loop_note, (loop), MHD_OPTION_CONNECTION_LIMIT,                       \
        (unsigned)HTTP_LOOP_CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,                                 \
        (unsigned)HTTP_LOOP_CONNECTIONS_OF_IP

#define LOOK_MS 100 /* while there are connections */

/* --- connections --- */

static void http_loop_note(void *arg, struct MHD_Connection *connection, void **place,
                           enum MHD_ConnectionNotificationCode what);

/* The server never has more connections than places. */
static struct http_connection *free_place(struct http_loop *loop)
{
    struct http_connection *c = loop->list;
    while (c < loop->list + HTTP_LOOP_CONNECTIONS - 1 && c->fd >= 0)
        c++;
    return c;
}

static void http_loop_note(void *arg, struct MHD_Connection *connection, void **place,
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

/* In the server's handler: the request is whole, and its answer is being queued. */
static void http_loop_answered(struct MHD_Connection *connection)
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

static void *metrics_http_run(void *arg)
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

/* False: no thread or eventfd; errno says why. */
static bool http_loop_start(struct http_loop *loop, struct MHD_Daemon *daemon)
{
    loop->daemon = daemon;
    for (unsigned i = 0; i < HTTP_LOOP_CONNECTIONS; i++)
        loop->list[i].fd = -1;
    loop->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->stop_fd < 0)
        return false;
    errno = pthread_create(&loop->thread, NULL, metrics_http_run, loop);
    if (errno == 0) {
        pthread_setname_np(loop->thread, "metrics");
        return true;
    }
    close(loop->stop_fd);
    return false;
}

/* Ends the thread; before MHD_stop_daemon(). */
static void http_loop_stop(struct http_loop *loop)
{
    eventfd_write(loop->stop_fd, 1);
    pthread_join(loop->thread, NULL);
    close(loop->stop_fd);
}

#define REQUEST_OCTETS 16384
#define HEALTH_NS      (2 * MOMENT_SECOND)
#define ANSWER_NS      (5 * MOMENT_SECOND)
#define ROWS_MAX       65536 /* of a table */

struct metrics_http {
    struct telemetry *telemetry;
    struct metrics_http_options options;
    atomic_uint rows_max;
    struct MHD_Daemon *daemon;
    struct http_loop loop;
};

/* --- tables --- */

static unsigned most_rows(const struct metrics_http *http, const char *table)
{
    bool is_limited = http->options.limited && strcmp(http->options.limited, table) == 0;
    return is_limited ? atomic_load_explicit(&http->rows_max, memory_order_relaxed) : ROWS_MAX;
}

/* All rows of a table; NULL: control does not answer. */
static json_t *read_rows(const struct metrics_http *http, const struct field *table)
{
    unsigned most = most_rows(http, table->name);
    json_t *all = json_array();
    size_t added;
    do {
        json_t *page = telemetry_ask(http->telemetry, table, (unsigned)json_array_size(all), ANSWER_NS);
        if (!page) {
            json_decref(all);
            return NULL;
        }
        added = json_array_size(page);
        json_array_extend(all, page);
        json_decref(page);
    } while (added == TELEMETRY_ROWS && json_array_size(all) < most);
    while (json_array_size(all) > most)
        json_array_remove(all, json_array_size(all) - 1);
    return all;
}

static bool write_all(const struct metrics_http *http, FILE *out, enum metrics_format format)
{
    metrics_write_process(out, http->options.start_ns, format);
    for (const struct metrics_table *what = http->options.tables; what->table; what++) {
        const struct field *table = telemetry_table(http->telemetry->source.tables, what->table);
        if (!table || most_rows(http, what->table) == 0)
            continue;
        json_t *rows = read_rows(http, table);
        if (!rows)
            return false;
        metrics_write(out, what, table, rows, format);
        json_decref(rows);
    }
    if (format == METRICS_OPEN)
        fputs("# EOF\n", out);
    return true;
}

/* --- answers --- */

/* Queues a response of text; with is_owned it is freed. */
static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *type,
                             const char *text, bool is_owned)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(text), (void *)(uintptr_t)text, is_owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    http_loop_answered(connection);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result reply_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return reply(connection, status, "text/plain; charset=utf-8", text, false);
}

static enum MHD_Result send_metrics(const struct metrics_http *http, struct MHD_Connection *connection)
{
    const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    bool is_open = accept && strstr(accept, "application/openmetrics-text");
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);
    bool is_done = out && write_all(http, out, is_open ? METRICS_OPEN : METRICS_TEXT);

    if (out)
        is_done &= fclose(out) == 0;
    if (!is_done) {
        free(text);
        return reply_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "the control thread does not answer\n");
    }
    return reply(connection, MHD_HTTP_OK,
                 is_open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                         : "text/plain; version=0.0.4; charset=utf-8",
                 text, true);
}

static enum MHD_Result send_health(const struct metrics_http *http, struct MHD_Connection *connection)
{
    const struct field *table = telemetry_table(http->telemetry->source.tables, http->options.tables->table);
    json_t *rows = telemetry_ask(http->telemetry, table, 0, HEALTH_NS);
    bool is_healthy = rows != NULL;
    json_decref(rows);
    return is_healthy ? reply_text(connection, MHD_HTTP_OK, "ok\n")
                      : reply_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                                   "the control thread does not answer within 2 s\n");
}

static enum MHD_Result send_readiness(const struct metrics_http *http, struct MHD_Connection *connection)
{
    const struct metrics_http_options *o = &http->options;
    const struct field *table = telemetry_table(http->telemetry->source.tables, o->ready_table);
    json_t *rows = read_rows(http, table), *row;
    bool is_ready = false;
    size_t at;

    json_array_foreach(rows, at, row)
    {
        const char *value = json_string_value(json_object_get(row, o->ready_column));
        is_ready |= value && strcmp(value, o->ready_value) == 0;
    }
    json_decref(rows);
    return is_ready
               ? reply_text(connection, MHD_HTTP_OK, "ready\n")
               : reply_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "not ready: no cell can send yet\n");
}

/* The path of a request's target, which may be absolute (RFC 9112 3.2.2): "http://HOST:PORT/metrics". */
static const char *path_of(const char *target)
{
    static const char scheme[] = "http://";
    if (strncasecmp(target, scheme, strlen(scheme)) != 0)
        return target;
    const char *path = strchr(target + strlen(scheme), '/');
    return path ? path : "/";
}

static enum MHD_Result metrics_http_answer(void *arg, struct MHD_Connection *connection, const char *target,
                                           const char *method, const char *unused_version,
                                           const char *unused_upload, size_t *unused_octets,
                                           void **unused_state)
{
    const struct metrics_http *http = arg;
    const char *url = path_of(target);
    (void)unused_version, (void)unused_upload, (void)unused_octets, (void)unused_state;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return reply_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n");
    if (strcmp(url, "/metrics") == 0)
        return send_metrics(http, connection);
    if (strcmp(url, "/healthz") == 0)
        return send_health(http, connection);
    if (strcmp(url, "/readyz") == 0)
        return send_readiness(http, connection);
    return reply_text(connection, MHD_HTTP_NOT_FOUND,
                      "not found; there are /metrics, /healthz and /readyz\n");
}

/* --- start and end --- */

union endpoint {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool set_endpoint(union endpoint *to, const char *address, uint16_t port)
{
    *to = (union endpoint){.v4 = {.sin_family = AF_INET, .sin_port = htons(port)}};
    if (inet_pton(AF_INET, address, &to->v4.sin_addr) == 1)
        return true;
    *to = (union endpoint){.v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)}};
    return inet_pton(AF_INET6, address, &to->v6.sin6_addr) == 1;
}

/* A socket that listens there; -1: errno says why not. libmicrohttpd 1.0 would overwrite it. */
static int listen_at(const union endpoint *at)
{
    bool is_v6 = at->any.sa_family == AF_INET6;
    int yes = 1, fd = socket(at->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (is_v6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
    if (bind(fd, &at->any, is_v6 ? sizeof(at->v6) : sizeof(at->v4)) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    int fault = errno;
    close(fd);
    errno = fault;
    return -1;
}

/* Starts the server on that socket, which becomes its own. */
static struct MHD_Daemon *serve_at(struct metrics_http *http, const union endpoint *at)
{
    int fd = listen_at(at);
    if (fd < 0)
        return NULL;
    return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, metrics_http_answer, http, MHD_OPTION_LISTEN_SOCKET,
                            fd, HTTP_LOOP_OPTIONS(&http->loop), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            (size_t)REQUEST_OCTETS, MHD_OPTION_END);
}

struct metrics_http *metrics_http_start(struct telemetry *telemetry,
                                        const struct metrics_http_options *options)
{
    struct metrics_http *http = calloc(1, sizeof(*http));
    union endpoint at;
    errno = 0;
    if (http && set_endpoint(&at, options->address, options->port)) {
        *http =
            (struct metrics_http){.telemetry = telemetry, .options = *options, .rows_max = options->rows_max};
        http->daemon = serve_at(http, &at);
    }
    if (http && http->daemon && http_loop_start(&http->loop, http->daemon))
        return http;
    if (http && http->daemon)
        MHD_stop_daemon(http->daemon);
    fprintf(stderr, "gbflow: live.metrics: cannot listen at %s, TCP port %u: %s\n", options->address,
            options->port, errno ? strerror(errno) : "not a local address");
    free(http);
    return NULL;
}

void metrics_http_set_rows(struct metrics_http *http, unsigned rows_max)
{
    atomic_store_explicit(&http->rows_max, rows_max, memory_order_relaxed);
}

void metrics_http_stop(struct metrics_http *http)
{
    if (!http)
        return;
    http_loop_stop(&http->loop);
    MHD_stop_daemon(http->daemon);
    free(http);
}
