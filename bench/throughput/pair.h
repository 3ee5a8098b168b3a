/* SPDX-License-Identifier: BSD-3-Clause */
/* `gbflow bench pair`: workers in one process against as many processes with one worker each, on the same
 * processors and at the same time (bench_comparison.h). What the first reach of the sum of the others is what
 * they have in common, and the machine has not, that they lose. */
#ifndef BENCH_THROUGHPUT_PAIR_H
#define BENCH_THROUGHPUT_PAIR_H

#include "bench/throughput/plan.h"

/* COMMAND_FAILED also when less is reached than plan->least_percent. */
int bench_pair_run(const struct bench_plan *plan);

#endif
