/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's environment for runs without hardware: no huge pages, no PCI, no shared files, any user. */
#ifndef CONTROL_BASE_EAL_H
#define CONTROL_BASE_EAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the process may have so many open files; raises the soft limit up to the hard one. False, with a
 * line on stderr: DPDK would end the program without it. */
bool eal_has_descriptors(unsigned count);

/* Starts it with room for memory_octets of packet buffers and tables. False, with a line on stderr, when it
 * does not start. */
bool eal_start_virtual(size_t memory_octets);
void eal_stop(void);

#endif
