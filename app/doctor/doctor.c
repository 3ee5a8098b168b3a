/* SPDX-License-Identifier: BSD-3-Clause */

#include "app/doctor/doctor.h"

#include "app/doctor/host_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CPUINFO "/proc/cpuinfo"
#define CPUS    "/sys/devices/system/cpu"

/* The longest line of flags, in octets. */
struct flags {
    char text[4096];
};

static bool has_flag(const struct flags *flags, const char *name)
{
    size_t octets = strlen(name);
    for (const char *at = flags->text; (at = strstr(at, name)); at += octets)
        if ((at == flags->text || at[-1] == ' ') && (at[octets] == ' ' || at[octets] == 0))
            return true;
    return false;
}

static bool has_flags(const struct flags *flags, const char *const *names)
{
    for (; *names; names++)
        if (!has_flag(flags, *names))
            return false;
    return true;
}

static const char *const cipher_flags[] = {"avx512f", "avx512bw", "avx512vbmi", "gfni", NULL};

static const char *ciphering(const struct flags *flags)
{
    if (has_flags(flags, cipher_flags))
        return "AVX-512";
    return has_flag(flags, "avx2") ? "AVX2" : "the portable code";
}

/* The instructions that the vector forms of ciphering and of the frame check sequence need; gbflow tests for
 * the same when it starts. */
static void examine_instructions(struct findings *d, const struct flags *flags)
{
    static const char *const base[] = {"sse4_1", "sse4_2", "ssse3", "popcnt", NULL};
    static const char *const fcs[] = {"avx512f", "avx512bw", "avx512vl", "avx512_vbmi2", "vpclmulqdq", NULL};
    static const char *const name = "instructions",
                             *const remedy =
                                 "nothing to set; in a virtual machine pass the host's processor through";

    if (!has_flags(flags, base))
        finding_unusable(d, name, "an x86 processor with SSE4.2: DPDK is built for it", "no SSE4.2");
    else if (has_flags(flags, cipher_flags) && has_flags(flags, fcs))
        finding_ok(d, name, "AVX-512, GFNI and VPCLMULQDQ, for ciphering and frame check sequences");
    else if (has_flag(flags, "pclmulqdq"))
        finding_warn(d, name, remedy, "PCLMULQDQ, %s: ciphering is by %s",
                     has_flags(flags, fcs) ? "VPCLMULQDQ, no GFNI"
                                           : "not all of AVX-512, GFNI and VPCLMULQDQ",
                     ciphering(flags));
    else
        finding_warn(d, name, remedy,
                     "no PCLMULQDQ: frame check sequences are by the portable code, ciphering is by %s",
                     ciphering(flags));
}

