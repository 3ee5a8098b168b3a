/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/walk.h"

#include "bench/throughput/report.h"
#include "control/base/command.h"

struct bench_point bench_walk_point(const struct bench_walk *walk)
{
    const struct bench_plan *plan = walk->plan;
    return (struct bench_point){
        .workers = plan->workers.values[walk->at[0]],
        .mobiles = plan->mobiles.values[walk->at[1]],
        .cipher = (uint8_t)plan->ciphers.values[walk->at[2]],
        .octets = (uint16_t)plan->octets.values[walk->at[3]],
        .cells = plan->cells,
    };
}

bool bench_walk_next(struct bench_walk *walk)
{
    const struct bench_plan *plan = walk->plan;
    const unsigned counts[BENCH_WALK_AXES] = {plan->workers.count, plan->mobiles.count, plan->ciphers.count,
                                              plan->octets.count};
    for (unsigned i = BENCH_WALK_AXES; i-- > 0;) {
        if (++walk->at[i] < counts[i])
            return true;
        walk->at[i] = 0;
    }
    return false;
}

int bench_walk_run(const struct bench_plan *plan, const struct bench_walk_mode *mode)
{
    struct bench_machine machine;
    struct json_stream json;
    struct bench_walk walk = {.plan = plan};
    enum bench_walk_outcome outcome;
    int status = COMMAND_OK;
    bench_machine_get(&machine);
    if (!bench_report_begin(&json, plan, &machine))
        return COMMAND_FAILED;
    mode->head(plan, &machine);
    do {
        struct bench_point point = bench_walk_point(&walk);
        outcome = mode->measure(&json, plan, &point);
        if (outcome != BENCH_WALK_GOOD)
            status = COMMAND_FAILED;
    } while (outcome != BENCH_WALK_STOP && bench_walk_next(&walk));
    return bench_report_end(&json, plan) ? status : COMMAND_FAILED;
}
