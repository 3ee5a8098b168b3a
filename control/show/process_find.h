/* SPDX-License-Identifier: BSD-3-Clause */
/* process_find() finds nodes and emulated BSSs that run on this machine, by their sockets
 * (telemetry_socket.h). */
#ifndef CONTROL_SHOW_PROCESS_FIND_H
#define CONTROL_SHOW_PROCESS_FIND_H

#include "control/show/telemetry_socket.h"

#include <stdbool.h>
#include <stdint.h>

/* A process whose socket is there. */
struct process_found {
    char path[TELEMETRY_SOCKET_PATH_CHARS];
    char name[TELEMETRY_SOCKET_NAME_CHARS + 1];
    char kind[8]; /* of telemetry.h; "": it has not greeted */
    bool may_act; /* it has said so of this user */
    uint64_t device, inode;
    int fd; /* while it is asked; -1: none */
};

#define PROCESS_FIND_MOST 16

/* The processes of a name, NULL: of any, that answer; without one, those that take clients and are silent for
 * wait_ns, or whose sockets are another user's, also in folders that this user may not enter (/proc/net/unix
 * has their paths). They are looked for where nodes have their folders: in
 * $RUNTIME_DIRECTORY if that is set; else in those of services, /run/gbflow and the folders in it, and in
 * DPDK's of root and of users. Sockets without a process are passed over. Returns their number. */
unsigned process_find(const char *name, struct process_found found[PROCESS_FIND_MOST], int64_t wait_ns);

/* Those places, for a message; static. */
const char *process_find_places(void);

#endif
