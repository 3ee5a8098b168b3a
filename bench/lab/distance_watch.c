/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/lab/distance_watch.h"

#include "bench/throughput/console.h"
#include "bench/throughput/cores.h"
#include "bench/throughput/distance.h"
#include "bench/throughput/machine.h"
#include "bench/throughput/report.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"

#include <stdio.h>
#include <unistd.h>

#define PAUSE_US      2000 /* between two samples */
#define MEMORY_OCTETS ((size_t)64 << 20)

struct counts {
    unsigned samples[BENCH_DISTANCES + 1]; /* the last: of no known distance */
    unsigned changes, all;
};

static void watch(struct bench_distance *d, struct counts *counts, int64_t length_ns)
{
    const int64_t end_ns = clock_now_ns() + length_ns;
    for (unsigned before = d->now; clock_now_ns() < end_ns; before = d->now) {
        counts->samples[bench_distance_sample(d)]++;
        counts->changes += counts->all > 0 && d->now != before && before != BENCH_DISTANCE_UNKNOWN;
        counts->all++;
        bench_progress("%u samples, %u distances ", counts->all, d->count);
        usleep(PAUSE_US);
    }
    bench_progress_end();
}

static void print(const struct bench_distance *d, const struct counts *counts)
{
    printf("round trip ns  samples  share\n");
    for (unsigned i = 0; i < d->count; i++)
        printf("%13.0f  %7u  %4.0f%%\n", d->ns[i], counts->samples[i],
               100.0 * counts->samples[i] / counts->all);
    if (counts->samples[BENCH_DISTANCE_UNKNOWN] > 0)
        printf("   not sorted  %7u  %4.0f%%\n", counts->samples[BENCH_DISTANCE_UNKNOWN],
               100.0 * counts->samples[BENCH_DISTANCE_UNKNOWN] / counts->all);
    printf("%u samples, %u distances, %u changes of distance\n", counts->all, d->count, counts->changes);
}

int bench_distance_watch_run(const struct bench_plan *plan)
{
    struct live_config eal = plan->eal;
    struct bench_machine machine;
    struct counts counts = {.all = 0};
    bench_cores_choose(&eal, 2);
    if (eal.core_count != 2 || eal.cores[0] == eal.cores[1])
        return bench_refuse("--cores: it takes two different CPUs, A,B");
    struct bench_distance d = {
        .lcore = EAL_LIVE_LCORE(0), .cpu = eal.cores[0], .now = BENCH_DISTANCE_UNKNOWN};
    printf("CPUs %u and %u, %u s\n", eal.cores[0], eal.cores[1], plan->seconds);
    eal.core_count = 1;
    eal.cores[0] = eal.cores[1];
    if (!eal_live_start(&eal, 1, MEMORY_OCTETS))
        return COMMAND_FAILED;
    bench_machine_get(&machine);
    bench_report_machine(&machine);
    watch(&d, &counts, plan->seconds * MOMENT_SECOND);
    eal_stop();
    if (d.count == 0) {
        bench_error("no distance was seen: the CPUs were not both running long enough; try more --seconds");
        return COMMAND_FAILED;
    }
    print(&d, &counts);
    return COMMAND_OK;
}
