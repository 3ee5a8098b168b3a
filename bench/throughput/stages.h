/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_THROUGHPUT_STAGES_H
#define BENCH_THROUGHPUT_STAGES_H

#include "bench/statistics/search.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/stage.h"

/* Each point of a plan. Returns an exit status. */
int bench_stages_run(const struct bench_plan *plan);

#endif
