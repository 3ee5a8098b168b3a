/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/compare.h"

#include "bench/throughput/points.h"
#include "bench/throughput/report_comparison.h"
#include "control/base/command.h"

struct bench_comparison bench_compare_sides(const struct bench_point *point, const char *a, const char *b,
                                            unsigned slowdown_percent)
{
    return (struct bench_comparison){
        .point = *point,
        .sides = {{.name = "a", .path = a, .processes = 1, .workers = point->workers},
                  {.name = "b",
                   .path = b,
                   .processes = 1,
                   .workers = point->workers,
                   .slowdown_percent = slowdown_percent}},
    };
}

bool bench_compare_measure(struct json_stream *json, const struct bench_plan *plan,
                           struct bench_comparison *c, enum bench_verdict_word *word)
{
    bool is_done = bench_comparison_run(c, plan);
    if (is_done) {
        struct bench_verdict verdict = bench_verdict_of(&c->ratios, plan->margin_percent * 0.01);
        *word = verdict.word;
        bench_report_comparison_row(c, &verdict);
        bench_report_comparison_trial(json, plan, c, &verdict);
    }
    bench_comparison_free(c);
    return is_done;
}

static enum bench_points_outcome compare_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    enum bench_verdict_word word;
    struct bench_comparison c = bench_compare_sides(point, plan->files[0], plan->files[1], 0);
    if (!bench_compare_measure(json, plan, &c, &word))
        return BENCH_POINTS_STOP;
    return word == BENCH_VERDICT_SLOWER ? BENCH_POINTS_BAD : BENCH_POINTS_GOOD;
}

int bench_compare_run(const struct bench_plan *plan)
{
    return bench_comparison_run_points(
        plan, &(struct bench_points_mode){bench_report_comparison_head, compare_point});
}
