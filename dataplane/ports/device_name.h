/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPDK device's name: the driver's kind and its arguments ("net_af_packet0,iface=eth1"), and whether a port
 * of this name can be opened. Drivers tell many failures only to their own log; net_vhost, net_virtio_user
 * and net_memif say only "not permitted" of a Unix socket that no process has open, and fail at a file that a
 * killed process has left.
 */
#ifndef DATAPLANE_PORTS_DEVICE_NAME_H
#define DATAPLANE_PORTS_DEVICE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define DEVICE_NAME_CHARS      256
#define DEVICE_NAME_PATH_CHARS 108

/* Whether a name is a PCI address, which EAL must be given at its start. */
bool device_name_is_pci(const char *name);

/* Whether a name is that of a driver's virtual device ("net_memif"). */
bool device_name_is_kind(const char *name, const char *kind);

/* Copies the kernel's network interface that the name has as an argument ("iface="), cut to cap. False: none.
 */
bool device_name_interface(const char *name, char *out, size_t cap);

/*
 * Before a port of this name is opened. False: error holds the reason why it cannot be opened, and what to
 * do. Removes the file of a socket at which the port is to listen, if no process has it open any more.
 */
bool device_name_check(const char *name, char *error, size_t cap);

/* Whether opening such a port does not end before a peer has connected; path is where it listens then. */
bool device_name_waits(const char *name, char path[DEVICE_NAME_PATH_CHARS]);

#endif
