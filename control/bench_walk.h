/* SPDX-License-Identifier: BSD-3-Clause */
/* Over all points of a plan. */
#ifndef CONTROL_BENCH_WALK_H
#define CONTROL_BENCH_WALK_H

#include "control/bench_plan.h"

#define BENCH_WALK_AXES 4

struct bench_walk {
    const struct bench_plan *plan;
    unsigned at[BENCH_WALK_AXES]; /* all 0: the first point */
};

struct bench_point bench_walk_point(const struct bench_walk *walk);

/* To the next one, the last axis first; false: that was the last one. */
bool bench_walk_next(struct bench_walk *walk);

#endif
