/* SPDX-License-Identifier: BSD-3-Clause */
/* gbflow-lab: whether this machine is fit for `gbflow bench`, and how noisy it is. Not installed. */
#include "bench/lab/distance_watch.h"
#include "bench/lab/pair.h"
#include "bench/lab/self_check.h"
#include "bench/throughput/mode.h"
#include "dataplane/wire/llc_fcs.h"

#define RESULTS "docs/benchmarking.md, \"gbflow-lab: is this machine fit?\""

static const struct command_mode names[] = {
    {"pair", "two workers in one process beside two processes: what workers lose to each other"},
    {"self-check", "can `gbflow bench compare` show a known difference on this machine?"},
    {"distance", "round trip of a cache line between two CPUs, over time"},
};

static const struct bench_mode_row rows[] = {
    {"pair", "gbflow-lab pair [OPTION]...",
     "N-PDU/s of two processes with one worker each, and of one process with two workers, on the same two "
     "CPUs "
     "in alternating slices. A window with a gap of either CPU counts for neither worker. Prints the sum of "
     "each side and the share of the processes' sum that the two workers reach: what is missing to 100 % the "
     "workers of one process lose to each other.",
     "gbflow-lab pair --octets 512 --least 97", RESULTS,
     "0 success, 1 the run failed or --least is missed, 2 wrong arguments", bench_pair_run},
    {"self-check", "gbflow-lab self-check [OPTION]...",
     "Compares gbflow with itself ten times, in turn with ten times with itself whose steps are made longer "
     "by "
     "--slowdown. Nine of ten must show no difference, and nine of ten the slower side. Takes six minutes "
     "with "
     "the defaults.",
     "gbflow-lab self-check --slowdown 5", RESULTS,
     "0 nine of ten are right, of either kind, 1 fewer are or the run failed, 2 wrong arguments",
     bench_self_check_run},
    {"distance", "gbflow-lab distance [OPTION]...",
     "Measures every 2 ms what a cache line takes from one CPU to another and back, and sorts the round "
     "trips "
     "into distances: round trips that differ by less than half are one. On a machine without hypervisor "
     "there "
     "is one distance.",
     "gbflow-lab distance --cores 0,1 --seconds 60", RESULTS,
     "0 success, 1 the run failed, 2 wrong arguments", bench_distance_watch_run},
};

static const struct bench_modes modes = {
    .list =
        {.command = "",
         .noun = "MODE",
         .head =
             "usage: gbflow-lab MODE [OPTION]...\n\n"
             "Whether this machine is fit for gbflow bench. Not installed; no figure of gbflow itself.\n\n"
             "MODE is one of:\n",
         .tail = "\ngbflow-lab MODE --help (or -h) has the mode's options.\n"
                 "Exit status: 0 success, 1 the run failed, 2 wrong arguments.\n",
         .modes = names,
         .count = sizeof(names) / sizeof(names[0])},
    .rows = rows,
    .first = BENCH_PAIR,
};

int main(int argc, char **argv)
{
    command_set_program("gbflow-lab");
    llc_fcs_init();
    return bench_mode_main(&modes, argc, argv);
}
