/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/options.h"
#include "bench/throughput/console.h"
#include "bench/throughput/node_file.h"
#include "bench/throughput/values.h"

#include "dataplane/base/moment.h"
#include "dataplane/crypto/gea.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bench_arguments_put(struct bench_arguments *a, const char *format, ...)
{
    va_list values;
    if (a->count == BENCH_ARGUMENTS)
        return;
    va_start(values, format);
    vsnprintf(a->texts[a->count], BENCH_ARGUMENTS_CHARS, format, values);
    va_end(values);
    a->list[a->count] = a->texts[a->count];
    a->list[++a->count] = NULL;
}

void bench_arguments_pair(struct bench_arguments *a, const char *name, uint64_t value)
{
    bench_arguments_put(a, "--%s", name);
    bench_arguments_put(a, "%" PRIu64, value);
}

static void put_traffic(struct bench_arguments *a, const struct bench_plan *plan,
                        const struct bench_point *point)
{
    char octets[8];
    bench_value_octets_name(octets, point->octets);
    bench_arguments_put(a, "--octets");
    bench_arguments_put(a, "%s", octets);
    bench_arguments_put(a, "--cipher");
    bench_arguments_put(a, "%s", bench_value_cipher_name(point->cipher));
    bench_arguments_pair(a, "mobiles", point->mobiles);
    bench_arguments_pair(a, "cells", point->cells);
    bench_arguments_pair(a, "seed", plan->seed);
    bench_arguments_put(a, "--zipf");
    bench_arguments_put(a, "%g", plan->zipf);
    if (plan->is_foreign)
        bench_arguments_put(a, "--foreign");
}

void bench_arguments_point(struct bench_arguments *a, const char *mode, const struct bench_plan *plan,
                           const struct bench_point *point)
{
    bench_arguments_put(a, "gbflow");
    bench_arguments_put(a, "bench");
    bench_arguments_put(a, "%s", mode);
    put_traffic(a, plan, point);
    bench_arguments_put(a, "--aqm");
    bench_arguments_put(a, "%s", plan->aqm.choice.ops ? plan->aqm.choice.ops->name : "none");
    bench_arguments_put(a, "--scope");
    bench_arguments_put(a, "%s", bench_value_scope_name(plan));
    bench_arguments_pair(a, "n201-u", plan->n201_u);
    bench_arguments_pair(a, "gap-us", (uint64_t)plan->gap_ns / 1000);
    if (plan->bvc_rate_percent > 0)
        bench_arguments_pair(a, "open", plan->bvc_rate_percent);
    if (plan->eal.pages != LIVE_CONFIG_PAGES_AUTO)
        bench_arguments_put(a, plan->eal.pages == LIVE_CONFIG_PAGES_HUGE ? "--huge"
                               : plan->has_no_thp                        ? "--no-huge"
                                                                         : "--no-dpdk-huge");
}

void bench_arguments_workers(struct bench_arguments *a, const struct bench_plan *plan, unsigned first,
                             unsigned workers)
{
    char list[BENCH_ARGUMENTS_CHARS] = "";
    size_t used = 0;
    bench_arguments_pair(a, "workers", workers);
    for (unsigned i = 0; i < workers && plan->eal.core_count > 0 && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%u", i > 0 ? "," : "",
                                 plan->eal.cores[(first + i) % plan->eal.core_count]);
    if (used == 0)
        return;
    bench_arguments_put(a, "--cores");
    bench_arguments_put(a, "%s", list);
}

#define MILLISECOND     (MOMENT_SECOND / 1000)
#define MICROSECOND     (MOMENT_SECOND / 1000000)
#define OUTSIDE_MOBILES 10000
#define OUTSIDE_CELLS   100
#define SLICE_WINDOWS   20
#define SLOWDOWN        5 /* percent */
#define DISTANCE_S      10
#define LIMIT_S         7200
#define DEFAULT_LINK    "gbflow-generate"

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
        .link = DEFAULT_LINK,
        .limit_s = LIMIT_S,
        .bursts = 5,
        .overload_percent = 110,
        .node_core = UINT32_MAX,
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
    if (mode == BENCH_GENERATE)
        plan->octets.count = 0; /* complete_sizes() */
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

/* --- generate --- */

static void complete_sizes(struct bench_plan *plan)
{
    if (plan->octets.count == 0 && plan->is_rfc2544)
        plan->octets =
            (struct bench_plan_axis){9, {64, 128, 256, 512, 1024, 1280, 1400, 1500, BENCH_PLAN_IMIX}};
    else if (plan->octets.count == 0)
        plan->octets = (struct bench_plan_axis){1, {64}};
}

/* The last CPU of the affinity mask but the generator's, or that one if there is no other. */
static void complete_cores(struct bench_plan *plan)
{
    struct live_config other = {.core_count = 0};
    bench_cores_choose(&plan->eal, 1);
    bench_cores_choose(&other, 2);
    if (plan->node_core == UINT32_MAX && other.core_count > 0 && plan->eal.core_count > 0)
        plan->node_core =
            other.cores[0] != plan->eal.cores[0] || other.core_count < 2 ? other.cores[0] : other.cores[1];
}

