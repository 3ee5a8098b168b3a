/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps drivers from DPDK's EAL that it would load and that the node does not use. */
#include "control/base/eal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <rte_config.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * DPDK loads every driver that is installed, about 120 shared objects of 17 MB: of the 0.12 s and 61 MB of a
 * run with 110 mobiles they took 0.03 s and 17 MB. It has no option against that. But it loads none where its
 * libraries are linked statically, and finds this out by asking dlopen() for its own library without loading
 * it. It also looks for each of 126 lcores, there or not, in each of 32 NUMA nodes: 4032 calls of access(),
 * 0.008 s; one that it does not find is of node 0. These functions come before the C library's and deny it
 * both while is_virtual_starting.
 */
static atomic_bool is_virtual_starting; /* of its start; threads of DPDK read it */

void eal_drivers_deny(bool denies)
{
    atomic_store(&is_virtual_starting, denies);
}

static bool begins_with(const char *text, const char *start)
{
    return text && strncmp(text, start, strlen(start)) == 0;
}

/* A pool has the number of its operations in the order in which a process has loaded drivers of pools. Pools
 * of dpdk-dumpcap serve a shared node only where both loaded them alike; rings that are linked would come
 * first. */
bool eal_drivers_load_rings(void)
{
    char path[PATH_MAX];
    const char *abi = strrchr(RTE_EAL_PMD_PATH, '-'); /* .../pmds-25.0 */
    snprintf(path, sizeof(path), "%s/librte_mempool_ring.so%s%s", RTE_EAL_PMD_PATH, abi ? "." : "",
             abi ? abi + 1 : "");
    if (dlopen(path, RTLD_NOW))
        return true;
    fprintf(stderr, "gbflow: DPDK's pools of rings: %s\n", dlerror());
    return false;
}

void *eal_drivers_dlopen(const char *file, int mode) __asm__("dlopen");
int eal_drivers_access(const char *path, int mode) __asm__("access");

void *eal_drivers_dlopen(const char *file, int mode)
{
    static void *(*next)(const char *file, int mode);
    if (atomic_load(&is_virtual_starting) && (mode & RTLD_NOLOAD) && begins_with(file, "librte_eal.so"))
        return NULL;
    if (!next)
        next = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return next ? next(file, mode) : NULL;
}

int eal_drivers_access(const char *path, int mode)
{
    if (!atomic_load(&is_virtual_starting) || !begins_with(path, "/sys/devices/system/node/node"))
        return faccessat(AT_FDCWD, path, mode, 0);
    errno = ENOENT;
    return -1;
}
