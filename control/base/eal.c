/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/eal.h"
#include "control/base/live_config.h"

#include "dataplane/ports/device_name.h"

#include <limits.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <rte_pdump.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* DPDK's environment for runs without hardware: no huge pages, no PCI, no shared files, any user. */

#define MEGABYTE     ((size_t)1 << 20)
#define CPUS_CAP     4096
#define LCORE_CHARS  (6 * CPUS_CAP)
#define DESCRIPTORS  32 /* DPDK 22.11 fails with 8 */
#define KIBIBYTE     1024
#define THREADS      8               /* of DPDK 22.11 and of the program beside the workers, at most */
#define STACK_OCTETS (8 * MEGABYTE)  /* of a thread where no limit says it */
#define REST_OCTETS  (32 * MEGABYTE) /* what else DPDK and the threads allocate at the start */

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

/* Whether the process may have so many open files; raises the soft limit up to the hard one. False, with a
 * line on stderr: DPDK would end the program without it. */
static bool eal_has_descriptors(unsigned count)
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

static size_t stack_octets(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ? STACK_OCTETS
                                                                                  : (size_t)limit.rlim_cur;
}

/* The number that a file begins with; 0: it has none. */
static size_t first_number(const char *path)
{
    size_t number = 0;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%zu", &number) != 1)
        number = 0;
    if (file)
        fclose(file);
    return number;
}

/* Whether the process may have this memory and DPDK's threads. False, with a line on stderr: DPDK would end
 * the program without it. */
static bool eal_has_address_space(size_t memory_octets, unsigned workers)
{
    const size_t used = first_number("/proc/self/statm") * (size_t)sysconf(_SC_PAGESIZE);
    const size_t needed = used + memory_octets + (THREADS + workers) * stack_octets() + REST_OCTETS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || needed <= limit.rlim_cur)
        return true;
    fprintf(
        stderr,
        "gbflow: the limit of address space is %llu KiB, needed are %zu; raise it (ulimit -v, LimitAS=)\n",
        (unsigned long long)limit.rlim_cur / KIBIBYTE, needed / KIBIBYTE + 1);
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

    if (!eal_has_descriptors(DESCRIPTORS) || !eal_has_address_space(memory_octets, 0) ||
        !eal_drivers_load_rings())
        return false;
    put_lcores(lcores, sizeof(lcores));
    snprintf(megabytes, sizeof(megabytes), "%zu", memory_octets / MEGABYTE + 1);
    snprintf(prefix, sizeof(prefix), "gbflow%d", (int)getpid());
    rte_log_set_global_level(RTE_LOG_ERR);
    eal_drivers_deny(true);
    int rc = rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv);
    eal_drivers_deny(false);
    if (rc < 0)
        fprintf(stderr, "gbflow: DPDK does not start: %s\n", rte_strerror(rte_errno));
    return rc >= 0;
}

void eal_leave(void)
{
    rmdir(rte_eal_get_runtime_dir()); /* DPDK does not delete it, and makes one for each run */
}

void eal_stop(void)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof(folder), "%s", rte_eal_get_runtime_dir());
    rte_eal_cleanup();
    rmdir(folder); /* as eal_leave(), whose path is gone */
}
#define LCORES_CHARS 8192
#define FIXED        24 /* arguments besides the operator's */
/* A node with a worker and no devices in the kernel has 24; DPDK panics with 16. */
#define LIVE_DESCRIPTORS   64
#define DESCRIPTORS_WORKER 16
#define ARGUMENTS          (FIXED + LIVE_CONFIG_ARGUMENTS + 1)
#define HUGE_PAGES_2M      "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
#define HUGE_PAGES_PRESENT "/proc/sys/vm/nr_hugepages" /* of the default size */
#define HUGE_PAGES_1G      "/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages"

struct arguments {
    char *list[ARGUMENTS + 1];
    int count;
    char lcores[LCORES_CHARS], megabytes[24];
};

/* --- processors --- */

static cpu_set_t allowed_cpus(void)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0) {
        CPU_ZERO(&cpus);
        CPU_SET(0, &cpus);
    }
    return cpus;
}