/* Options that only --rfc2544, only --serve has. */
static int check_rfc2544(const struct bench_plan *plan)
{
    const bool is_outside = plan->eal.gn.device[0] || plan->eal.gb.device[0];
    if (!plan->is_rfc2544 && plan->octets.count > 1)
        return bench_refuse("--octets takes one value without --rfc2544; %u given", plan->octets.count);
    if (!plan->is_rfc2544 && (plan->is_served || plan->is_testpmd || plan->roofline || plan->trial_s > 0))
        return bench_refuse("--serve, --testpmd, --roofline and --trial-s need --rfc2544");
    if (plan->is_rfc2544 && plan->rate > 0)
        return bench_refuse(
            "--rate is one trial at a given load, --rfc2544 searches loads; give one of them");
    if (plan->is_rfc2544 && bench_plan_most_workers(plan) > 1)
        return bench_refuse("--rfc2544 measures a node with one worker, not %u; leave out --workers",
                            bench_plan_most_workers(plan));
    if (plan->is_testpmd && plan->roofline)
        return bench_refuse("--roofline is a report of testpmd to put beside a node's; not with --testpmd");
    if (!plan->is_served && (plan->node_gn[0] || plan->node_gb[0]))
        return bench_refuse("--node-gn and --node-gb need --serve, which starts the node on them");
    if (plan->is_served && is_outside != (plan->node_gn[0] || plan->node_gb[0]))
        return bench_refuse("with --serve, --gn, --gb, --node-gn and --node-gb are given together, or none");
    if (plan->is_rfc2544 && is_outside && (!plan->eal.gn.device[0] || !plan->eal.gb.device[0]))
        return bench_refuse("--gn and --gb are given together, or none of them");
    if (plan->is_served && !plan->node_gn[0] != !plan->node_gb[0])
        return bench_refuse("--node-gn and --node-gb are given together, or none of them");
    return COMMAND_OK;
}

static int check_generate(struct bench_plan *plan)
{
    static char link[40];
    int status = check_rfc2544(plan);
    if (status != COMMAND_OK)
        return status;
    complete_sizes(plan);
    if (plan->trial_s > 0)
        plan->trial_ns = (int64_t)plan->trial_s * MOMENT_SECOND;
    if (!plan->is_served)
        return COMMAND_OK;
    complete_cores(plan);
    if (strcmp(plan->link, DEFAULT_LINK) == 0) { /* two runs at a time have links of their own */
        snprintf(link, sizeof(link), DEFAULT_LINK "%d", (int)getpid());
        plan->link = link;
    }
    return COMMAND_OK;
}

int bench_check(struct bench_plan *plan, enum bench_mode mode)
{
    const bool has_generator =
        mode == BENCH_NDR || mode == BENCH_SOAK || mode == BENCH_GENERATE || mode == BENCH_DUT;
    int status = check_files(plan, mode);
    if (status == COMMAND_OK && mode == BENCH_GENERATE)
        status = check_generate(plan);
    if (status == COMMAND_OK && mode == BENCH_PAIR)
        bench_cores_choose(&plan->eal, 2);
    if (status == COMMAND_OK && (mode == BENCH_NDR || mode == BENCH_SOAK))
        status = bench_cores_apart(plan);
    if (status == COMMAND_OK)
        status = check_parts(plan, mode == BENCH_PAIR ? 2 : bench_plan_most_workers(plan));
    return status == COMMAND_OK ? check_ciphers(plan, has_generator && plan->is_fcs_checked) : status;
}

#define MODES_SHIFT(modes) ((modes) ? (unsigned)(modes)->first : 0)

/* The program and mode of bench_options_parse(), for bench_options_set(), whose only context is the plan. */
static const struct bench_modes *program;
static enum bench_mode current;

/* --- numbers --- */

static void store(const struct bench_option *o, struct bench_plan *plan, int64_t number)
{
    const int64_t value = number * o->scale;
    char *field = (char *)plan + o->at;
    if (o->octets == 2)
        *(uint16_t *)field = (uint16_t)value;
    else if (o->octets == 4)
        *(uint32_t *)field = (uint32_t)value;
    else
        *(int64_t *)field = value;
}

int64_t bench_option_load(const struct bench_option *o, const struct bench_plan *plan)
{
    const char *field = (const char *)plan + o->at;
    assert(o->octets == 2 || o->octets == 4 || o->octets == 8);
    if (o->octets == 2)
        return *(const uint16_t *)field / o->scale;
    if (o->octets == 4)
        return *(const uint32_t *)field / o->scale;
    return *(const int64_t *)field / o->scale;
}

/* --- options of one mode --- */

/* Rows in the form of command_parse(). */
struct listing {
    struct command_option options[COMMAND_OPTIONS];
    const struct bench_option *rows[COMMAND_OPTIONS];
    int64_t numbers[COMMAND_OPTIONS];
    unsigned count;
};

static struct command_option *options_find(struct listing *l, const char *name)
{
    for (unsigned i = 0; i < l->count; i++)
        if (strcmp(l->options[i].name, name) == 0)
            return &l->options[i];
    return NULL;
}

