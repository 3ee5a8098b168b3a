/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/options.h"

#include "bench/throughput/axis.h"
#include "bench/throughput/cores.h"
#include "bench/throughput/ndr.h"
#include "bench/throughput/outside.h"
#include "bench/throughput/slices.h"
#include "control/base/command.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/moment.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/sndcp.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CELLS_MAX       65000
#define WINDOWS_MAX     1000000
#define WINDOW_MS_MAX   10000
#define GAP_US          100
#define GAP_US_MAX      10000000
#define OPEN_MAX        1000
#define PLANT_MAX       1000
#define OUTSIDE_MOBILES 10000
#define OUTSIDE_CELLS   100
#define SLICE_WINDOWS   20
#define ROUNDS_MAX      10000
#define RATE_MAX        1000000000
#define MINUTES_MAX     100000.0
#define PERCENT_MAX     1000
#define ZIPF_MAX        4.0
#define SECONDS_MAX     86400
#define SEED_MAX        INT64_C(1000000000000)
#define SOAK_NS         (INT64_C(1800) * MOMENT_SECOND)
#define MILLISECOND     (MOMENT_SECOND / 1000)
#define MICROSECOND     (MOMENT_SECOND / 1000000)

/* --- what is neither number nor switch --- */

static int parse_octets(void *to, char *text)
{
    return bench_axis_octets(&((struct bench_plan *)to)->octets, text);
}

static int parse_ciphers(void *to, char *text)
{
    return bench_axis_ciphers(&((struct bench_plan *)to)->ciphers, text);
}

static int parse_mobiles(void *to, char *text)
{
    return bench_axis_mobiles(&((struct bench_plan *)to)->mobiles, text);
}

static int parse_workers(void *to, char *text)
{
    return bench_axis_workers(&((struct bench_plan *)to)->workers, text);
}

static int parse_aqm(void *to, char *text)
{
    struct bench_plan *plan = to;
    struct aqm_registry registry;
    plan->aqm.choice = (struct aqm_choice){.seed = 1};
    if (strcmp(text, "none") == 0)
        return COMMAND_OK;
    aqm_registry_init(&registry);
    plan->aqm.choice.ops = aqm_registry_find(&registry, text);
    aqm_registry_fini(&registry); /* what is built in stays */
    return plan->aqm.choice.ops ? COMMAND_OK : command_wrong("bench", "there is no AQM scheme ", text);
}

static int parse_scope(void *to, char *text)
{
    struct bench_plan *plan = to;
    static const char *const names[SCHED_AQM_SCOPES] = {"class_of_nse", "class_of_bvc", "ms", "flow"};
    for (unsigned i = 0; i < SCHED_AQM_SCOPES; i++) {
        plan->aqm.scope = (uint8_t)i;
        if (strcmp(text, names[i]) == 0)
            return COMMAND_OK;
    }
    return command_wrong("bench", "--scope takes class_of_nse, class_of_bvc, ms or flow, not ", text);
}

static int parse_zipf(void *to, char *text)
{
    struct bench_plan *plan = to;
    char *end;
    plan->zipf = strtod(text, &end);
    if (*end || end == text || !(plan->zipf >= 0 && plan->zipf <= ZIPF_MAX))
        return command_wrong("bench", "--zipf takes a number from 0 to 4, not ", text);
    return COMMAND_OK;
}

static int parse_minutes(void *to, char *text)
{
    char *end;
    double minutes = strtod(text, &end);
    if (*end || end == text || !(minutes > 0 && minutes <= MINUTES_MAX))
        return command_wrong("bench", "--minutes takes a number above 0 to 100000, not ", text);
    ((struct bench_plan *)to)->soak_ns = (int64_t)(minutes * 60e9);
    return COMMAND_OK;
}

static int parse_cores(void *to, char *text)
{
    struct live_config *eal = &((struct bench_plan *)to)->eal;
    struct bench_plan_axis axis;
    int status = bench_axis_parse(&axis, &(struct bench_axis_range){"cores", 0, 4095, NULL}, text);
    eal->core_count = axis.count;
    for (unsigned i = 0; i < axis.count; i++)
        eal->cores[i] = axis.values[i];
    return status;
}

