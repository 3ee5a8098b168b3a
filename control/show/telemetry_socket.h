/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The socket of a running process, a node or an emulated BSS, for gbflow's own clients: commands and answers
 * are those of DPDK's telemetry (control/show/telemetry.h), answered in the process's own event loop, without
 * a thread. DPDK's socket of a node is another one: its thread ends at the first lack of descriptors, and an
 * idle client holds one of its ten places.
 *
 * A client that does not read its answer is closed. One beyond TELEMETRY_SOCKET_CLIENTS, or beyond the
 * descriptors that the process has, takes the place of the client that has been idle longest, for
 * TELEMETRY_SOCKET_IDLE_NS at least, which is closed; without such a one it gets {"error": "busy: ..."} in
 * place of the greeting. One that may act (asker.h) takes that of any that may only read, and no reader takes
 * its. A client that follows (telemetry.h) or waits for an order is not idle; the record takes fewer of the
 * former than there are places.
 *
 * A socket that cannot be had, that fails or whose file is gone is opened again, TELEMETRY_SOCKET_LOOK_NS
 * later at most.
 */
#ifndef CONTROL_SHOW_TELEMETRY_SOCKET_H
#define CONTROL_SHOW_TELEMETRY_SOCKET_H

#include "control/show/telemetry.h"
#include "dataplane/base/moment.h"

#include <stdbool.h>
#include <stdint.h>

#define TELEMETRY_SOCKET_CLIENTS 64
#define TELEMETRY_SOCKET_IDLE_NS MOMENT_SECOND
#define TELEMETRY_SOCKET_LOOK_NS (MOMENT_SECOND / 2)

/* In the folder of a process: that of eal_folder(), and its prefix. */
#define TELEMETRY_SOCKET_FILE       "gbflow_telemetry.v2"
#define TELEMETRY_SOCKET_PATH_CHARS 108 /* of struct sockaddr_un */

/* The names that a process may have: those of eal.prefix (lua/node/schema_links.lua), without options. */
#define TELEMETRY_SOCKET_NAME_CHARS 30
#define TELEMETRY_SOCKET_NAME_FORM  "1 to 30 letters, digits, _ and -, the first one no -"

struct telemetry_socket_client {
    int fd;                                 /* -1: the place is free */
    uint64_t heard;                         /* turn at which it came or asked last */
    int64_t heard_ns;                       /* when that was */
    bool may_act;                           /* not only read */
    const struct telemetry_order *order;    /* whose answer waits; NULL: none */
    const char *wrong;                      /* what the answer will be */
    const struct telemetry_order *followed; /* that it gets messages of; NULL: none */
};

struct telemetry_socket {
    struct telemetry_source source; /* tables, orders and their record */
    const char *prefix;
    int fd;       /* epoll, readable when something is to be done; -1: not open */
    int listener; /* -1: there is none now */
    struct telemetry_socket_client clients[TELEMETRY_SOCKET_CLIENTS];
    uint64_t turn;
    int64_t now;                            /* of the step */
    int64_t look_ns;                        /* when to see whether the socket is there */
    char path[TELEMETRY_SOCKET_PATH_CHARS]; /* of the socket; "": none to delete */
    uint64_t file;                          /* its inode, as long as it is this process's */
    bool has_complained;                    /* that there is none */
};

/* For closing one that was never opened. */
#define TELEMETRY_SOCKET_CLOSED                                                                              \
    {                                                                                                        \
        .fd = -1, .listener = -1                                                                             \
    }

bool telemetry_socket_is_name(const char *name);

/* Writes the path of the socket of the process `prefix`, or what fits of it. False: it is too long. */
bool telemetry_socket_path(char out[TELEMETRY_SOCKET_PATH_CHARS], const char *prefix);

/* Listens as the process `prefix`, which stays valid until the close. A socket that a killed process has left
 * is replaced. With a warning on stderr if another process has the name, or the folder cannot be made: it is
 * tried again. False, with a line on stderr: no descriptor to wait on. */
bool telemetry_socket_open(struct telemetry_socket *s, const char *prefix,
                           const struct telemetry_source *source);

/* Takes clients and answers what they have asked, without waiting. Returns when to call it again, though its
 * fd is not readable then. */
int64_t telemetry_socket_step(struct telemetry_socket *s, int64_t now);

void telemetry_socket_close(struct telemetry_socket *s);

#endif
