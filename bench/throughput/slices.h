/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow bench slices`: workers fed from memory that measure on command; compare and gbflow-lab start it
 * (slices_process.h). This comment is its documentation.
 *
 * Protocol 1, in lines. Ready, it writes BENCH_SLICES_HELLO. On "slice AT WINDOWS" all workers run, and from
 * AT on, nanoseconds of CLOCK_MONOTONIC, measure WINDOWS windows on a common grid, so that a window with a
 * gap of one worker can be removed from all. It answers with a line for each worker: for each window the time
 * of the steps per N-PDU in ns, or "-" for a void window. At the end of its input it writes "end", or "fault"
 * and the text of the fault.
 *
 * Options, spelled so in all builds with protocol 1, so that builds of any age can be compared: --octets
 * --cipher --mobiles --cells --workers --cores --check-fcs as in preloaded; --seed --zipf --aqm --n201-u
 * --gap-us --window-ms as the parameters seed, zipf, aqm, n201_u, gap_us, window_ms; --scope is aqm_scope,
 * --foreign teids=foreign, --open bvc_rate; --huge --no-dpdk-huge --no-huge are --pages huge, transparent,
 * small; --plant makes steps longer by that percentage (timed_worker.h).
 */
#ifndef BENCH_THROUGHPUT_SLICES_H
#define BENCH_THROUGHPUT_SLICES_H

#include "bench/throughput/plan.h"

#define BENCH_SLICES_HELLO   "gbflow-bench-slices/1"
#define BENCH_SLICES_WINDOWS 1000 /* most windows of a slice */

/* Runs the mode for the plan's first point. Returns an exit status. */
int bench_slices_run(const struct bench_plan *plan);

#endif
