/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/eal.h"

#include <limits.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEGABYTE    ((size_t)1 << 20)
#define CPUS_CAP    4096
#define LCORE_CHARS (6 * CPUS_CAP)
#define DESCRIPTORS 32 /* DPDK 22.11 fails with 8 */

/* One lcore that may run on all CPUs of the affinity mask, so that runs at the same time are not pinned to
 * the same CPU. */
static void put_lcores(char *out, size_t cap)
{
    cpu_set_t cpus;
    size_t used = (size_t)snprintf(out, cap, "0@(");
    const char *comma = "";

    if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0) {
        CPU_ZERO(&cpus);
        CPU_SET(0, &cpus);
    }
    for (int cpu = 0; cpu < CPU_SETSIZE && used + 8 < cap; cpu++) {
        if (!CPU_ISSET(cpu, &cpus))
            continue;
        used += (size_t)snprintf(out + used, cap - used, "%s%d", comma, cpu);
        comma = ",";
    }
    snprintf(out + used, cap - used, ")");
}

bool eal_has_descriptors(unsigned count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= count)
        return true;
    rlim_t soft = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < count ? limit.rlim_max : count;
    if (limit.rlim_cur == count && setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return true;
    fprintf(stderr,
            "gbflow: the limit of open files is %llu, needed are %u; raise it (ulimit -n, LimitNOFILE=)\n",
            (unsigned long long)soft, count);
    return false;
}

bool eal_start_virtual(size_t memory_octets)
{
    static char lcores[LCORE_CHARS], megabytes[24], prefix[32];
    char *argv[] = {"gbflow",
                    "--lcores",
                    lcores,
                    "--no-huge",
                    "-m",
                    megabytes,
                    "--no-pci",
                    "--no-shconf",
                    "--no-telemetry",
                    "--iova-mode=va",
                    "--file-prefix",
                    prefix,
                    "--log-level=lib.*:error",
                    NULL};

    if (!eal_has_descriptors(DESCRIPTORS))
        return false;
    put_lcores(lcores, sizeof(lcores));
    snprintf(megabytes, sizeof(megabytes), "%zu", memory_octets / MEGABYTE + 1);
    snprintf(prefix, sizeof(prefix), "gbflow%d", (int)getpid());
    rte_log_set_global_level(RTE_LOG_ERR);
    if (rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) >= 0)
        return true;
    fprintf(stderr, "gbflow: DPDK does not start: %s\n", rte_strerror(rte_errno));
    return false;
}

void eal_stop(void)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof(folder), "%s", rte_eal_get_runtime_dir());
    rte_eal_cleanup();
    rmdir(folder); /* DPDK does not delete it, and makes one for each run */
}
