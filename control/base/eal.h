/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts DPDK's EAL: in virtual time without devices, live with those of the node. */
#ifndef CONTROL_BASE_EAL_H
#define CONTROL_BASE_EAL_H

#include "control/base/live_config.h"

#include <stdbool.h>
#include <stddef.h>

/* Starts it with room for memory_octets of packet buffers and tables, and of its drivers with those alone
 * of rings: ports, which the program is linked with, and pools. False, with a line on stderr, when it does
 * not start. */
bool eal_start_virtual(size_t memory_octets);

/* While set, rte_eal_init() finds no drivers and no NUMA nodes (eal_drivers.c). */
void eal_drivers_deny(bool denies);

/* Loads the driver of pools that are rings, without the others. False, with a line on stderr: not there. */
bool eal_drivers_load_rings(void);
void eal_stop(void);

/* The same at the end of a process that has closed its devices, whose memory is left to the kernel: DPDK's
 * thread of interrupts may still read what rte_eal_cleanup() unmaps, as it does when a memif link's socket
 * has just closed. */
void eal_leave(void);

/* Starts it with memory_octets and this device alone, if it is a card, in huge pages if enough are free.
 * False, with a line on stderr, when it does not start. */
bool eal_start_device(const char *device, size_t memory_octets);

/* DPDK's environment for a live node: each worker is pinned to a CPU, control runs on any of the other CPUs.
 */

/* The lcore of a worker; control has lcore 0. */
#define EAL_LIVE_LCORE(worker) ((worker) + 1)

/* The first CPU of live.cores that is not in the process's affinity mask; NULL: all are. */
const unsigned *eal_live_absent_core(const struct live_config *config);

/* False, with a line on stderr: live.cores has a CPU that is not in the process's affinity mask. */
bool eal_live_check(const struct live_config *config);

/* Before workers poll: this thread leaves their CPUs, unless it has no others. */
void eal_live_leave_workers(unsigned workers);

/* Whether eal_live_start() will use huge pages for memory_octets. */
bool eal_live_has_huge_pages(const struct live_config *config, size_t memory_octets);

/* Starts DPDK with memory_octets of memory, unless the configuration has another size. False, with a line on
 * stderr: it does not start. eal_stop() ends it. */
bool eal_live_start(const struct live_config *config, unsigned workers, size_t memory_octets);

/* Whether the process may open as many files as such a node needs. False, with a line on stderr. */
bool eal_live_has_descriptors(unsigned workers);

/* The folder of DPDK's run-time files, a folder for each prefix, and of the locks of live nodes. Writes the
 * path that DPDK uses: "dpdk" in $RUNTIME_DIRECTORY, else root: /var/run, others: $XDG_RUNTIME_DIR
 * or /tmp. Returns the characters written, without the 0, which are fewer than cap. */
size_t eal_folder(char *out, size_t cap);

#endif
