/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/finding.h"
#include "app/doctor/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LIMITS            "/proc/self/limits"
#define ENOUGH_LOCKED     ((uint64_t)1 << 30)
#define FILES_BESIDES     256 /* descriptors besides those of huge pages */
#define CAP_NET_ADMIN_BIT 12
#define CAP_NET_RAW_BIT   13
#define CAP_IPC_LOCK_BIT  14

/* The soft limit; UINT64_MAX: unlimited, 0: the file does not have it. */
static uint64_t soft_limit(const struct doctor *d, const char *name)
{
    char text[128];
    if (!host_tree_field(&d->tree, LIMITS, name, text, sizeof(text)))
        return 0;
    return strncmp(text, "unlimited", 9) == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
}

static bool has_capability(const struct doctor *d, unsigned bit)
{
    char text[32];
    host_tree_field(&d->tree, "/proc/self/status", "CapEff", text, sizeof(text));
    return strtoull(text, NULL, 16) >> bit & 1;
}

static void examine_locked(struct doctor *d)
{
    uint64_t octets = soft_limit(d, "Max locked memory");
    if (octets == UINT64_MAX)
        doctor_ok(d, "memlock", "unlimited");
    else if (has_capability(d, CAP_IPC_LOCK_BIT))
        doctor_ok(d, "memlock", "%" PRIu64 " KiB, without effect on a process with CAP_IPC_LOCK",
                  octets / 1024);
    else if (octets >= ENOUGH_LOCKED)
        doctor_ok(d, "memlock", "%" PRIu64 " MiB", octets >> 20);
    else
        doctor_warn(d, "memlock", "LimitMEMLOCK=infinity of the service, or ulimit -l unlimited",
                    "%" PRIu64 " KiB: vfio-pci cannot map memory for a network card", octets / 1024);
}

/* In DPDK's in-memory mode every huge page is a descriptor. */
static void examine_files(struct doctor *d)
{
    uint64_t limit = soft_limit(d, "Max open files");
    int64_t pages = 0;
    host_tree_number(&d->tree, &pages, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
    if (limit < (uint64_t)pages + FILES_BESIDES)
        doctor_warn(d, "open files", "LimitNOFILE=65536 of the service, or ulimit -n 65536",
                    "%" PRIu64 ", fewer than %" PRId64 " huge pages of 2 MiB may need", limit, pages);
    else if (limit == UINT64_MAX)
        doctor_ok(d, "open files", "unlimited");
    else
        doctor_ok(d, "open files", "%" PRIu64, limit);
}

/* DPDK's net_af_packet sets an interface's MAC address and modes when it starts. */
static void examine_rights(struct doctor *d)
{
    static const char advice[] =
        "AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN of the service, or start as root";
    bool has_raw = has_capability(d, CAP_NET_RAW_BIT), has_admin = has_capability(d, CAP_NET_ADMIN_BIT);
    if (has_raw && has_admin)
        doctor_ok(d, "rights",
                  "CAP_NET_RAW and CAP_NET_ADMIN, for ports on network interfaces of the kernel");
    else
        doctor_warn(d, "rights", advice,
                    "no CAP_NET_%s: no net_af_packet ports; net_memif, net_pcap and virtual time need none",
                    has_raw ? "ADMIN" : "RAW");
}

static void examine_python(struct doctor *d)
{
    if (host_tree_has(&d->tree, "/usr/bin/python3") || host_tree_has(&d->tree, "/usr/local/bin/python3"))
        doctor_ok(d, "reports",
                  "python3 is installed; report.html also needs matplotlib, which is not tested here");
    else
        doctor_missing(d, "reports", "apt-get install python3 python3-matplotlib, or run with --no-report",
                       "no python3: no report.html, no reproduce, no compare");
}

void doctor_limits_examine(struct doctor *d)
{
    examine_locked(d);
    examine_files(d);
    examine_rights(d);
    examine_python(d);
}
