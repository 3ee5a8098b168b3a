/* SPDX-License-Identifier: BSD-3-Clause */
/* `gbflow bench ndr`: the points of a search of NDR and PDR, and its run. */

#ifndef BENCH_THROUGHPUT_NDR_H
#define BENCH_THROUGHPUT_NDR_H

#include "bench/throughput/report.h"

/* Runs a mode over a plan's points, with DPDK memory for generators of so many DUTs. Returns an exit status.
 */
int bench_ndr_points(const struct bench_plan *plan, const struct bench_points_mode *mode, unsigned devices);

/* Each point of a plan. Returns an exit status. */
int bench_ndr_run(const struct bench_plan *plan);

#endif
