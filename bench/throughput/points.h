/* SPDX-License-Identifier: BSD-3-Clause */
/* Over all points of a plan: what is measured at each is printed and written as it comes. */
#ifndef BENCH_THROUGHPUT_POINTS_H
#define BENCH_THROUGHPUT_POINTS_H

#include "bench/throughput/machine.h"
#include "bench/throughput/plan.h"
#include "control/base/json_stream.h"

#define BENCH_POINTS_AXES 4

struct bench_points {
    const struct bench_plan *plan;
    unsigned at[BENCH_POINTS_AXES]; /* all 0: the first point */
};

struct bench_point bench_points_point(const struct bench_points *points);

/* To the next one, the last axis first; false: that was the last one. */
bool bench_points_next(struct bench_points *points);

/* Of a point: in order; measured, but the run has failed; not measured, which ends the walk. */
enum bench_points_outcome { BENCH_POINTS_GOOD, BENCH_POINTS_BAD, BENCH_POINTS_STOP };

/* What one mode of `gbflow bench` does. */
struct bench_points_mode {
    void (*head)(const struct bench_plan *plan, const struct bench_machine *machine);
    enum bench_points_outcome (*measure)(struct json_stream *json, const struct bench_plan *plan,
                                         const struct bench_point *point);
};

/* The head, each point, the report's file. DPDK is running. Returns an exit status. */
int bench_points_run(const struct bench_plan *plan, const struct bench_points_mode *mode);

#endif