const unsigned *eal_live_absent_core(const struct live_config *config)
{
    cpu_set_t cpus = allowed_cpus();
    for (uint32_t i = 0; i < config->core_count; i++)
        if (config->cores[i] >= CPU_SETSIZE || !CPU_ISSET(config->cores[i], &cpus))
            return &config->cores[i];
    return NULL;
}

bool eal_live_check(const struct live_config *config)
{
    const unsigned *absent = eal_live_absent_core(config);
    if (absent)
        fprintf(stderr,
                "gbflow: live.cores[%d]: CPU %u is not in the process's affinity mask (taskset, cpuset)\n",
                (int)(absent - config->cores) + 1, *absent);
    return !absent;
}

/* The CPU of a worker: as configured, else the last CPUs of the affinity mask, in turn. */
static unsigned cpu_of(const struct live_config *config, unsigned worker)
{
    cpu_set_t cpus = allowed_cpus();
    unsigned skip = worker % (unsigned)CPU_COUNT(&cpus);
    if (config->core_count > 0)
        return config->cores[worker % config->core_count];
    for (unsigned cpu = CPU_SETSIZE; cpu-- > 0;)
        if (CPU_ISSET(cpu, &cpus) && skip-- == 0)
            return cpu;
    return 0;
}

/* The CPUs of control: those on which no worker polls, since a polling worker takes all time of its CPU; or
 * all CPUs if there are no others. */
static cpu_set_t control_cpus(const struct live_config *config, unsigned workers)
{
    cpu_set_t cpus = allowed_cpus(), others = cpus;
    for (unsigned i = 0; i < workers; i++)
        CPU_CLR(cpu_of(config, i), &others);
    return config->is_polling && CPU_COUNT(&others) > 0 ? others : cpus;
}

void eal_live_leave_workers(unsigned workers)
{
    cpu_set_t cpus = allowed_cpus();
    for (unsigned i = 0; i < workers; i++)
        CPU_CLR((unsigned)rte_lcore_to_cpu_id((int)EAL_LIVE_LCORE(i)), &cpus);
    if (CPU_COUNT(&cpus) > 0)
        sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void live_put_lcores(const struct live_config *config, unsigned workers, char *out, size_t cap)
{
    cpu_set_t cpus = control_cpus(config, workers);
    size_t used = (size_t)snprintf(out, cap, "0@(");
    const char *comma = "";
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && used + 8 < cap; cpu++) {
        if (!CPU_ISSET(cpu, &cpus))
            continue;
        used += (size_t)snprintf(out + used, cap - used, "%s%u", comma, cpu);
        comma = ",";
    }
    used += (size_t)snprintf(out + used, cap - used, ")");
    for (unsigned i = 0; i < workers && used + 16 < cap; i++)
        used += (size_t)snprintf(out + used, cap - used, ",%u@%u", EAL_LIVE_LCORE(i), cpu_of(config, i));
}

/* --- memory --- */

static size_t free_huge_mib(void)
{
    return first_number(HUGE_PAGES_2M) * 2 + first_number(HUGE_PAGES_1G) * 1024;
}

/* vm.nr_hugepages with which needed_mib are free, in pages of 2 MiB. */
static size_t huge_pages_for(size_t needed_mib, size_t free_mib)
{
    return first_number(HUGE_PAGES_PRESENT) + (needed_mib > free_mib ? (needed_mib - free_mib + 1) / 2 : 0);
}

bool eal_live_has_huge_pages(const struct live_config *config, size_t octets)
{
    if (config->pages != LIVE_CONFIG_PAGES_AUTO)
        return config->pages == LIVE_CONFIG_PAGES_HUGE;
    return free_huge_mib() * MEGABYTE >= octets;
}

/* --- arguments --- */

static void eal_put(struct arguments *a, const char *text)
{
    if (a->count < ARGUMENTS)
        a->list[a->count++] = (char *)(uintptr_t)text;
}

static void put_pair(struct arguments *a, const char *name, const char *value)
{
    eal_put(a, name);
    eal_put(a, value);
}

