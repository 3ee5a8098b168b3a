/* SPDX-License-Identifier: BSD-3-Clause */
/* The points of a plan in order; each is measured, printed and written before the next one. */
#ifndef BENCH_THROUGHPUT_POINTS_H
#define BENCH_THROUGHPUT_POINTS_H

#include "bench/throughput/machine.h"
#include "bench/throughput/plan.h"
#include "control/base/stream.h"

#define BENCH_POINTS_AXES 4

struct bench_points {
    const struct bench_plan *plan;
    unsigned at[BENCH_POINTS_AXES]; /* index on each axis; all 0: the first point */
};

struct bench_point bench_points_point(const struct bench_points *points);

/* Moves to the next point, the last axis first. False: there is no further one. */
bool bench_points_next(struct bench_points *points);

/* Result of a point: good; measured, but the run has failed; not measured, which ends the run. */
enum bench_points_outcome { BENCH_POINTS_GOOD, BENCH_POINTS_BAD, BENCH_POINTS_STOP };

/* The functions of a mode. */
struct bench_points_mode {
    void (*head)(const struct bench_plan *plan, const struct bench_machine *machine);
    enum bench_points_outcome (*measure)(struct json_stream *json, const struct bench_plan *plan,
                                         const struct bench_point *point);
};

/* Prints the head, measures each point, writes the report. DPDK is running. Returns an exit status. */
int bench_points_run(const struct bench_plan *plan, const struct bench_points_mode *mode);

#endif
