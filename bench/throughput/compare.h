/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow bench compare`: two builds in turn (bench_comparison.h), and whether the second one is slower.
 *
 * --self-check asks that of this program and itself ten times, and ten times of itself made slower by a known
 * share: a difference must be shown in none of the first, and in all of the others, but for one each.
 */
#ifndef BENCH_THROUGHPUT_COMPARE_H
#define BENCH_THROUGHPUT_COMPARE_H

#include "bench/throughput/plan.h"

/* COMMAND_FAILED also when the second is slower, or the check does not hold. */
int bench_compare_run(const struct bench_plan *plan);

#endif
