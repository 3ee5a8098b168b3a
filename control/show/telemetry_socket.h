/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The telemetry socket of a process that runs without DPDK: the same path, the same commands for tables
 * (control/show/telemetry.h), answered in the process's own event loop. Orders are not taken.
 *
 * A client that does not read its answer is closed. One beyond TELEMETRY_SOCKET_CLIENTS takes the place of
 * the client that has been idle longest, which is closed: idle clients do not keep others out.
 */
#ifndef CONTROL_SHOW_TELEMETRY_SOCKET_H
#define CONTROL_SHOW_TELEMETRY_SOCKET_H

#include "control/show/telemetry.h"

#include <stdbool.h>
#include <stdint.h>

#define TELEMETRY_SOCKET_CLIENTS 10 /* as many as DPDK takes */

/* The names that a process may have: those of eal.prefix (lua/node/schema_links.lua), without options. */
#define TELEMETRY_SOCKET_NAME_CHARS 30
#define TELEMETRY_SOCKET_NAME_FORM  "1 to 30 letters, digits, _ and -, the first one no -"

struct telemetry_socket {
    struct telemetry_source source; /* tables and their record */
    int fd;                         /* readable when something is to be done; -1: not open */
    int listener;
    int clients[TELEMETRY_SOCKET_CLIENTS];    /* -1: free */
    uint64_t heard[TELEMETRY_SOCKET_CLIENTS]; /* turn at which each came or asked last */
    uint64_t turn;
    char path[108]; /* of the socket; "": none to delete */
};

/* For closing one that was never opened. */
#define TELEMETRY_SOCKET_CLOSED                                                                              \
    {                                                                                                        \
        .fd = -1, .listener = -1                                                                             \
    }

bool telemetry_socket_is_name(const char *name);

/* Listens as the process `prefix`. False, with a warning on stderr: another process has the name, or the
 * folder cannot be made; nothing is open then. A socket that a killed process has left is replaced. */
bool telemetry_socket_open(struct telemetry_socket *s, const char *prefix,
                           const struct telemetry_source *source);

/* Takes clients and answers what they have asked, without waiting. */
void telemetry_socket_step(struct telemetry_socket *s);

void telemetry_socket_close(struct telemetry_socket *s);

#endif
