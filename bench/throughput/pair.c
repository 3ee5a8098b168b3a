/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/pair.h"

#include "bench/throughput/report_comparison.h"
#include "bench/throughput/points.h"

#define SELF    "/proc/self/exe"
#define WORKERS BENCH_COMPARISON_PROGRAMS

static enum bench_points_outcome measure(struct json_stream *json, const struct bench_plan *plan,
                                         const struct bench_point *point)
{
    struct bench_comparison c = {
        .point = *point,
        .sides = {{.name = "apart", .path = SELF, .programs = WORKERS, .workers = 1},
                  {.name = "together", .path = SELF, .programs = 1, .workers = WORKERS}},
    };
    struct bench_verdict verdict = {0};
    c.point.workers = WORKERS;
    bool is_done = bench_comparison_run(&c, plan);
    if (is_done) {
        verdict = bench_verdict_of(&c.ratios, plan->margin_percent * 0.01);
        bench_report_comparison_row(&c, &verdict);
        bench_report_comparison_trial(json, plan, &c, &verdict);
    }
    bench_comparison_free(&c);
    return !is_done                                            ? BENCH_POINTS_STOP
           : verdict.ratio * 100 < (double)plan->least_percent ? BENCH_POINTS_BAD
                                                               : BENCH_POINTS_GOOD;
}

int bench_pair_run(const struct bench_plan *plan)
{
    return bench_comparison_walk(plan, &(struct bench_points_mode){bench_report_comparison_head, measure});
}
