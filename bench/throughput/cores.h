/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processors `gbflow bench` takes. */
#ifndef BENCH_THROUGHPUT_CORES_H
#define BENCH_THROUGHPUT_CORES_H

#include "bench/throughput/plan.h"

/* The last ones there are, unless some were given. */
void bench_cores_choose(struct live_config *eal, unsigned wanted);

/* Of workers, then the generator: they share one only if that was asked for, or there is one alone.
 * COMMAND_OK, or COMMAND_USAGE after a message. */
int bench_cores_apart(struct bench_plan *plan);

#endif
