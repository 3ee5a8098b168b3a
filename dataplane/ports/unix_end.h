/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Unix socket at which a port meets its peer: net_vhost, net_virtio_user and net_memif. Their drivers say
 * only "not permitted" of a socket that no process has open, and fail at a file that a killed process has
 * left.
 */
#ifndef DATAPLANE_PORTS_UNIX_END_H
#define DATAPLANE_PORTS_UNIX_END_H

#include <stdbool.h>
#include <stddef.h>

#define UNIX_END_PATH_CHARS 108

/*
 * Before a port of this name is opened: removes the file of a socket at which the port is to listen, if no
 * process has it open any more. False: error holds the reason why the port cannot be opened, and what to do.
 * True for all other devices, and for abstract sockets, which have no file.
 */
bool unix_end_prepare(const char *name, char *error, size_t cap);

/* Whether opening such a port does not end before a peer has connected; path is where it listens then. */
bool unix_end_waits(const char *name, char path[UNIX_END_PATH_CHARS]);

#endif
