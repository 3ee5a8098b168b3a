/* SPDX-License-Identifier: BSD-3-Clause */
/* Over all points of a plan: what is measured at each is printed and written as it comes. */
#ifndef BENCH_THROUGHPUT_WALK_H
#define BENCH_THROUGHPUT_WALK_H

#include "bench/throughput/machine.h"
#include "bench/throughput/plan.h"
#include "control/base/json_stream.h"

#define BENCH_WALK_AXES 4

struct bench_walk {
    const struct bench_plan *plan;
    unsigned at[BENCH_WALK_AXES]; /* all 0: the first point */
};

struct bench_point bench_walk_point(const struct bench_walk *walk);

/* To the next one, the last axis first; false: that was the last one. */
bool bench_walk_next(struct bench_walk *walk);

/* Of a point: in order; measured, but the run has failed; not measured, which ends the walk. */
enum bench_walk_outcome { BENCH_WALK_GOOD, BENCH_WALK_BAD, BENCH_WALK_STOP };

/* What one mode of `gbflow bench` does. */
struct bench_walk_mode {
    void (*head)(const struct bench_plan *plan, const struct bench_machine *machine);
    enum bench_walk_outcome (*measure)(struct json_stream *json, const struct bench_plan *plan,
                                       const struct bench_point *point);
};

/* The head, each point, the report's file. DPDK is running. Returns an exit status. */
int bench_walk_run(const struct bench_plan *plan, const struct bench_walk_mode *mode);

#endif
