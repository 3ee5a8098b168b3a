/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow bench stages`: the time of each stage of a worker's step, and the share of its floor.
 *
 * Model: a round has a window of whole steps, a window of the same steps run stage by stage (stage.h), and a
 * window for each stage on a second worker with so few mobiles, cells and N-PDUs that all data stay in the
 * nearest caches. The time of a stage on that worker is its time alone, the least that this code needs; their
 * sum is the floor. The additional time of the stage within the step is the stall: waiting for cache lines of
 * mobiles, cells and packets, and for code and branch predictions that were evicted. Whole steps minus stages
 * in the step is the idle step (uplink, control, timers), measured by steps that find no work, and an
 * unexplained rest.
 *
 * Before the first round, stage_account.h counts instructions and lines of cache of plan->counted_steps
 * steps.
 *
 * A round in which a step takes longer than plan->gap_ns is void.
 */
#ifndef BENCH_THROUGHPUT_STAGES_H
#define BENCH_THROUGHPUT_STAGES_H

#include "bench/throughput/fault.h"
#include "bench/throughput/plan.h"
#include "bench/statistics/spread.h"
#include "bench/throughput/stage.h"
#include "bench/throughput/stage_account.h"

#define BENCH_STAGES_MOBILES WORKER_BURST /* of the second worker */
#define BENCH_STAGES_CELLS   8

/* All nanoseconds are per N-PDU and medians over rounds. */
struct bench_stages {
    struct bench_point point;
    struct bench_spread_summary whole, share; /* share: floor / whole, round by round */
    double alone_ns[BENCH_STAGE_ALL], in_step_ns[BENCH_STAGE_COUNT];
    double floor_ns;       /* sum of alone_ns, without the halves of headers */
    double in_step_sum_ns; /* sum of in_step_ns */
    double idle_step_ns;   /* time of an idle step / N-PDUs of a step that has work */
    double npdu_per_step;
    uint64_t rounds, voided;
    struct bench_stage_account account;
    struct bench_fault fault;
};

/* Each point of a plan. Returns an exit status. */
int bench_stages_run(const struct bench_plan *plan);

#endif
