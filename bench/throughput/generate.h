/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_THROUGHPUT_GENERATE_H
#define BENCH_THROUGHPUT_GENERATE_H

#include "bench/throughput/generator.h"
#include "bench/throughput/plan.h"

/* Measures the plan's point. Returns an exit status. */
int bench_generate_run(const struct bench_plan *plan);

#endif
