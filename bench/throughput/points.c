/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/points.h"

#include "bench/throughput/report.h"
#include "control/base/command.h"

struct bench_point bench_points_point(const struct bench_points *points)
{
    const struct bench_plan *plan = points->plan;
    return (struct bench_point){
        .workers = plan->workers.values[points->at[0]],
        .mobiles = plan->mobiles.values[points->at[1]],
        .cipher = (uint8_t)plan->ciphers.values[points->at[2]],
        .octets = (uint16_t)plan->octets.values[points->at[3]],
        .cells = plan->cells,
    };
}

bool bench_points_next(struct bench_points *points)
{
    const struct bench_plan *plan = points->plan;
    const unsigned counts[BENCH_POINTS_AXES] = {plan->workers.count, plan->mobiles.count, plan->ciphers.count,
                                                plan->octets.count};
    for (unsigned i = BENCH_POINTS_AXES; i-- > 0;) {
        if (++points->at[i] < counts[i])
            return true;
        points->at[i] = 0;
    }
    return false;
}

int bench_points_run(const struct bench_plan *plan, const struct bench_points_mode *mode)
{
    struct bench_machine machine;
    struct json_stream json;
    struct bench_points points = {.plan = plan};
    enum bench_points_outcome outcome;
    int status = COMMAND_OK;
    bench_machine_get(&machine);
    if (!bench_report_begin(&json, plan, &machine))
        return COMMAND_FAILED;
    mode->head(plan, &machine);
    do {
        struct bench_point point = bench_points_point(&points);
        outcome = mode->measure(&json, plan, &point);
        if (outcome != BENCH_POINTS_GOOD)
            status = COMMAND_FAILED;
    } while (outcome != BENCH_POINTS_STOP && bench_points_next(&points));
    return bench_report_end(&json, plan) ? status : COMMAND_FAILED;
}