static int parse_huge(void *to, char *text)
{
    ((struct bench_plan *)to)->eal.pages = LIVE_CONFIG_PAGES_HUGE;
    return COMMAND_OK;
}

static int parse_no_dpdk_huge(void *to, char *text)
{
    ((struct bench_plan *)to)->eal.pages = LIVE_CONFIG_PAGES_NORMAL;
    return COMMAND_OK;
}

static int parse_no_huge(void *to, char *text)
{
    ((struct bench_plan *)to)->has_no_thp = true;
    return parse_no_dpdk_huge(to, text);
}

/* --- all of them --- */

/* Arguments that are whole numbers, in the units of the command line. */
struct numbers {
    int64_t cells, open_percent, plant_percent, n201_u, windows, window_ms, gap_us, seed;
    int64_t rounds, slices, margin_percent, least_percent;
    int64_t searches, seconds, trial_ms, page_fd;
    int64_t share_percent, rate;
};

static void set_defaults(struct bench_plan *plan, struct numbers *n)
{
    static char scheme[] = "codel";
    *plan = (struct bench_plan){
        .octets = {3, {64, 512, 1400}},
        .ciphers = {1, {0}},
        .mobiles = {1, {100000}},
        .workers = {1, {1}},
        .aqm = {.scope = SCHED_AQM_MS},
        .has_roofline = true,
        .soak_ns = SOAK_NS,
        .socket = "",
        .link = "gbflow-generate",
    };
    *n = (struct numbers){.cells = 1000,
                          .gap_us = GAP_US,
                          .n201_u = 500,
                          .windows = 100,
                          .window_ms = 1,
                          .seed = 1,
                          .rounds = 12,
                          .slices = 16,
                          .margin_percent = 1,
                          .share_percent = 90,
                          .searches = 3,
                          .seconds = 60,
                          .trial_ms = 20,
                          .page_fd = -1};
    parse_aqm(plan, scheme);
    snprintf(plan->eal.eal_prefix, sizeof(plan->eal.eal_prefix), "gbflow-bench%d", (int)getpid());
}

static void keep_numbers(struct bench_plan *plan, const struct numbers *n)
{
    plan->cells = (uint32_t)n->cells;
    plan->open_percent = (unsigned)n->open_percent;
    plan->plant_percent = (unsigned)n->plant_percent;
    plan->n201_u = (uint16_t)n->n201_u;
    plan->windows = (unsigned)n->windows;
    plan->window_ns = n->window_ms * MILLISECOND;
    plan->gap_ns = n->gap_us * MICROSECOND;
    plan->seed = (uint64_t)n->seed;
    plan->rounds = (unsigned)n->rounds;
    plan->slices = (unsigned)n->slices;
    plan->margin_percent = (unsigned)n->margin_percent;
    plan->least_percent = (unsigned)n->least_percent;
    plan->share_percent = (unsigned)n->share_percent;
    plan->rate = (double)n->rate;
    plan->searches = (unsigned)n->searches;
    plan->seconds = (unsigned)n->seconds;
    plan->trial_ns = n->trial_ms * MILLISECOND;
    plan->page_fd = (int)n->page_fd;
}

