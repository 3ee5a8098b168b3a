/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUs of workers and generator. */
#ifndef BENCH_THROUGHPUT_CORES_H
#define BENCH_THROUGHPUT_CORES_H

#include "bench/throughput/plan.h"

/* Fills eal->cores up to `wanted` with the last CPUs of the affinity mask, unless --cores gave some. */
void bench_cores_choose(struct live_config *eal, unsigned wanted);

/* CPUs of the workers, then of the generator. Two of them share a CPU only if --cores says so, or if there is
 * but one. COMMAND_OK, or COMMAND_USAGE after a message. */
int bench_cores_apart(struct bench_plan *plan);

#endif
