/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/plan.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LINE_CHARS 8192

/* The value in a line "key : value" of /proc/cpuinfo; NULL: another key. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);
    const char *colon = strchr(line, ':');
    if (strncmp(line, key, length) != 0 || !colon)
        return NULL;
    return colon + 1 + strspn(colon + 1, " ");
}

static void read_line(struct bench_machine *machine, const char *line)
{
    const char *model = value_of(line, "model name"), *flags = value_of(line, "flags");
    if (model)
        snprintf(machine->cpu, sizeof(machine->cpu), "%.*s", (int)strcspn(model, "\n"), model);
    if (!flags)
        return;
    machine->is_virtual = strstr(flags, " hypervisor ") != NULL;
    machine->has_avx512 = strstr(flags, " avx512bw ") != NULL;
}

static void read_processor(struct bench_machine *machine)
{
    static char line[LINE_CHARS];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof(line), file) && line[0] != '\n')
        read_line(machine, line);
    if (file)
        fclose(file);
}

void bench_machine_get(struct bench_machine *machine)
{
    struct utsname name;
    *machine = (struct bench_machine){.tsc_hz = rte_get_tsc_hz()};
    read_processor(machine);
    if (uname(&name) == 0)
        snprintf(machine->kernel, sizeof(machine->kernel), "%.60s %.60s", name.sysname, name.release);
    snprintf(machine->dpdk, sizeof(machine->dpdk), "%s", rte_version());
    long processors = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGESIZE);
    machine->processors = processors > 0 ? (unsigned)processors : 0;
    machine->memory_octets = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    machine->has_huge_pages = rte_eal_has_hugepages() != 0;
    if (getloadavg(&machine->load, 1) != 1)
        machine->load = 0;
}