static int parse(struct bench_plan *plan, struct numbers *n, int argc, char **argv)
{
    const struct command_option options[] = {
        {.name = "octets", .parse = parse_octets},
        {.name = "cipher", .parse = parse_ciphers},
        {.name = "mobiles", .parse = parse_mobiles},
        {.name = "workers", .parse = parse_workers},
        {.name = "zipf", .parse = parse_zipf},
        {.name = "aqm", .parse = parse_aqm},
        {.name = "scope", .parse = parse_scope},
        {.name = "cores", .parse = parse_cores},
        {.name = "cells", .number = &n->cells, .min = 1, .max = CELLS_MAX},
        {.name = "open", .number = &n->open_percent, .min = 1, .max = OPEN_MAX},
        {.name = "plant", .number = &n->plant_percent, .min = 0, .max = PLANT_MAX},
        {.name = "n201-u", .number = &n->n201_u, SNDCP_N201_U_MIN_OCTETS, SNDCP_N201_U_MAX_OCTETS},
        {.name = "windows", .number = &n->windows, .min = 1, .max = WINDOWS_MAX},
        {.name = "window-ms", .number = &n->window_ms, .min = 1, .max = WINDOW_MS_MAX},
        {.name = "gap-us", .number = &n->gap_us, .min = 1, .max = GAP_US_MAX},
        {.name = "seed", .number = &n->seed, .min = 0, .max = SEED_MAX},
        {.name = "rounds", .number = &n->rounds, .min = 1, .max = ROUNDS_MAX},
        {.name = "slices", .number = &n->slices, .min = 1, .max = ROUNDS_MAX},
        {.name = "margin", .number = &n->margin_percent, .min = 0, .max = 99},
        {.name = "least", .number = &n->least_percent, .min = 0, .max = PERCENT_MAX},
        {.name = "searches", .number = &n->searches, .min = 1, .max = BENCH_NDR_SEARCHES},
        {.name = "seconds", .number = &n->seconds, .min = 1, .max = SECONDS_MAX},
        {.name = "trial-ms", .number = &n->trial_ms, .min = 1, .max = WINDOW_MS_MAX},
        {.name = "share", .number = &n->share_percent, .min = 1, .max = 100},
        {.name = "rate", .number = &n->rate, .min = 1, .max = RATE_MAX},
        {.name = "minutes", .parse = parse_minutes},
        {.name = "page-fd", .number = &n->page_fd, .min = 0, .max = INT_MAX},
        {.name = "foreign", .flag = &plan->is_foreign, .value = true},
        {.name = "check-fcs", .flag = &plan->is_fcs_checked, .value = true},
        {.name = "self-check", .flag = &plan->is_self_check, .value = true},
        {.name = "no-roofline", .flag = &plan->has_roofline, .value = false},
        {.name = "quiet", .flag = &plan->is_quiet, .value = true},
        {.name = "huge", .parse = parse_huge, .takes = COMMAND_NO_ARGUMENT},
        {.name = "no-dpdk-huge", .parse = parse_no_dpdk_huge, .takes = COMMAND_NO_ARGUMENT},
        {.name = "no-huge", .parse = parse_no_huge, .takes = COMMAND_NO_ARGUMENT},
        {.name = "json", .text = &plan->json},
        {.name = "html", .text = &plan->html},
        {.name = "socket", .text = &plan->socket},
        {.name = "node", .text = &plan->node},
        {.name = "node-gn", .text = &plan->node_gn},
        {.name = "node-gb", .text = &plan->node_gb},
        {.name = "link", .text = &plan->link},
        {.name = "gn", .parse = bench_outside_gn},
        {.name = "gb", .parse = bench_outside_gb},
        {.name = "gn-mac", .parse = bench_outside_gn_mac},
        {.name = "gb-mac", .parse = bench_outside_gb_mac},
    };
    const struct command_parser parser = {
        .command = "bench", .options = options, .count = sizeof(options) / sizeof(options[0]), .to = plan};
    return command_parse(&parser, argc, argv);
}

/* What only all options together tell. */
static int check(struct bench_plan *plan)
{
    const char *reason = "";
    for (unsigned i = 0; i < plan->workers.count; i++) {
        if (plan->workers.values[i] > plan->cells)
            return command_wrong("bench", "each worker needs a cell", "");
        for (unsigned k = 0; k < plan->mobiles.count; k++)
            if (plan->workers.values[i] > plan->mobiles.values[k])
                return command_wrong("bench", "each worker needs a mobile", "");
    }
    for (unsigned i = 0; i < plan->ciphers.count && !plan->gea; i++)
        if (plan->ciphers.values[i] != 0 && !(plan->gea = gea_init(NULL, &reason)))
            return command_wrong("bench", "there is no ciphering: ", reason);
    return COMMAND_OK;
}

/* A worker in a process of its own. */
static int check_apart(const struct bench_plan *plan)
{
    if (plan->open_percent > 0)
        return command_wrong("bench", "--open is for preloaded only", "");
    for (unsigned i = 0; plan->is_fcs_checked && i < plan->ciphers.count; i++)
        if (plan->ciphers.values[i] != 0)
            return command_wrong("bench", "--check-fcs takes frames in clear here", "");
    return COMMAND_OK;
}

