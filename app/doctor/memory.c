/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/finding.h"
#include "app/doctor/parts.h"

#include <inttypes.h>
#include <string.h>

#define PAGES           "/sys/kernel/mm/hugepages"
#define NODES           "/sys/devices/system/node"
#define NEEDED_MIB      256  /* the smallest scenario */
#define COMFORTABLE_MIB 1024 /* a live node of 100 000 mobiles */

static void examine_total(struct doctor *d)
{
    char text[32];
    unsigned long long kib = 0;
    static const char name[] = "memory";
    host_tree_field(&d->tree, "/proc/meminfo", "MemAvailable", text, sizeof(text));
    if (sscanf(text, "%llu", &kib) != 1)
        doctor_unusable(d, name, "mount /proc", "the amount of free memory is unknown");
    else if (kib / 1024 < NEEDED_MIB)
        doctor_unusable(d, name, "end other processes, or reserve fewer huge pages",
                        "%llu MiB free, %u are needed", kib / 1024, NEEDED_MIB);
    else
        doctor_ok(d, name, "%llu MiB free besides huge pages", kib / 1024);
}

static int64_t pages_of(const struct doctor *d, const char *folder, const char *size, const char *file)
{
    int64_t pages = 0;
    host_tree_number(&d->tree, &pages, "%s/%s/%s", folder, size, file);
    return pages;
}

/* MiB of huge pages below a folder that has one for each size; *total also those in use. */
static int64_t huge_mib(const struct doctor *d, const char *folder, int64_t *total)
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

static void examine_huge_pages(struct doctor *d)
{
    int64_t total, free_mib = huge_mib(d, PAGES, &total);
    static const char advice[] =
        "echo 1024 > " PAGES "/hugepages-2048kB/nr_hugepages, or when booting: default_hugepagesz=1G "
        "hugepagesz=1G hugepages=4";
    if (total == 0)
        doctor_missing(d, "huge pages", advice,
                       "none; gbflow runs with pages of 4 KiB, but network cards need huge pages");
    else if (free_mib < COMFORTABLE_MIB)
        doctor_warn(d, "huge pages", advice, "%" PRId64 " of %" PRId64 " MiB free", free_mib, total);
    else
        doctor_ok(d, "huge pages", "%" PRId64 " of %" PRId64 " MiB free", free_mib, total);
}

/* Nodes with memory and no free huge page, as a list of names. */
static unsigned bare_nodes(const struct doctor *d, const struct host_tree_names *entries, char *out,
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

static void examine_nodes(struct doctor *d)
{
    static struct host_tree_names entries;
    char bare[128];
    host_tree_list(&d->tree, &entries, NODES);
    unsigned nodes = bare_nodes(d, &entries, bare, sizeof(bare));
    if (nodes <= 1)
        doctor_ok(d, "numa", "one node");
    else if (bare[0])
        doctor_warn(d, "numa",
                    "reserve on each node that has a worker or a network card: echo 512 > " NODES
                    "/nodeN/hugepages/hugepages-2048kB/nr_hugepages",
                    "%u nodes, without free huge pages: %s", nodes, bare);
    else
        doctor_ok(d, "numa", "%u nodes, each with free huge pages; keep workers on the node of their card",
                  nodes);
}

void doctor_memory_examine(struct doctor *d)
{
    examine_total(d);
    examine_huge_pages(d);
    examine_nodes(d);
}
