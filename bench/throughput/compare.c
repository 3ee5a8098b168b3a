/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/compare.h"

#include "bench/throughput/report_comparison.h"
#include "bench/throughput/points.h"
#include "control/base/command.h"

#include <stdio.h>

#define SELF         "/proc/self/exe"
#define CHECKS       10 /* of each kind */
#define CHECKS_RIGHT 9
#define PLANT        5 /* percent, unless something else is said */

/* B against A. False: not measured. */
static bool compare(struct json_stream *json, const struct bench_plan *plan, struct bench_comparison *c,
                    enum bench_verdict_word *word)
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

static struct bench_comparison contest_of(const struct bench_point *point, const char *a, const char *b,
                                          unsigned plant_percent)
{
    return (struct bench_comparison){
        .point = *point,
        .sides = {{.name = "a", .path = a, .programs = 1, .workers = point->workers},
                  {.name = "b",
                   .path = b,
                   .programs = 1,
                   .workers = point->workers,
                   .plant_percent = plant_percent}},
    };
}

static enum bench_points_outcome compare_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    enum bench_verdict_word word;
    struct bench_comparison c = contest_of(point, plan->programs[0], plan->programs[1], plan->plant_percent);
    if (!compare(json, plan, &c, &word))
        return BENCH_POINTS_STOP;
    return word == BENCH_VERDICT_SLOWER ? BENCH_POINTS_BAD : BENCH_POINTS_GOOD;
}

/* So many comparisons with a slowdown, by turns with as many without. */
static enum bench_points_outcome check_point(struct json_stream *json, const struct bench_plan *plan,
                                             const struct bench_point *point)
{
    const unsigned plant_percent = plan->plant_percent > 0 ? plan->plant_percent : PLANT;
    unsigned alike = 0, found = 0;
    for (unsigned i = 0; i < CHECKS; i++) {
        enum bench_verdict_word same, slower;
        struct bench_comparison with_itself = contest_of(point, SELF, SELF, 0);
        struct bench_comparison with_plant = contest_of(point, SELF, SELF, plant_percent);
        if (!compare(json, plan, &with_itself, &same) || !compare(json, plan, &with_plant, &slower))
            return BENCH_POINTS_STOP;
        alike += same == BENCH_VERDICT_NONE;
        found += slower == BENCH_VERDICT_SLOWER;
    }
    printf("        %u of %u comparisons with itself show no difference, %u of %u find %u %% more time\n",
           alike, CHECKS, found, CHECKS, plant_percent);
    return alike >= CHECKS_RIGHT && found >= CHECKS_RIGHT ? BENCH_POINTS_GOOD : BENCH_POINTS_BAD;
}

int bench_compare_run(const struct bench_plan *plan)
{
    return bench_comparison_walk(
        plan, &(struct bench_points_mode){bench_report_comparison_head,
                                          plan->is_self_check ? check_point : compare_point});
}
