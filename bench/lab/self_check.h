/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow-lab self-check`: whether `gbflow bench compare` shows a known difference on this machine, and none
 * where there is none. Compares a program with itself ten times, in turn with ten times with itself whose
 * steps are made longer by a known share (timed_worker.h).
 */
#ifndef BENCH_LAB_SELF_CHECK_H
#define BENCH_LAB_SELF_CHECK_H

#include "bench/throughput/plan.h"

/* COMMAND_FAILED when fewer than nine of the ten of either kind come out right. */
int bench_self_check_run(const struct bench_plan *plan);

#endif
