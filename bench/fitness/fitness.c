/* SPDX-License-Identifier: BSD-3-Clause */
/* gbflow-fitness: is this machine fit to measure? */
#include "bench/throughput/comparison.h"
#include "bench/throughput/console.h"
#include "bench/throughput/distance.h"
#include "bench/throughput/modes.h"
#include "bench/throughput/node_file.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/report.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc_fcs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * gbflow-fitness: whether this machine is fit for `gbflow bench`.
 *
 * distance: round trips of a cache line between two CPUs for a while, sorted into distances
 * (bench/throughput/slices.h). More than one distance on a virtual machine means that the hypervisor moves
 * its CPUs; results of `gbflow bench ndr` then come in one row for each.
 *
 * pair: two workers in one process against two processes with one worker each, on the same two CPUs, in
 * alternating slices (comparison.h). Both sides share what the two CPUs lose to each other (caches, memory,
 * one physical core); the difference between the sides is what workers of one process lose besides.
 *
 * self-check: whether `gbflow bench compare` shows a known difference on this machine, and no difference of
 * equal programs. Compares a program with itself ten times, in turn with ten times with itself whose steps
 * are made longer by a known share (timed_worker.h).
 */

#define PAUSE_US      2000 /* between two samples */
#define MEMORY_OCTETS ((size_t)64 << 20)

struct counts {
    unsigned samples[BENCH_DISTANCES + 1]; /* the last: of no known distance */
    unsigned changes, all;
};

static const char *fitness_program(const struct bench_plan *plan);

static void fitness_watch(struct bench_distance *d, struct counts *counts, int64_t length_ns)
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

/* For plan->seconds, on the two CPUs of plan->eal. Returns an exit status. */
static int bench_distance_watch_run(const struct bench_plan *plan)
{
    struct live_config eal = plan->eal;
    struct bench_machine machine;
    struct counts counts = {.all = 0};
    bench_plan_choose_cores(&eal, 2);
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
    fitness_watch(&d, &counts, plan->seconds * MOMENT_SECOND);
    eal_stop();
    if (d.count == 0) {
        bench_error("no distance was seen: the CPUs were not both running long enough; try more --seconds");
        return COMMAND_FAILED;
    }
    print(&d, &counts);
    bench_report_tail(&machine);
    return COMMAND_OK;
}

#define WORKERS BENCH_COMPARISON_PROCESSES

static enum bench_points_outcome fitness_measure(struct json_stream *json, const struct bench_plan *plan,
                                                 const struct bench_point *point)
{
    const char *program = fitness_program(plan);
    struct bench_comparison c = {
        .point = *point,
        .sides = {{.name = "apart", .path = program, .processes = WORKERS, .workers = 1},
                  {.name = "together", .path = program, .processes = 1, .workers = WORKERS}},
    };
    struct bench_verdict verdict = {0};
    c.point.workers = WORKERS;
    bool is_done = bench_comparison_run(&c, plan);
    if (is_done) {
        verdict = bench_spread_verdict(&c.ratios, plan->margin_percent * 0.01);
        bench_comparison_row(plan, &c, &verdict);
        bench_comparison_trial(json, plan, &c, &verdict);
    }
    bench_comparison_free(&c);
    const bool is_good = verdict.ratio * 100 >= (double)plan->least_percent && !c.is_short;
    return !is_done ? BENCH_POINTS_STOP : is_good ? BENCH_POINTS_GOOD : BENCH_POINTS_BAD;
}

/* COMMAND_FAILED also when the one process reaches less than plan->least_percent of the two. */
static int bench_pair_run(const struct bench_plan *plan)
{
    return bench_comparison_run_points(
        plan, &(struct bench_points_mode){.head = bench_comparison_head, .measure = fitness_measure});
}

#define LEVELS 3 /* build/bench/fitness/gbflow-fitness to build */

/* The one of --program, or that of the same build: ../../gbflow, from gbflow-fitness's folder. Static text.
 */
static const char *fitness_program(const struct bench_plan *plan)
{
    static char path[PATH_MAX + sizeof("/gbflow")];
    if (plan->programs[0])
        return plan->programs[0];
    ssize_t octets = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[octets > 0 ? octets : 0] = 0;
    for (unsigned i = 0; i < LEVELS; i++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = 0;
    }
    size_t octets_of_folder = strlen(path);
    snprintf(path + octets_of_folder, PATH_MAX - octets_of_folder, "/gbflow");
    return path;
}

