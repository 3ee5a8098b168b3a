/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a worker's time goes, stage by stage, and how far it is from the floor.
 *
 * Model: in turn a window of whole steps, one of the same steps walked stage by stage (bench_stage.h), and
 * one for each stage over a second worker with so few mobiles, cells and N-PDUs that all of them stay in the
 * nearest caches. What a stage takes there is the least it can take with this code; the sum over all stages
 * is the floor. What it takes more in the walked step, it waits for: lines of mobiles, cells and packets that
 * are not near, and code and predictions that others drove out. What whole steps take more than walked ones
 * is what a step does besides, told by steps that find nothing, and what neither explains.
 *
 * A round in which anything took longer than plan->gap_ns is void.
 */
#ifndef BENCH_THROUGHPUT_STAGES_H
#define BENCH_THROUGHPUT_STAGES_H

#include "bench/throughput/fault.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/spread.h"
#include "bench/throughput/stage.h"

#define BENCH_STAGES_MOBILES WORKER_BURST /* of the worker with everything near */
#define BENCH_STAGES_CELLS   8

/* All nanoseconds are per N-PDU and medians over rounds. */
struct bench_stages {
    struct bench_point point;
    struct bench_spread_summary whole, share; /* share: floor / whole, round by round */
    double alone_ns[BENCH_STAGE_ALL], in_step_ns[BENCH_STAGE_COUNT];
    double floor_ns;       /* sum of alone_ns, without the halves */
    double in_step_sum_ns; /* sum of in_step_ns */
    double idle_step_ns;   /* of a step that finds nothing, by N-PDU of a step that does */
    double npdu_per_step;
    uint64_t rounds, voided;
    struct bench_fault fault;
};

/* Points of the plan one after the other; prints and writes as it goes. Returns an exit status. */
int bench_stages_run(const struct bench_plan *plan);

#endif
