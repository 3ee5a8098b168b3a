/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow-lab pair`: two workers in one process against two processes with one worker each, on the same two
 * CPUs, in alternating slices (comparison.h). Both sides share what the two CPUs lose to each other (caches,
 * memory, one physical core); the difference between the sides is what workers of one process lose besides.
 */
#ifndef BENCH_LAB_PAIR_H
#define BENCH_LAB_PAIR_H

#include "bench/throughput/plan.h"

/* COMMAND_FAILED also when the one process reaches less than plan->least_percent of the two. */
int bench_pair_run(const struct bench_plan *plan);

#endif
