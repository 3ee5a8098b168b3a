/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/defaults.h"

#include "bench/throughput/console.h"
#include "bench/throughput/cores.h"
#include "bench/throughput/values.h"
#include "dataplane/base/moment.h"
#include "dataplane/crypto/gea.h"

#include <stdio.h>
#include <unistd.h>

#define MILLISECOND     (MOMENT_SECOND / 1000)
#define MICROSECOND     (MOMENT_SECOND / 1000000)
#define OUTSIDE_MOBILES 10000
#define OUTSIDE_CELLS   100
#define SLICE_WINDOWS   20
#define SLOWDOWN        5 /* percent */
#define DISTANCE_S      10

/* --- defaults --- */

static void set_all(struct bench_plan *plan)
{
    static char scheme[] = "codel";
    *plan = (struct bench_plan){
        .octets = {3, {64, 512, 1400}},
        .ciphers = {1, {0}},
        .mobiles = {1, {100000}},
        .workers = {1, {1}},
        .cells = 1000,
        .n201_u = 500,
        .aqm = {.scope = SCHED_AQM_MS},
        .seed = 1,
        .windows = 100,
        .counted_steps = 1,
        .window_ns = MILLISECOND,
        .gap_ns = 100 * MICROSECOND,
        .rounds = 12,
        .slices = 16,
        .margin_percent = 1,
        .searches = 3,
        .seconds = 60,
        .trial_ns = 20 * MILLISECOND,
        .soak_ns = (int64_t)30 * 60 * MOMENT_SECOND,
        .ndr_percent = 90,
        .has_roofline = true,
        .link = "gbflow-generate",
        .socket = "",
        .page_fd = -1,
    };
    bench_value_aqm(plan, scheme);
    snprintf(plan->eal.eal_prefix, sizeof(plan->eal.eal_prefix), "gbflow-bench%d", (int)getpid());
}

static void set_comparison(struct bench_plan *plan)
{
    plan->octets = (struct bench_plan_axis){1, {64}};
    plan->windows = SLICE_WINDOWS;
}

static void set_outside(struct bench_plan *plan)
{
    plan->octets = (struct bench_plan_axis){1, {64}};
    plan->mobiles = (struct bench_plan_axis){1, {OUTSIDE_MOBILES}};
    plan->cells = OUTSIDE_CELLS;
}

void bench_defaults(struct bench_plan *plan, enum bench_mode mode)
{
    set_all(plan);
    if (mode == BENCH_COMPARE || mode == BENCH_PAIR || mode == BENCH_SELF_CHECK)
        set_comparison(plan);
    if (mode == BENCH_GENERATE || mode == BENCH_NODE)
        set_outside(plan);
    if (mode == BENCH_SELF_CHECK)
        plan->slowdown_percent = SLOWDOWN;
    if (mode == BENCH_DISTANCE)
        plan->seconds = DISTANCE_S;
    if (mode == BENCH_SOAK) {
        plan->octets = (struct bench_plan_axis){1, {BENCH_PLAN_IMIX}};
        plan->searches = 1;
    }
}

/* --- checks --- */

static int check_files(const struct bench_plan *plan, enum bench_mode mode)
{
    if (mode == BENCH_COMPARE && plan->file_count != 2)
        return bench_refuse("it takes two programs, A and B; %u given", plan->file_count);
    if (mode == BENCH_NODE && plan->file_count != 1)
        return bench_refuse("it takes one file to write, NODE.lua; %u given", plan->file_count);
    if (mode == BENCH_REPORT && plan->file_count == 0)
        return bench_refuse("it takes one or more reports, FILE.json");
    if (mode == BENCH_REPORT && !plan->html)
        return bench_refuse("missing --html FILE, the page to write");
    if (mode != BENCH_COMPARE && mode != BENCH_NODE && mode != BENCH_REPORT && plan->file_count > 0)
        return bench_refuse("it takes options only, not %s", plan->files[0]);
    return COMMAND_OK;
}

/* Each worker has a part of mobiles and cells. */
static int check_parts(const struct bench_plan *plan, unsigned workers)
{
    if (workers > plan->cells)
        return bench_refuse("each worker needs a cell: %u workers, %u cells", workers, plan->cells);
    for (unsigned i = 0; i < plan->mobiles.count; i++)
        if (workers > plan->mobiles.values[i])
            return bench_refuse("each worker needs a mobile: %u workers, %u mobiles", workers,
                                plan->mobiles.values[i]);
    return COMMAND_OK;
}

static int check_ciphers(struct bench_plan *plan, bool is_clear_opened)
{
    const char *reason = "";
    for (unsigned i = 0; i < plan->ciphers.count; i++) {
        if (plan->ciphers.values[i] == 0)
            continue;
        if (is_clear_opened)
            return bench_refuse("--check-fcs needs --cipher none: the generator does not decipher");
        if (!plan->gea && !(plan->gea = gea_init(NULL, &reason)))
            return bench_refuse("--cipher: no ciphering engine: %s", reason);
    }
    return COMMAND_OK;
}

int bench_check(struct bench_plan *plan, enum bench_mode mode)
{
    const bool has_generator =
        mode == BENCH_NDR || mode == BENCH_SOAK || mode == BENCH_GENERATE || mode == BENCH_DUT;
    int status = check_files(plan, mode);
    if (status == COMMAND_OK && mode == BENCH_PAIR)
        bench_cores_choose(&plan->eal, 2);
    if (status == COMMAND_OK && (mode == BENCH_NDR || mode == BENCH_SOAK))
        status = bench_cores_apart(plan);
    if (status == COMMAND_OK)
        status = check_parts(plan, mode == BENCH_PAIR ? 2 : bench_plan_most_workers(plan));
    return status == COMMAND_OK ? check_ciphers(plan, has_generator && plan->is_fcs_checked) : status;
}
