/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow-lab distance`: round trips of a cache line between two CPUs for a while, sorted into distances
 * (bench/throughput/distance.h). More than one distance on a virtual machine means that the hypervisor moves
 * its CPUs; results of `gbflow bench ndr` then come in one row for each.
 */
#ifndef BENCH_LAB_DISTANCE_WATCH_H
#define BENCH_LAB_DISTANCE_WATCH_H

#include "bench/throughput/plan.h"

/* For plan->seconds, on the two CPUs of plan->eal. Returns an exit status. */
int bench_distance_watch_run(const struct bench_plan *plan);

#endif
