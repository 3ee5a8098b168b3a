/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/lab/self_check.h"

#include "bench/lab/program.h"
#include "bench/throughput/compare.h"
#include "bench/throughput/points.h"
#include "bench/throughput/report_comparison.h"

#include <stdio.h>

#define CHECKS       10 /* of each kind */
#define CHECKS_RIGHT 9

static enum bench_points_outcome check_point(struct json_stream *json, const struct bench_plan *plan,
                                             const struct bench_point *point)
{
    const char *program = bench_lab_program(plan);
    const unsigned slowdown_percent = plan->slowdown_percent;
    unsigned equal = 0, found = 0;
    for (unsigned i = 0; i < CHECKS; i++) {
        enum bench_verdict_word same, slower;
        struct bench_comparison with_itself = bench_compare_sides(point, program, program, 0);
        struct bench_comparison with_slower = bench_compare_sides(point, program, program, slowdown_percent);
        if (!bench_compare_measure(json, plan, &with_itself, &same) ||
            !bench_compare_measure(json, plan, &with_slower, &slower))
            return BENCH_POINTS_STOP;
        equal += same == BENCH_VERDICT_NONE;
        found += slower == BENCH_VERDICT_SLOWER;
    }
    printf("self-check: %u of %u comparisons with itself show no difference, %u of %u show %u %% more time\n",
           equal, CHECKS, found, CHECKS, slowdown_percent);
    return equal >= CHECKS_RIGHT && found >= CHECKS_RIGHT ? BENCH_POINTS_GOOD : BENCH_POINTS_BAD;
}

int bench_self_check_run(const struct bench_plan *plan)
{
    return bench_comparison_run_points(
        plan, &(struct bench_points_mode){bench_report_comparison_head, check_point});
}