#define CHECKS       10 /* of each kind */
#define CHECKS_RIGHT 9

static enum bench_points_outcome check_point(struct json_stream *json, const struct bench_plan *plan,
                                             const struct bench_point *point)
{
    const char *program = fitness_program(plan);
    const unsigned slowdown_percent = plan->slowdown_percent;
    unsigned equal = 0, found = 0;
    for (unsigned i = 0; i < CHECKS; i++) {
        enum bench_verdict_word same, slower;
        struct bench_comparison with_itself = bench_comparison_sides(point, program, program, 0);
        struct bench_comparison with_slower =
            bench_comparison_sides(point, program, program, slowdown_percent);
        if (!bench_comparison_measure(json, plan, &with_itself, &same) ||
            !bench_comparison_measure(json, plan, &with_slower, &slower))
            return BENCH_POINTS_STOP;
        equal += same == BENCH_VERDICT_NONE;
        found += slower == BENCH_VERDICT_SLOWER;
    }
    printf("self-check: %u of %u comparisons with itself show no difference, %u of %u show %u %% more time\n",
           equal, CHECKS, found, CHECKS, slowdown_percent);
    return equal >= CHECKS_RIGHT && found >= CHECKS_RIGHT ? BENCH_POINTS_GOOD : BENCH_POINTS_BAD;
}

/* COMMAND_FAILED when fewer than nine of the ten of either kind come out right. */
static int bench_self_check_run(const struct bench_plan *plan)
{
    return bench_comparison_run_points(
        plan, &(struct bench_points_mode){.head = bench_comparison_head, .measure = check_point});
}

#define RESULTS "docs/benchmarking.md, \"gbflow-fitness: is this machine fit?\""

static const struct command_mode names[] = {
    {"pair", "two workers in one process beside two processes: what workers lose to each other"},
    {"self-check", "can `gbflow bench compare` show a known difference on this machine?"},
    {"distance", "round trip of a cache line between two CPUs, over time"},
};

static const struct bench_mode_row rows[] = {
    {"pair", "gbflow-fitness pair [OPTION]...",
     "N-PDU/s of two processes with one worker each, and of one process with two workers, on the same two "
     "CPUs "
     "in alternating slices. A window with a gap of either CPU counts for neither worker. Prints the sum of "
     "each side and the share of the processes' sum that the two workers reach: what is missing to 100 % the "
     "workers of one process lose to each other.",
     "gbflow-fitness pair --octets 512 --least 97", RESULTS,
     "0 success, 1 the run failed or --least is missed, 2 wrong arguments", bench_pair_run},
    {"self-check", "gbflow-fitness self-check [OPTION]...",
     "Compares gbflow with itself ten times, in turn with ten times with itself whose steps are made longer "
     "by "
     "--slowdown. Nine of ten must show no difference, and nine of ten the slower side. Takes six minutes "
     "with "
     "the defaults.",
     "gbflow-fitness self-check --slowdown 5", RESULTS,
     "0 nine of ten are right, of either kind, 1 fewer are or the run failed, 2 wrong arguments",
     bench_self_check_run},
    {"distance", "gbflow-fitness distance [OPTION]...",
     "Measures every 2 ms what a cache line takes from one CPU to another and back, and sorts the round "
     "trips "
     "into distances: round trips that differ by less than half are one. On a machine without hypervisor "
     "there "
     "is one distance.",
     "gbflow-fitness distance --cores 0,1 --seconds 60", RESULTS,
     "0 success, 1 the run failed, 2 wrong arguments", bench_distance_watch_run},
};

static const struct bench_modes modes = {
    .list = {.command = "",
             .noun = "MODE",
             .head = "usage: gbflow-fitness MODE [OPTION]...\n"
                     "\n"
                     "Whether this machine is fit for gbflow bench. Not installed; no figure of gbflow\n"
                     "itself.\n"
                     "\n"
                     "MODE is one of:\n",
             .tail = "\ngbflow-fitness MODE --help (or -h) has the mode's options.\n"
                     "Exit status: 0 success, 1 the run failed, 2 wrong arguments.\n",
             .modes = names,
             .count = sizeof(names) / sizeof(names[0])},
    .rows = rows,
    .first = BENCH_PAIR,
};

int main(int argc, char **argv)
{
    command_set_program("gbflow-fitness");
    llc_fcs_init();
    return bench_mode_main(&modes, argc, argv);
}
