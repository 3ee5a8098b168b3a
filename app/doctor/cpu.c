/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/finding.h"
#include "app/doctor/parts.h"

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

/* The instructions that the vector forms of ciphering and of the frame check sequence need; gbflow tests for
 * the same when it starts. */
static void examine_instructions(struct doctor *d, const struct flags *flags)
{
    static const char *const base[] = {"sse4_1", "sse4_2", "ssse3", "popcnt", NULL};
    static const char *const cipher[] = {"avx512f", "avx512bw", "avx512vbmi", "gfni", NULL};
    static const char *const fcs[] = {"avx512f", "avx512bw", "avx512vl", "avx512_vbmi2", "vpclmulqdq", NULL};
    static const char *const name = "instructions";

    if (!has_flags(flags, base))
        doctor_unusable(d, name, "an x86 processor with SSE4.2: DPDK is built for it", "no SSE4.2");
    else if (has_flags(flags, cipher) && has_flags(flags, fcs))
        doctor_ok(d, name, "AVX-512, GFNI and VPCLMULQDQ, for ciphering and frame check sequences");
    else if (has_flag(flags, "pclmulqdq"))
        doctor_warn(d, name, "nothing to set; in a virtual machine pass the host's processor through",
                    "PCLMULQDQ, %s: ciphering is by the portable code",
                    has_flags(flags, fcs) ? "VPCLMULQDQ, no GFNI"
                                          : "not all of AVX-512, GFNI and VPCLMULQDQ");
    else
        doctor_warn(d, name, "nothing to set; in a virtual machine pass the host's processor through",
                    "no PCLMULQDQ: frame check sequences and ciphering are by the portable code");
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