static void examine_clock(struct findings *d, const struct flags *flags)
{
    char source[32];
    host_tree_text(&d->tree, source, sizeof(source),
                   "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (!has_flag(flags, "constant_tsc") || !has_flag(flags, "nonstop_tsc"))
        finding_warn(d, "clock source", "do not rely on times and rates measured on this machine",
                     "%s; the processor's counter (TSC) changes its rate or stops", source);
    else if (strcmp(source, "tsc") != 0)
        finding_warn(d, "clock source",
                     "find the reason in the kernel's log (dmesg); if the TSC is reliable, boot with "
                     "clocksource=tsc tsc=reliable",
                     "the kernel uses %s, not the TSC, which workers use",
                     source[0] ? source : "an unknown one");
    else
        finding_ok(d, "clock source", "tsc, which is constant and does not stop");
}

/* The first processor whose governor is not "performance", and how many there are. */
static void examine_governor(struct findings *d)
{
    static struct host_tree_names cpus;
    char governor[32], odd[32] = "";
    unsigned governed = 0, odd_count = 0;

    host_tree_list(&d->tree, &cpus, CPUS);
    for (unsigned i = 0; i < cpus.count; i++) {
        if (!host_tree_text(&d->tree, governor, sizeof(governor), CPUS "/%s/cpufreq/scaling_governor",
                            cpus.names[i]))
            continue;
        governed++;
        if (strcmp(governor, "performance") == 0)
            continue;
        if (odd_count++ == 0)
            snprintf(odd, sizeof(odd), "%s", governor);
    }
    if (governed == 0)
        finding_ok(d, "frequency", "no governor in this kernel; firmware or a hypervisor sets the frequency");
    else if (odd_count > 0)
        finding_warn(d, "frequency", "cpupower frequency-set -g performance",
                     "%u of %u CPUs are governed by \"%s\"", odd_count, governed, odd);
    else
        finding_ok(d, "frequency", "performance, on all %u CPUs", governed);
}

/* A clock that rises while the chip is cool makes the first of two runs the faster one. */
static void examine_boost(struct findings *d)
{
    int64_t value;
    bool is_on;
    if (host_tree_number(&d->tree, &value, CPUS "/intel_pstate/no_turbo"))
        is_on = value == 0;
    else if (host_tree_number(&d->tree, &value, CPUS "/cpufreq/boost"))
        is_on = value != 0;
    else
        return;
    if (is_on)
        finding_warn(d, "boost",
                     "for benchmarks: echo 1 > " CPUS "/intel_pstate/no_turbo, or echo 0 > " CPUS
                     "/cpufreq/boost",
                     "on: frequency depends on temperature and on the other cores");
    else
        finding_ok(d, "boost", "off");
}

static void examine_cpu(struct findings *d)
{
    struct flags flags;
    if (!host_tree_field(&d->tree, CPUINFO, "flags", flags.text, sizeof(flags.text))) {
        finding_unusable(d, "instructions", "an x86 processor, and /proc mounted", "%s names no flags",
                         CPUINFO);
        return;
    }
    examine_instructions(d, &flags);
    if (has_flag(&flags, "hypervisor"))
        finding_warn(
            d, "machine",
            "measure throughput on a physical machine, or check how many trials of the benchmark are void",
            "virtual machine: other guests may use the same cores, which causes gaps of milliseconds");
    else
        finding_ok(d, "machine", "not virtual");
    examine_clock(d, &flags);
    examine_governor(d);
    examine_boost(d);
}

/* The control core sleeps most of the time; a worker that polls takes all time of its core. */
static void examine_count(struct findings *d)
{
    char allowed[256];
    host_tree_field(&d->tree, "/proc/self/status", "Cpus_allowed_list", allowed, sizeof(allowed));
    unsigned count = host_tree_count_list(allowed);
    if (count == 0)
        finding_warn(d, "cores", "mount /proc", "the CPUs that this process may use are unknown");
    else if (count == 1)
        finding_warn(d, "cores", "give it a second CPU, or keep live.idle = \"sleep\"",
                     "1 CPU, which the control core and a worker share");
    else
        finding_ok(d, "cores", "%u CPUs may be used: %s", count, allowed);
}

static void examine_isolation(struct findings *d)
{
    char isolated[128], no_tick[128];
    static const char advice[] =
        "kernel command line: isolcpus=managed_irq,domain,LIST nohz_full=LIST rcu_nocbs=LIST; then "
        "live.cores = {...} of the node";
    host_tree_text(&d->tree, isolated, sizeof(isolated), CPUS "/isolated");
    host_tree_text(&d->tree, no_tick, sizeof(no_tick), CPUS "/nohz_full");
    bool has_tick = host_tree_count_list(no_tick) == 0;

    if (host_tree_count_list(isolated) == 0)
        finding_warn(d, "isolation", advice, "no CPU is isolated: other processes interrupt workers");
    else if (has_tick)
        finding_warn(d, "isolation", advice, "CPUs %s are isolated, but have the scheduler's tick", isolated);
    else
        finding_ok(d, "isolation", "CPUs %s are isolated, %s without tick", isolated, no_tick);
}

static void examine_threads(struct findings *d)
{
    int64_t is_active;
    if (!host_tree_number(&d->tree, &is_active, CPUS "/smt/active"))
        return;
    if (is_active)
        finding_warn(d, "smt",
                     "one worker per core (" CPUS
                     "/cpuN/topology/thread_siblings_list), or the boot option nosmt",
                     "on: two CPUs are one core");
    else
        finding_ok(d, "smt", "off: a CPU is a core");
}

static void examine_cores(struct findings *d)
{
    examine_count(d);
    examine_isolation(d);
    examine_threads(d);
}

#define PAGES           "/sys/kernel/mm/hugepages"
#define NODES           "/sys/devices/system/node"
#define NEEDED_MIB      256  /* the smallest scenario */
#define COMFORTABLE_MIB 1024 /* a live node of 100 000 mobiles */

static void examine_total(struct findings *d)
{
    char text[32];
    unsigned long long kib = 0;
    static const char name[] = "memory";
    host_tree_field(&d->tree, "/proc/meminfo", "MemAvailable", text, sizeof(text));
    if (sscanf(text, "%llu", &kib) != 1)
        finding_unusable(d, name, "mount /proc", "the amount of free memory is unknown");
    else if (kib / 1024 < NEEDED_MIB)
        finding_unusable(d, name, "end other processes, or reserve fewer huge pages",
                         "%llu MiB free, %u are needed", kib / 1024, NEEDED_MIB);
    else
        finding_ok(d, name, "%llu MiB free besides huge pages", kib / 1024);
}

static int64_t pages_of(const struct findings *d, const char *folder, const char *size, const char *file)
{
    int64_t pages = 0;
    host_tree_number(&d->tree, &pages, "%s/%s/%s", folder, size, file);
    return pages;
}

/* MiB of huge pages below a folder that has one for each size; *total also those in use. */
static int64_t huge_mib(const struct findings *d, const char *folder, int64_t *total)
{
    static const struct {
        const char *folder;
        int64_t mib;
    } sizes[] = {{"hugepages-2048kB", 2}, {"hugepages-1048576kB", 1024}};
    int64_t free_mib = 0;
    *total = 0;
    for (unsigned i = 0; i < 2; i++) {
        free_mib += pages_of(d, folder, sizes[i].folder, "free_hugepages") * sizes[i].mib;
        *total += pages_of(d, folder, sizes[i].folder, "nr_hugepages") * sizes[i].mib;
    }
    return free_mib;
}

static void examine_huge_pages(struct findings *d)
{
    int64_t total, free_mib = huge_mib(d, PAGES, &total);
    static const char advice[] =
        "echo 1024 > " PAGES "/hugepages-2048kB/nr_hugepages, or when booting: default_hugepagesz=1G "
        "hugepagesz=1G hugepages=4";
    if (total == 0)
        finding_missing(d, "huge pages", advice,
                        "none; gbflow runs with pages of 4 KiB, but network cards need huge pages");
    else if (free_mib < COMFORTABLE_MIB)
        finding_warn(d, "huge pages", advice, "%" PRId64 " of %" PRId64 " MiB free", free_mib, total);
    else
        finding_ok(d, "huge pages", "%" PRId64 " of %" PRId64 " MiB free", free_mib, total);
}

/* Nodes with memory and no free huge page, as a list of names. */
static unsigned bare_nodes(const struct findings *d, const struct host_tree_names *entries, char *out,
                           size_t cap)
{
    unsigned nodes = 0;
    char folder[128];
    int64_t total;
    out[0] = 0;
    for (unsigned i = 0; i < entries->count; i++) {
        const char *name = entries->names[i];
        if (strncmp(name, "node", 4) != 0 || name[4] < '0' || name[4] > '9')
            continue;
        nodes++;
        snprintf(folder, sizeof(folder), NODES "/%s/hugepages", name);
        size_t used = strlen(out);
        if (huge_mib(d, folder, &total) == 0)
            snprintf(out + used, cap - used, "%s%s", used ? ", " : "", name);
    }
    return nodes;
}

static void examine_nodes(struct findings *d)
{
    static struct host_tree_names entries;
    char bare[128];
    host_tree_list(&d->tree, &entries, NODES);
    unsigned nodes = bare_nodes(d, &entries, bare, sizeof(bare));
    if (nodes <= 1)
        finding_ok(d, "numa", "one node");
    else if (bare[0])
        finding_warn(d, "numa",
                     "reserve on each node that has a worker or a network card: echo 512 > " NODES
                     "/nodeN/hugepages/hugepages-2048kB/nr_hugepages",
                     "%u nodes, without free huge pages: %s", nodes, bare);
    else
        finding_ok(d, "numa", "%u nodes, each with free huge pages; keep workers on the node of their card",
                   nodes);
}

static void examine_memory(struct findings *d)
{
    examine_total(d);
    examine_huge_pages(d);
    examine_nodes(d);
}

#define LIMITS            "/proc/self/limits"
#define ENOUGH_LOCKED     ((uint64_t)1 << 30)
#define FILES_BESIDES     256 /* descriptors besides those of huge pages */
#define CAP_NET_ADMIN_BIT 12
#define CAP_NET_RAW_BIT   13
#define CAP_IPC_LOCK_BIT  14

/* The soft limit; UINT64_MAX: unlimited, 0: the file does not have it. */
static uint64_t soft_limit(const struct findings *d, const char *name)
{
    char text[128];
    if (!host_tree_field(&d->tree, LIMITS, name, text, sizeof(text)))
        return 0;
    return strncmp(text, "unlimited", 9) == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
}

static bool has_capability(const struct findings *d, unsigned bit)
{
    char text[32];
    host_tree_field(&d->tree, "/proc/self/status", "CapEff", text, sizeof(text));
    return strtoull(text, NULL, 16) >> bit & 1;
}

static void examine_locked(struct findings *d)
{
    uint64_t octets = soft_limit(d, "Max locked memory");
    if (octets == UINT64_MAX)
        finding_ok(d, "memlock", "unlimited");
    else if (has_capability(d, CAP_IPC_LOCK_BIT))
        finding_ok(d, "memlock", "%" PRIu64 " KiB, without effect on a process with CAP_IPC_LOCK",
                   octets / 1024);
    else if (octets >= ENOUGH_LOCKED)
        finding_ok(d, "memlock", "%" PRIu64 " MiB", octets >> 20);
    else
        finding_warn(d, "memlock", "LimitMEMLOCK=infinity of the service, or ulimit -l unlimited",
                     "%" PRIu64 " KiB: vfio-pci cannot map memory for a network card", octets / 1024);
}

/* In DPDK's in-memory mode every huge page is a descriptor. */
static void examine_files(struct findings *d)
{
    uint64_t limit = soft_limit(d, "Max open files");
    int64_t pages = 0;
    host_tree_number(&d->tree, &pages, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
    if (limit < (uint64_t)pages + FILES_BESIDES)
        finding_warn(d, "open files", "LimitNOFILE=65536 of the service, or ulimit -n 65536",
                     "%" PRIu64 ", fewer than %" PRId64 " huge pages of 2 MiB may need", limit, pages);
    else if (limit == UINT64_MAX)
        finding_ok(d, "open files", "unlimited");
    else
        finding_ok(d, "open files", "%" PRIu64, limit);
}

/* DPDK's net_af_packet sets an interface's MAC address and modes when it starts. */
static void examine_rights(struct findings *d)
{
    static const char advice[] =
        "AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN of the service, or start as root";
    bool has_raw = has_capability(d, CAP_NET_RAW_BIT), has_admin = has_capability(d, CAP_NET_ADMIN_BIT);
    if (has_raw && has_admin)
        finding_ok(d, "rights",
                   "CAP_NET_RAW and CAP_NET_ADMIN, for ports on network interfaces of the kernel");
    else
        finding_warn(d, "rights", advice,
                     "no CAP_NET_%s: no net_af_packet ports; net_memif, net_pcap and virtual time need none",
                     has_raw ? "ADMIN" : "RAW");
}

static void examine_python(struct findings *d)
{
    if (host_tree_has(&d->tree, "/usr/bin/python3") || host_tree_has(&d->tree, "/usr/local/bin/python3"))
        finding_ok(d, "reports",
                   "python3 is installed; report.html also needs matplotlib, which is not tested here");
    else
        finding_missing(d, "reports", "apt-get install python3 python3-matplotlib, or run with --no-report",
                        "no python3: no report.html, no reproduce, no compare");
}

static void examine_limits(struct findings *d)
{
    examine_locked(d);
    examine_files(d);
    examine_rights(d);
    examine_python(d);
}

void doctor_examine(struct findings *d, const char *root)
{
    *d = (struct findings){.tree = {.root = root}};
    examine_cpu(d);
    examine_cores(d);
    examine_memory(d);
    examine_limits(d);
    doctor_devices_examine(d);
}
