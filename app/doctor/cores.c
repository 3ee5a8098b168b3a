/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/finding.h"
#include "app/doctor/parts.h"

#include <string.h>

#define CPUS "/sys/devices/system/cpu"

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
