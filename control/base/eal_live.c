/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/eal_live.h"

#include "control/base/eal.h"
#include "dataplane/ports/device.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define MEGABYTE     ((size_t)1 << 20)
#define LCORES_CHARS 8192
#define FIXED        24 /* arguments besides the operator's */
/* A node with a worker and no devices in the kernel has 24; DPDK panics with 16. */
#define DESCRIPTORS        64
#define DESCRIPTORS_WORKER 16
#define ARGUMENTS          (FIXED + LIVE_CONFIG_ARGUMENTS + 1)
#define HUGE_PAGES_2M      "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
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

bool eal_live_check(const struct live_config *config)
{
    cpu_set_t cpus = allowed_cpus();
    for (uint32_t i = 0; i < config->core_count; i++) {
        if (config->cores[i] < CPU_SETSIZE && CPU_ISSET(config->cores[i], &cpus))
            continue;
        fprintf(stderr,
                "gbflow: live.cores[%u]: CPU %u is not in the process's affinity mask (taskset, cpuset)\n",
                i + 1, config->cores[i]);
        return false;
    }
    return true;
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

static void put_lcores(const struct live_config *config, unsigned workers, char *out, size_t cap)
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

static size_t free_pages(const char *path)
{
    size_t pages = 0;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%zu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages;
}

bool eal_live_has_huge_pages(const struct live_config *config, size_t octets)
{
    if (config->pages != LIVE_CONFIG_PAGES_AUTO)
        return config->pages == LIVE_CONFIG_PAGES_HUGE;
    return (free_pages(HUGE_PAGES_2M) * 2 + free_pages(HUGE_PAGES_1G) * 1024) * MEGABYTE >= octets;
}

/* --- arguments --- */

static void put(struct arguments *a, const char *text)
{
    if (a->count < ARGUMENTS)
        a->list[a->count++] = (char *)(uintptr_t)text;
}

static void put_pair(struct arguments *a, const char *name, const char *value)
{
    put(a, name);
    put(a, value);
}

static void put_memory(struct arguments *a, const struct live_config *config, size_t octets)
{
    if (config->memory_octets > 0)
        octets = config->memory_octets;
    snprintf(a->megabytes, sizeof(a->megabytes), "%zu", octets / MEGABYTE + 1);
    put_pair(a, "-m", a->megabytes);
    if (eal_live_has_huge_pages(config, octets)) {
        put(a, "--in-memory");
    } else {
        put(a, "--no-huge");
        put(a, "--no-shconf");
    }
}

static void put_devices(struct arguments *a, const struct live_config *config)
{
    const char *const devices[] = {config->gn.device, config->gb.device};
    bool has_pci = false;
    for (unsigned i = 0; i < 2; i++) {
        if (!device_is_pci(devices[i]))
            continue;
        put_pair(a, "-a", devices[i]);
        has_pci = true;
    }
    if (!has_pci)
        put(a, "--no-pci");
}

bool eal_live_has_descriptors(unsigned workers)
{
    return eal_has_descriptors(DESCRIPTORS + DESCRIPTORS_WORKER * workers);
}

bool eal_live_start(const struct live_config *config, unsigned workers, size_t memory_octets)
{
    static struct arguments a;
    if (!eal_live_has_descriptors(workers))
        return false;
    a = (struct arguments){.count = 0};
    put_lcores(config, workers, a.lcores, sizeof(a.lcores));
    put(&a, "gbflow");
    put_pair(&a, "--lcores", a.lcores);
    put_pair(&a, "--main-lcore", "0");
    put_memory(&a, config, memory_octets);
    put_devices(&a, config);
    put(&a, "--iova-mode=va");
    put_pair(&a, "--file-prefix", config->eal_prefix);
    put(&a, "--log-level=error");
    for (uint32_t i = 0; i < config->argument_count; i++)
        put(&a, config->arguments[i]);
    rte_log_set_global_level(RTE_LOG_ERR);
    if (rte_eal_init(a.count, a.list) >= 0)
        return true;
    fprintf(stderr, "gbflow: DPDK does not start: %s\n", rte_strerror(rte_errno));
    return false;
}
