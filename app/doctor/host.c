/* SPDX-License-Identifier: BSD-3-Clause */

#include "app/doctor/doctor.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIELD_FILE_OCTETS 16384

static bool make_path(char out[PATH_MAX], const struct host_tree *tree, const char *format, va_list list)
{
    int root = snprintf(out, PATH_MAX, "%s", tree->root);
    if (root < 0 || root >= PATH_MAX)
        return false;
    int rest = vsnprintf(out + root, PATH_MAX - (size_t)root, format, list);
    return rest >= 0 && root + rest < PATH_MAX;
}

static bool read_text(const char *path, char *out, size_t cap)
{
    FILE *file = fopen(path, "re");
    out[0] = 0;
    if (!file)
        return false;
    size_t octets = fread(out, 1, cap - 1, file);
    bool is_read = !ferror(file);
    fclose(file);
    if (octets > 0 && out[octets - 1] == '\n')
        octets--;
    out[octets] = 0;
    return is_read;
}

bool host_tree_text(const struct host_tree *tree, char *out, size_t cap, const char *path, ...)
{
    char full[PATH_MAX];
    va_list list;
    out[0] = 0;
    va_start(list, path);
    bool fits = make_path(full, tree, path, list);
    va_end(list);
    return fits && read_text(full, out, cap);
}

bool host_tree_number(const struct host_tree *tree, int64_t *out, const char *path, ...)
{
    char full[PATH_MAX], text[32], *end;
    va_list list;
    va_start(list, path);
    bool fits = make_path(full, tree, path, list);
    va_end(list);
    if (!fits || !read_text(full, text, sizeof(text)))
        return false;
    *out = strtoll(text, &end, 10);
    return end != text;
}

bool host_tree_field(const struct host_tree *tree, const char *path, const char *key, char *out, size_t cap)
{
    char text[FIELD_FILE_OCTETS], *rest = text, *line;
    out[0] = 0;
    if (!host_tree_text(tree, text, sizeof(text), "%s", path))
        return false;
    while ((line = strsep(&rest, "\n"))) {
        size_t octets = strlen(key);
        if (strncmp(line, key, octets) != 0 || !strchr(": \t", line[octets]))
            continue;
        snprintf(out, cap, "%s", line + octets + strspn(line + octets, ": \t"));
        return true;
    }
    return false;
}

bool host_tree_link(const struct host_tree *tree, char *out, size_t cap, const char *path, ...)
{
    char full[PATH_MAX], target[PATH_MAX];
    va_list list;
    va_start(list, path);
    bool fits = make_path(full, tree, path, list);
    va_end(list);
    ssize_t octets = fits ? readlink(full, target, sizeof(target) - 1) : -1;
    if (octets < 0)
        return false;
    target[octets] = 0;
    const char *slash = strrchr(target, '/');
    return (size_t)snprintf(out, cap, "%s", slash ? slash + 1 : target) < cap;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

void host_tree_list(const struct host_tree *tree, struct host_tree_names *out, const char *path, ...)
{
    char full[PATH_MAX];
    struct dirent *entry;
    va_list list;
    out->count = 0;
    va_start(list, path);
    DIR *folder = make_path(full, tree, path, list) ? opendir(full) : NULL;
    va_end(list);
    if (!folder)
        return;
    while ((entry = readdir(folder)) && out->count < sizeof(out->names) / sizeof(out->names[0]))
        if (entry->d_name[0] != '.' && strlen(entry->d_name) < HOST_TREE_NAME)
            snprintf(out->names[out->count++], HOST_TREE_NAME, "%s", entry->d_name);
    closedir(folder);
    qsort(out->names, out->count, sizeof(out->names[0]), by_name);
}

bool host_tree_has(const struct host_tree *tree, const char *path)
{
    char full[PATH_MAX];
    int octets = snprintf(full, sizeof(full), "%s%s", tree->root, path);
    return octets >= 0 && octets < PATH_MAX && access(full, F_OK) == 0;
}

/* The count of numbers in a list as the kernel writes it: "0-3,8" is 5. */
static unsigned host_tree_count_list(const char *list)
{
    unsigned count = 0;
    char *end;
    for (; *list; list = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list)
            break;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        count += last >= first ? (unsigned)(last - first) + 1 : 0;
    }
    return count;
}

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
static void examine_instructions(struct doctor *d, const struct flags *flags)
{
    static const char *const base[] = {"sse4_1", "sse4_2", "ssse3", "popcnt", NULL};
    static const char *const fcs[] = {"avx512f", "avx512bw", "avx512vl", "avx512_vbmi2", "vpclmulqdq", NULL};
    static const char *const name = "instructions",
                             *const remedy =
                                 "nothing to set; in a virtual machine pass the host's processor through";

    if (!has_flags(flags, base))
        doctor_unusable(d, name, "an x86 processor with SSE4.2: DPDK is built for it", "no SSE4.2");
    else if (has_flags(flags, cipher_flags) && has_flags(flags, fcs))
        doctor_ok(d, name, "AVX-512, GFNI and VPCLMULQDQ, for ciphering and frame check sequences");
    else if (has_flag(flags, "pclmulqdq"))
        doctor_warn(d, name, remedy, "PCLMULQDQ, %s: ciphering is by %s",
                    has_flags(flags, fcs) ? "VPCLMULQDQ, no GFNI" : "not all of AVX-512, GFNI and VPCLMULQDQ",
                    ciphering(flags));
    else
        doctor_warn(d, name, remedy,
                    "no PCLMULQDQ: frame check sequences are by the portable code, ciphering is by %s",
                    ciphering(flags));
}