static void options_add(struct listing *l, const struct bench_option *o, struct bench_plan *plan,
                        uint32_t modes)
{
    char *field = (char *)plan + o->at;
    const unsigned i = l->count++;
    assert(i < COMMAND_OPTIONS);
    struct command_option *to = &l->options[i];
    *to = (struct command_option){.name = o->name, .modes = modes};
    l->rows[i] = o;
    if (o->kind == BENCH_OPTION_TEXT)
        to->text = (const char **)field;
    if (o->kind == BENCH_OPTION_FLAG)
        to->flag = (bool *)field;
    if (o->kind == BENCH_OPTION_VALUE)
        to->parse = o->parse;
    if (o->kind == BENCH_OPTION_NUMBER)
        to->number = &l->numbers[i];
    l->numbers[i] = o->kind == BENCH_OPTION_NUMBER ? bench_option_load(o, plan) : 0;
    to->min = o->min;
    to->max = o->max;
    to->value = o->value;
    to->takes = o->kind == BENCH_OPTION_VALUE && o->value ? COMMAND_NO_ARGUMENT : COMMAND_ARGUMENT;
}

/* The bits of a program's modes, the first one lowest. */
static uint32_t bits_in(const struct bench_modes *modes, uint32_t bits)
{
    return modes ? bits >> modes->first & ((UINT32_C(1) << modes->list.count) - 1) : 0;
}

/* The mode's own rows, then those of the program's other modes, which command_parse() refuses with their
 * names. */
static void list_rows(struct listing *l, struct bench_plan *plan)
{
    for (unsigned i = 0; i < bench_option_count; i++) {
        const struct bench_option *o = &bench_option_rows[i];
        if (!o->is_parameter && bench_option_is_of(o, current))
            options_add(l, o, plan, bits_in(program, o->modes));
    }
    for (unsigned i = 0; i < bench_option_count; i++) {
        const struct bench_option *o = &bench_option_rows[i];
        const uint32_t bits = bits_in(program, o->modes);
        struct command_option *there = options_find(l, o->name);
        if (o->is_parameter || bits == 0 || bench_option_is_of(o, current))
            continue;
        if (there)
            there->modes |= bits;
        else
            options_add(l, o, plan, bits);
    }
}

int bench_options_parse(struct bench_plan *plan, const struct bench_modes *modes, enum bench_mode mode,
                        int argc, char **argv)
{
    static struct listing l;
    program = modes;
    current = mode;
    l.count = 0;
    list_rows(&l, plan);
    const struct command_parser parser = {.command = bench_console_command(),
                                          .options = l.options,
                                          .count = l.count,
                                          .to = plan,
                                          .modes = modes ? &modes->list : NULL,
                                          .mode = mode - MODES_SHIFT(modes)};
    int status = command_parse(&parser, argc, argv);
    for (unsigned i = 0; status == COMMAND_OK && i < l.count; i++)
        if (l.options[i].number && bench_option_is_of(l.rows[i], mode))
            store(l.rows[i], plan, l.numbers[i]);
    return status;
}

/* --- parameters --- */

static const struct bench_option *find_parameter(const char *name, uint32_t *bits)
{
    const struct bench_option *found = NULL;
    *bits = 0;
    for (unsigned i = 0; i < bench_option_count; i++) {
        const struct bench_option *o = &bench_option_rows[i];
        if (!o->is_parameter || strcmp(o->name, name) != 0)
            continue;
        *bits |= bits_in(program, o->modes);
        if (bench_option_is_of(o, current))
            found = o;
    }
    return found;
}

static int refuse_parameter(const char *name, uint32_t bits)
{
    char names[256] = "";
    size_t used = 0;
    if (bits == 0)
        return bench_refuse("--set: unknown parameter %s", name);
    for (unsigned i = 0; i < program->list.count; i++)
        if (bits & UINT32_C(1) << i)
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s'%s'", used > 0 ? ", " : "",
                                     program->list.modes[i].name);
    return bench_refuse("--set: %s belongs to %s", name, names);
}

static int set_number(const struct bench_option *o, struct bench_plan *plan, const char *text)
{
    char *end;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    if (errno || *end || end == text || number < o->min || number > o->max)
        return bench_refuse("%s takes whole numbers from %" PRId64 " to %" PRId64 ", not %s", o->name, o->min,
                            o->max, text);
    store(o, plan, number);
    return COMMAND_OK;
}

int bench_options_set(void *to, char *text)
{
    uint32_t bits;
    char *value = strchr(text, '=');
    if (!value)
        return bench_refuse("--set takes NAME=VALUE, not %s", text);
    *value++ = 0;
    const struct bench_option *o = find_parameter(text, &bits);
    if (!o)
        return refuse_parameter(text, bits);
    if (o->kind == BENCH_OPTION_NUMBER)
        return set_number(o, to, value);
    if (o->kind == BENCH_OPTION_TEXT)
        *(const char **)((char *)to + o->at) = value;
    return o->kind == BENCH_OPTION_VALUE ? o->parse(to, value) : COMMAND_OK;
}
