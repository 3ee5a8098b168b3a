/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/lab/pair.h"

#include "bench/lab/program.h"
#include "bench/throughput/points.h"
#include "bench/throughput/report_comparison.h"

#define WORKERS BENCH_COMPARISON_PROCESSES

static enum bench_points_outcome measure(struct json_stream *json, const struct bench_plan *plan,
                                         const struct bench_point *point)
{
    const char *program = bench_lab_program(plan);
    struct bench_comparison c = {
        .point = *point,
        .sides = {{.name = "apart", .path = program, .processes = WORKERS, .workers = 1},
                  {.name = "together", .path = program, .processes = 1, .workers = WORKERS}},
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
    return bench_comparison_run_points(plan,
                                       &(struct bench_points_mode){bench_report_comparison_head, measure});
}