/* Whether a port gives its peer descriptors of the memory: with one for each huge page there are too many. */
static bool shares_memory(const struct live_config *config)
{
    const char *const devices[] = {config->gn.device, config->gb.device};
    for (unsigned i = 0; i < 2; i++)
        if (device_name_is_kind(devices[i], "net_virtio_user") || strstr(devices[i], ",zero-copy=yes"))
            return true;
    return false;
}

static size_t memory_octets_of(const struct live_config *config, size_t octets)
{
    return config->memory_octets > 0 ? config->memory_octets : octets;
}

static void put_memory(struct arguments *a, const struct live_config *config, size_t octets)
{
    octets = memory_octets_of(config, octets);
    snprintf(a->megabytes, sizeof(a->megabytes), "%zu", octets / MEGABYTE + 1);
    put_pair(a, "-m", a->megabytes);
    if (config->is_shared) {
        eal_put(a, "--huge-unlink=existing"); /* pages of a node that was killed */
    } else if (eal_live_has_huge_pages(config, octets)) {
        eal_put(a, "--in-memory");
    } else {
        eal_put(a, "--no-huge");
        eal_put(a, "--no-shconf");
    }
    if (shares_memory(config))
        eal_put(a, "--single-file-segments");
}

static void put_devices(struct arguments *a, const struct live_config *config)
{
    const char *const devices[] = {config->gn.device, config->gb.device};
    bool has_pci = false;
    for (unsigned i = 0; i < 2; i++) {
        if (!device_name_is_pci(devices[i]))
            continue;
        put_pair(a, "-a", devices[i]);
        has_pci = true;
    }
    if (!has_pci)
        eal_put(a, "--no-pci");
}

static void put_node(struct arguments *a, const struct live_config *config, size_t memory_octets)
{
    put_memory(a, config, memory_octets);
    put_devices(a, config);
    eal_put(a, "--iova-mode=va");
    put_pair(a, "--file-prefix", config->eal_prefix);
    eal_put(a, "--log-level=*:error"); /* of all kinds, each of which an argument behind may raise */
}

/* Arguments that the node sets itself, by other keys. */
static bool are_arguments_free(const struct live_config *config)
{
    static const char *const own[] = {
        "--proc-type", "--file-prefix", "--lcores", "--main-lcore", "-l",
        "-c",          "--vdev",        "-m",       "--in-memory",  "--no-shconf"};
    for (uint32_t i = 0; i < config->argument_count; i++)
        for (size_t k = 0; k < sizeof(own) / sizeof(own[0]); k++) {
            size_t length = strlen(own[k]);
            if (strncmp(config->arguments[i], own[k], length) != 0 ||
                (config->arguments[i][length] != 0 && config->arguments[i][length] != '='))
                continue;
            fprintf(stderr,
                    "gbflow: EAL argument %s: gbflow sets it by eal.prefix, eal.memory, live.cores or the "
                    "ports; leave it out\n",
                    config->arguments[i]);
            return false;
        }
    return true;
}

bool eal_live_has_descriptors(unsigned workers)
{
    return eal_has_descriptors(LIVE_DESCRIPTORS + DESCRIPTORS_WORKER * workers);
}

static char at_exit_folder[PATH_MAX];

/* With telemetry DPDK's folder has a socket until the process exits, when a handler of DPDK deletes it. */
static void remove_at_exit(void)
{
    rmdir(at_exit_folder);
}

/* rte_eal_init(), which registers its handlers of exit behind this one: they run before it. */
static int init_live(struct arguments *a)
{
    atexit(remove_at_exit);
    const int taken = rte_eal_init(a->count, a->list);
    snprintf(at_exit_folder, sizeof(at_exit_folder), "%s", rte_eal_get_runtime_dir());
    return taken;
}

