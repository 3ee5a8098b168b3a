/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/plan.h"
#include "bench/throughput/console.h"
#include "bench/throughput/options.h"
#include "bench/throughput/report.h"

#include "control/base/command.h"
#include "control/base/eal.h"

#include <getopt.h>
#include <stdio.h>
#include <sys/prctl.h>

/* Makes the plan of a mode's arguments. */
static int make_plan(struct bench_plan *plan, const struct bench_modes *modes, enum bench_mode mode, int argc,
                     char **argv)
{
    bench_defaults(plan, mode);
    int status = bench_options_parse(plan, modes, mode, argc, argv);
    if (status != COMMAND_OK)
        return status;
    plan->files = argv + optind;
    plan->file_count = (unsigned)(argc - optind);
    return bench_check(plan, mode);
}

static int plan_run(const struct bench_mode_row *row, struct bench_plan *plan)
{
    if (!eal_live_check(&plan->eal))
        return COMMAND_USAGE;
    if (plan->has_no_thp)
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (!bench_html_begin(plan))
        return COMMAND_FAILED;
    return bench_html_end(plan, row->run(plan));
}

int bench_mode_main(const struct bench_modes *modes, int argc, char **argv)
{
    static struct bench_plan plan;
    unsigned i;
    int status;
    if (!command_find_mode(&modes->list, argc, argv, &i, &status))
        return status;
    const enum bench_mode mode = modes->first + i;
    bench_console_begin(modes->rows[i].command);
    status = make_plan(&plan, modes, mode, argc - 1, argv + 1);
    if (status == COMMAND_HELP) {
        bench_options_help(stdout, modes, mode);
        return COMMAND_OK;
    }
    if (status != COMMAND_OK)
        return status;
    return mode == BENCH_REPORT ? modes->rows[i].run(&plan) : plan_run(&modes->rows[i], &plan);
}

int bench_mode_hidden(const struct bench_mode_row *row, enum bench_mode mode, int argc, char **argv)
{
    static struct bench_plan plan;
    bench_console_begin(row->command);
    int status = make_plan(&plan, NULL, mode, argc, argv);
    return command_accepted(row->about, &status) ? plan_run(row, &plan) : status;
}

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
    return bench_report_end_with(&json, plan, mode->put_rest, NULL) ? status : COMMAND_FAILED;
}