static void examine_clock(struct doctor *d, const struct flags *flags)
{
    char source[32];
    host_tree_text(&d->tree, source, sizeof(source),
                   "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (!has_flag(flags, "constant_tsc") || !has_flag(flags, "nonstop_tsc"))
        doctor_warn(d, "clock source", "do not rely on times and rates measured on this machine",
                    "%s; the processor's counter (TSC) changes its rate or stops", source);
    else if (strcmp(source, "tsc") != 0)
        doctor_warn(d, "clock source",
                    "find the reason in the kernel's log (dmesg); if the TSC is reliable, boot with "
                    "clocksource=tsc tsc=reliable",
                    "the kernel uses %s, not the TSC, which workers use",
                    source[0] ? source : "an unknown one");
    else
        doctor_ok(d, "clock source", "tsc, which is constant and does not stop");
}

/* The first processor whose governor is not "performance", and how many there are. */
static void examine_governor(struct doctor *d)
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
        doctor_ok(d, "frequency", "no governor in this kernel; firmware or a hypervisor sets the frequency");
    else if (odd_count > 0)
        doctor_warn(d, "frequency", "cpupower frequency-set -g performance",
                    "%u of %u CPUs are governed by \"%s\"", odd_count, governed, odd);
    else
        doctor_ok(d, "frequency", "performance, on all %u CPUs", governed);
}

/* A clock that rises while the chip is cool makes the first of two runs the faster one. */
static void examine_boost(struct doctor *d)
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
        doctor_warn(d, "boost",
                    "for benchmarks: echo 1 > " CPUS "/intel_pstate/no_turbo, or echo 0 > " CPUS
                    "/cpufreq/boost",
                    "on: frequency depends on temperature and on the other cores");
    else
        doctor_ok(d, "boost", "off");
}

void doctor_cpu_examine(struct doctor *d)
{
    struct flags flags;
    if (!host_tree_field(&d->tree, CPUINFO, "flags", flags.text, sizeof(flags.text))) {
        doctor_unusable(d, "instructions", "an x86 processor, and /proc mounted", "%s names no flags",
                        CPUINFO);
        return;
    }
    examine_instructions(d, &flags);
    if (has_flag(&flags, "hypervisor"))
        doctor_warn(
            d, "machine",
            "measure throughput on a physical machine, or check how many trials of the benchmark are void",
            "virtual machine: other guests may use the same cores, which causes gaps of milliseconds");
    else
        doctor_ok(d, "machine", "not virtual");
    examine_clock(d, &flags);
    examine_governor(d);
    examine_boost(d);
}

/* The control core sleeps most of the time; a worker that polls takes all time of its core. */
static void examine_count(struct doctor *d)
{
    char allowed[256];
    host_tree_field(&d->tree, "/proc/self/status", "Cpus_allowed_list", allowed, sizeof(allowed));
    unsigned count = host_tree_count_list(allowed);
    if (count == 0)
        doctor_warn(d, "cores", "mount /proc", "the CPUs that this process may use are unknown");
    else if (count == 1)
        doctor_warn(d, "cores", "give it a second CPU, or keep live.idle = \"sleep\"",
                    "1 CPU, which the control core and a worker share");
    else
        doctor_ok(d, "cores", "%u CPUs may be used: %s", count, allowed);
}

static void examine_isolation(struct doctor *d)
{
    char isolated[128], no_tick[128];
    static const char advice[] =
        "kernel command line: isolcpus=managed_irq,domain,LIST nohz_full=LIST rcu_nocbs=LIST; then "
        "live.cores = {...} of the node";
    host_tree_text(&d->tree, isolated, sizeof(isolated), CPUS "/isolated");
    host_tree_text(&d->tree, no_tick, sizeof(no_tick), CPUS "/nohz_full");
    bool has_tick = host_tree_count_list(no_tick) == 0;

    if (host_tree_count_list(isolated) == 0)
        doctor_warn(d, "isolation", advice, "no CPU is isolated: other processes interrupt workers");
    else if (has_tick)
        doctor_warn(d, "isolation", advice, "CPUs %s are isolated, but have the scheduler's tick", isolated);
    else
        doctor_ok(d, "isolation", "CPUs %s are isolated, %s without tick", isolated, no_tick);
}

static void examine_threads(struct doctor *d)
{
    int64_t is_active;
    if (!host_tree_number(&d->tree, &is_active, CPUS "/smt/active"))
        return;
    if (is_active)
        doctor_warn(d, "smt",
                    "one worker per core (" CPUS
                    "/cpuN/topology/thread_siblings_list), or the boot option nosmt",
                    "on: two CPUs are one core");
    else
        doctor_ok(d, "smt", "off: a CPU is a core");
}

void doctor_cores_examine(struct doctor *d)
{
    examine_count(d);
    examine_isolation(d);
    examine_threads(d);
}

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