/* Where DPDK has not started, and huge pages may be the cause; free_mib: before it started. */
static void tell_huge_pages(const struct live_config *config, size_t memory_octets, size_t free_mib)
{
    const size_t needed_mib = memory_octets_of(config, memory_octets) / MEGABYTE + 1;
    if (!eal_live_has_huge_pages(config, memory_octets))
        return;
    if (config->pages == LIVE_CONFIG_PAGES_AUTO)
        fputs("gbflow: another process may have taken huge pages: start again, or set eal.huge_pages = "
              "\"no\"\n",
              stderr);
    else if (free_mib < needed_mib)
        fprintf(stderr,
                "gbflow: of %zu MiB of huge pages that are needed %zu MiB are free; reserve them (sysctl "
                "vm.nr_hugepages=%zu), or choose other pages (eal.huge_pages, bench: --pages)\n",
                needed_mib, free_mib, huge_pages_for(needed_mib, free_mib));
}

bool eal_live_start(const struct live_config *config, unsigned workers, size_t memory_octets)
{
    static struct arguments a;
    const size_t free_mib = free_huge_mib();
    if (!eal_live_has_descriptors(workers) || !are_arguments_free(config) ||
        !eal_has_address_space(memory_octets_of(config, memory_octets), workers))
        return false;
    if (config->is_shared && !eal_live_has_huge_pages(config, memory_octets)) {
        fprintf(
            stderr,
            "gbflow: eal.shared: it needs %zu MiB of huge pages, and eal.huge_pages not \"no\"; reserve them "
            "(sysctl vm.nr_hugepages=%zu), or leave eal.shared out\n",
            memory_octets / MEGABYTE + 1, huge_pages_for(memory_octets / MEGABYTE + 1, free_mib));
        return false;
    }
    a = (struct arguments){.count = 0};
    live_put_lcores(config, workers, a.lcores, sizeof(a.lcores));
    eal_put(&a, "gbflow");
    put_pair(&a, "--lcores", a.lcores);
    put_pair(&a, "--main-lcore", "0");
    put_node(&a, config, memory_octets);
    for (uint32_t i = 0; i < config->argument_count; i++)
        eal_put(&a, config->arguments[i]);
    int taken = init_live(&a);
    if (taken >= 0 && taken + 1 < a.count) {
        fprintf(stderr, "gbflow: '%s': not an EAL argument; leave it out\n", a.list[taken + 1]);
        return false;
    }
    if (taken >= 0 && (!config->is_shared || rte_pdump_init() == 0))
        return true;
    tell_huge_pages(config, memory_octets, free_mib);
    fprintf(stderr, "gbflow: DPDK does not start: %s\n", rte_strerror(rte_errno));
    return false;
}

bool eal_start_device(const char *device, size_t memory_octets)
{
    static struct arguments a;
    static struct live_config config;
    if (!eal_has_descriptors(LIVE_DESCRIPTORS) || !eal_has_address_space(memory_octets, 0))
        return false;
    a = (struct arguments){.count = 0};
    config.pages = device_name_is_pci(device) ? LIVE_CONFIG_PAGES_AUTO : LIVE_CONFIG_PAGES_NORMAL;
    snprintf(config.eal_prefix, sizeof(config.eal_prefix), "gbflow%d", (int)getpid());
    snprintf(config.gn.device, sizeof(config.gn.device), "%s", device);
    put_lcores(a.lcores, sizeof(a.lcores));
    eal_put(&a, "gbflow");
    put_pair(&a, "--lcores", a.lcores);
    put_node(&a, &config, memory_octets);
    eal_put(&a, "--no-telemetry");
    rte_log_set_global_level(RTE_LOG_ERR);
    if (rte_eal_init(a.count, a.list) >= 0)
        return true;
    fprintf(stderr, "gbflow: DPDK does not start: %s\n", rte_strerror(rte_errno));
    return false;
}

size_t eal_folder(char *out, size_t cap)
{
    const char *folder = getenv("RUNTIME_DIRECTORY"), *user = getenv("XDG_RUNTIME_DIR");
    if (!folder)
        folder = getuid() == 0 ? "/var/run" : user ? user : "/tmp";
    size_t chars = (size_t)snprintf(out, cap, "%s/dpdk", folder);
    return chars < cap ? chars : cap - 1;
}
