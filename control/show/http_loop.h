/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that runs a server of libmicrohttpd, and limits how long each connection lasts, whether or not its
 * client makes progress: libmicrohttpd itself waits for ever for a client that sends an octet now and then. A
 * connection has HTTP_LOOP_REQUEST_NS from its begin to its whole request, and HTTP_LOOP_ANSWER_NS from then
 * to the end of the answer. While more than half of the places are taken, it has a fifth of these times.
 */
#ifndef CONTROL_SHOW_HTTP_LOOP_H
#define CONTROL_SHOW_HTTP_LOOP_H

#include "dataplane/base/moment.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

void http_loop_note(void *loop, struct MHD_Connection *connection, void **place,
                    enum MHD_ConnectionNotificationCode what);

/* False: no thread or eventfd; errno says why. */
bool http_loop_start(struct http_loop *loop, struct MHD_Daemon *daemon);

/* Ends the thread; before MHD_stop_daemon(). */
void http_loop_stop(struct http_loop *loop);

/* In the server's handler: the request is whole, and its answer is being queued. */
void http_loop_answered(struct MHD_Connection *connection);

#endif