/* One worker by itself, whose data can be near. */
static int check_stages(const struct bench_plan *plan)
{
    if (plan->open_percent > 0)
        return command_wrong("bench", "--open is for preloaded only", "");
    if (bench_plan_most_workers(plan) > 1)
        return command_wrong("bench", "stages has one worker", "");
    return COMMAND_OK;
}

/* Preloaded workers that are measured in slices. */
static int check_slices(const struct bench_plan *plan, enum bench_options_mode mode)
{
    if (plan->windows > BENCH_SLICES_WINDOWS)
        return command_wrong("bench", "--windows takes whole numbers from 1 to 1000 here", "");
    if (mode == BENCH_OPTIONS_PAIR && (plan->workers.count != 1 || plan->workers.values[0] != 1))
        return command_wrong("bench", "--workers is not for pair, which has two", "");
    for (unsigned i = 0; mode == BENCH_OPTIONS_PAIR && i < plan->mobiles.count; i++)
        if (plan->mobiles.values[i] < 2 || plan->cells < 2)
            return command_wrong("bench", "each worker needs a mobile and a cell", "");
    return COMMAND_OK;
}

/* The two programs of compare. */
static int take_programs(struct bench_plan *plan, unsigned count, char **names)
{
    if (plan->is_self_check && count > 0)
        return command_wrong("bench", "--self-check compares this program, not ", names[0]);
    if (!plan->is_self_check && count != 2)
        return command_wrong("bench", "compare takes two programs", "");
    for (unsigned i = 0; i < count; i++)
        plan->programs[i] = names[i];
    return COMMAND_OK;
}

/* What a mode asks for besides. */
static int check_mode(struct bench_plan *plan, enum bench_options_mode mode)
{
    switch (mode) {
    case BENCH_OPTIONS_PRELOADED:
        return COMMAND_OK;
    case BENCH_OPTIONS_PAIR:
        bench_cores_choose(&plan->eal, 2);
        return check_slices(plan, mode);
    case BENCH_OPTIONS_SLICES:
    case BENCH_OPTIONS_COMPARE:
        return check_slices(plan, mode);
    case BENCH_OPTIONS_NDR:
    case BENCH_OPTIONS_SOAK:
        return check_apart(plan) == COMMAND_OK ? bench_cores_apart(plan) : COMMAND_USAGE;
    case BENCH_OPTIONS_DEVICE:
        return check_apart(plan);
    case BENCH_OPTIONS_STAGES:
        return check_stages(plan);
    case BENCH_OPTIONS_GENERATE:
        return bench_outside_check(plan) == COMMAND_OK ? check_apart(plan) : COMMAND_USAGE;
    }
    return COMMAND_OK;
}

static void set_mode_defaults(struct bench_plan *plan, struct numbers *n, enum bench_options_mode mode)
{
    if (mode == BENCH_OPTIONS_PAIR || mode == BENCH_OPTIONS_COMPARE) {
        plan->octets = (struct bench_plan_axis){1, {64}};
        n->windows = SLICE_WINDOWS;
    }
    if (mode == BENCH_OPTIONS_GENERATE) {
        plan->octets = (struct bench_plan_axis){1, {64}};
        plan->mobiles = (struct bench_plan_axis){1, {OUTSIDE_MOBILES}};
        n->cells = OUTSIDE_CELLS;
    }
    if (mode == BENCH_OPTIONS_SOAK) {
        plan->octets = (struct bench_plan_axis){1, {BENCH_PLAN_IMIX}};
        n->searches = 1;
    }
}

int bench_options_parse(struct bench_plan *plan, enum bench_options_mode mode, int argc, char **argv)
{
    struct numbers numbers;
    set_defaults(plan, &numbers);
    set_mode_defaults(plan, &numbers, mode);
    int status = parse(plan, &numbers, argc, argv);
    if (status != COMMAND_OK)
        return status;
    keep_numbers(plan, &numbers);
    if (mode == BENCH_OPTIONS_COMPARE)
        status = take_programs(plan, (unsigned)(argc - optind), argv + optind);
    else if (optind < argc)
        status = command_wrong("bench", "wrong argument ", argv[optind]);
    if (status == COMMAND_OK)
        status = check_mode(plan, mode);
    return status == COMMAND_OK ? check(plan) : status;
}
