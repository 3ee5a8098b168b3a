/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/cores.h"

#include "bench/throughput/console.h"
#include "control/base/command.h"

#include <sched.h>

void bench_cores_choose(struct live_config *eal, unsigned wanted)
{
    cpu_set_t cpus;
    if (eal->core_count == 0 && sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
        for (unsigned cpu = CPU_SETSIZE; cpu-- > 0 && eal->core_count < wanted;)
            if (CPU_ISSET(cpu, &cpus))
                eal->cores[eal->core_count++] = cpu;
    if (eal->core_count == 1 && wanted == 2)
        eal->cores[eal->core_count++] = eal->cores[0];
}

int bench_cores_apart(struct bench_plan *plan)
{
    unsigned wanted = bench_plan_most_workers(plan) + 1;
    bench_cores_choose(&plan->eal, wanted);
    if (plan->eal.core_count >= wanted)
        return COMMAND_OK;
    return bench_refuse(
        "%u workers and the generator take %u CPUs, %u given or found; --cores A,A,B shares one", wanted - 1,
        wanted, plan->eal.core_count);
}
