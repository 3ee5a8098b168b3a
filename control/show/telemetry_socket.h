/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The telemetry socket of a process that runs without DPDK: the same path, the same commands for tables
 * (control/show/telemetry.h), answered in the process's own event loop. Orders are not taken.
 *
 * A client that does not read its answer is closed; so is one beyond TELEMETRY_SOCKET_CLIENTS.
 */
#ifndef CONTROL_SHOW_TELEMETRY_SOCKET_H
#define CONTROL_SHOW_TELEMETRY_SOCKET_H

#include "control/show/telemetry.h"

#include <stdbool.h>

#define TELEMETRY_SOCKET_CLIENTS 10 /* as many as DPDK takes */

struct telemetry_socket {
    struct telemetry_source source; /* tables and their record */
    int fd;                         /* readable when something is to be done; -1: not open */
    int listener;
    int clients[TELEMETRY_SOCKET_CLIENTS]; /* -1: free */
    char path[108];                        /* of the socket; "": none to delete */
};

/* For closing one that was never opened. */
#define TELEMETRY_SOCKET_CLOSED                                                                              \
    {                                                                                                        \
        .fd = -1, .listener = -1                                                                             \
    }

/* Listens as the process `prefix`. False, with a warning on stderr: another process has the name, or the
 * folder cannot be made; nothing is open then. A socket that a killed process has left is replaced. */
bool telemetry_socket_open(struct telemetry_socket *s, const char *prefix,
                           const struct telemetry_source *source);

/* Takes clients and answers what they have asked, without waiting. */
void telemetry_socket_step(struct telemetry_socket *s);

void telemetry_socket_close(struct telemetry_socket *s);

#endif
