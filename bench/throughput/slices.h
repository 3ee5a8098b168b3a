/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded workers that measure when they are told to: `gbflow bench slices`, which bench_slices_process.h
 * starts.
 *
 * Line by line: it says BENCH_SLICES_HELLO when it is ready. "slice AT WINDOWS" makes all its workers work,
 * and from AT on, nanoseconds of the system's clock that never goes back, measure so many windows on one
 * grid. It answers with a line for each worker: what a step took per N-PDU in each window, or "-" if it is
 * void, and sleeps. When its input ends it says "end", or "fault" and what was wrong.
 *
 * On one grid, so that what one worker did while another one was kept from running can be left out.
 */
#ifndef BENCH_THROUGHPUT_SLICES_H
#define BENCH_THROUGHPUT_SLICES_H

#include "bench/throughput/plan.h"

#define BENCH_SLICES_HELLO   "gbflow-bench-slices/1"
#define BENCH_SLICES_WINDOWS 1000 /* of a slice, at most */

/* The plan's first point, on DPDK that is started here. Returns an exit status. */
int bench_slices_run(const struct bench_plan *plan);

#endif
