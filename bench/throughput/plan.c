/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/plan.h"
#include "bench/throughput/console.h"
#include "bench/throughput/left_folders.h"
#include "bench/throughput/traffic.h"
#include "bench/throughput/values.h"

#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"
#include "dataplane/crypto/gea.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MILLISECOND     (MOMENT_SECOND / 1000)
#define MICROSECOND     (MOMENT_SECOND / 1000000)
#define OUTSIDE_MOBILES 10000
#define OUTSIDE_CELLS   100
#define SLICE_WINDOWS   20
#define SCHED_COUNTED   4
#define SCHED_ROUNDS    9
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
    snprintf(plan->eal.eal_prefix, sizeof(plan->eal.eal_prefix), BENCH_LEFT_FOLDERS_PREFIX "%d",
             (int)getpid());
}

static void set_comparison(struct bench_plan *plan)
{
    plan->octets = (struct bench_plan_axis){1, {64}};
    plan->windows = SLICE_WINDOWS;
}

static void set_workers(struct bench_plan *plan)
{
    plan->octets = (struct bench_plan_axis){1, {512}};
    plan->workers = (struct bench_plan_axis){5, {1, 2, 4, 8, 16}};
}

static void set_sched(struct bench_plan *plan)
{
    plan->mobiles = (struct bench_plan_axis){2, {4096, 65536}};
    plan->octets.count = 1;
    plan->rounds = SCHED_ROUNDS;
    plan->counted_steps = SCHED_COUNTED;
    plan->seconds = 1;
}

static void set_outside(struct bench_plan *plan)
{
    plan->octets = (struct bench_plan_axis){1, {64}};
    plan->mobiles = (struct bench_plan_axis){1, {OUTSIDE_MOBILES}};
    plan->cells = OUTSIDE_CELLS;
}

void bench_plan_set_defaults(struct bench_plan *plan, enum bench_mode mode)
{
    set_all(plan);
    if (mode == BENCH_COMPARE || mode == BENCH_PAIR || mode == BENCH_SELF_CHECK)
        set_comparison(plan);
    if (mode == BENCH_WORKERS)
        set_workers(plan);
    if (mode == BENCH_SCHED)
        set_sched(plan);
    if (mode == BENCH_GENERATE || mode == BENCH_NODE)
        set_outside(plan);
    if (mode == BENCH_GENERATE)
        plan->octets.count = 0; /* complete_sizes() */
    if (mode == BENCH_NDR)
        plan->trial_ns = plan->gap_ns = 0; /* by the gaps of the machine */
    if (mode == BENCH_SELF_CHECK)
        plan->slowdown_percent = SLOWDOWN;
    if (mode == BENCH_DISTANCE)
        plan->seconds = DISTANCE_S;
    if (mode == BENCH_SOAK) {
        plan->octets = (struct bench_plan_axis){1, {BENCH_PLAN_IMIX}};
        plan->searches = 1;
    }
}

/* --- CPUs --- */

void bench_plan_choose_cores(struct live_config *eal, unsigned wanted)
{
    cpu_set_t cpus;
    if (eal->core_count == 0 && sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
        for (unsigned cpu = CPU_SETSIZE; cpu-- > 0 && eal->core_count < wanted;)
            if (CPU_ISSET(cpu, &cpus))
                eal->cores[eal->core_count++] = cpu;
    if (eal->core_count == 1 && wanted == 2)
        eal->cores[eal->core_count++] = eal->cores[0];
}

/* CPUs of the workers, then of the generator. Two of them share a CPU only if --cores says so, or if there is
 * but one. COMMAND_OK, or COMMAND_USAGE after a message. */
static int spread_cores(struct bench_plan *plan)
{
    unsigned wanted = bench_plan_most_workers(plan) + 1;
    bench_plan_choose_cores(&plan->eal, wanted);
    if (plan->eal.core_count >= wanted)
        return COMMAND_OK;
    return bench_refuse(
        "%u workers and the generator take %u CPUs, %u given or found; --cores A,A,B shares one", wanted - 1,
        wanted, plan->eal.core_count);
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
        return bench_refuse("missing --html FILE, the page to write, or --out DIR");
    if (mode != BENCH_COMPARE && mode != BENCH_NODE && mode != BENCH_REPORT && plan->file_count > 0)
        return bench_refuse("it takes options only, not %s", plan->files[0]);
    return COMMAND_OK;
}

static int check_cores(const struct bench_plan *plan, enum bench_mode mode)
{
    const unsigned *absent = eal_live_absent_core(&plan->eal);
    if ((mode == BENCH_SCHED || mode == BENCH_GENERATE) && plan->eal.core_count > 1)
        return bench_refuse("--cores takes one CPU, not %u", plan->eal.core_count);
    return absent ? bench_refuse("--cores: CPU %u is not in the process's affinity mask (taskset, cpuset)",
                                 *absent)
                  : COMMAND_OK;
}

/* Pipes of rte_sched. */
static int check_pipes(const struct bench_plan *plan)
{
    for (unsigned i = 0; i < plan->mobiles.count; i++)
        if (plan->mobiles.values[i] & (plan->mobiles.values[i] - 1))
            return bench_refuse("--mobiles takes powers of 2, as rte_sched has pipes, not %u",
                                plan->mobiles.values[i]);
    return COMMAND_OK;
}

/* Each worker has a part of mobiles and cells. */
static int check_parts(const struct bench_plan *plan, unsigned workers)
{
    if (workers > plan->cells)
        return bench_refuse("each worker needs a cell: %u worker%s, %u cell%s", workers,
                            words_plural(workers), plan->cells, words_plural(plan->cells));
    for (unsigned i = 0; i < plan->mobiles.count; i++)
        if (workers > plan->mobiles.values[i])
            return bench_refuse("each worker needs a mobile: %u worker%s, %u mobile%s", workers,
                                words_plural(workers), plan->mobiles.values[i],
                                words_plural(plan->mobiles.values[i]));
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

/* The N-PDU of a frame size of RFC 2544 (9.1). Its 64 octets are too few for GTP-U. */
#define FRAME(octets) ((octets)-BENCH_TRAFFIC_ETHERNET_OCTETS)

static void complete_sizes(struct bench_plan *plan)
{
    if (plan->octets.count == 0 && plan->is_rfc2544)
        plan->octets = (struct bench_plan_axis){9,
                                                {64, FRAME(128), FRAME(256), FRAME(512), FRAME(1024),
                                                 FRAME(1280), FRAME(1518), 1500, BENCH_PLAN_IMIX}};
    else if (plan->octets.count == 0)
        plan->octets = (struct bench_plan_axis){1, {64}};
}

/* The last CPU of the affinity mask but the generator's, or that one if there is no other. */
static void complete_cores(struct bench_plan *plan)
{
    struct live_config other = {.core_count = 0};
    bench_plan_choose_cores(&plan->eal, 1);
    bench_plan_choose_cores(&other, 2);
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

int bench_plan_check(struct bench_plan *plan, enum bench_mode mode)
{
    const bool has_generator =
        mode == BENCH_NDR || mode == BENCH_SOAK || mode == BENCH_GENERATE || mode == BENCH_DUT;
    int status = check_files(plan, mode);
    if (status == COMMAND_OK)
        status = check_cores(plan, mode);
    if (status == COMMAND_OK && mode == BENCH_GENERATE)
        status = check_generate(plan);
    if (status == COMMAND_OK && mode == BENCH_SCHED)
        status = check_pipes(plan);
    if (status == COMMAND_OK && plan->guard.of)
        status = plan->guard.of->check(plan);
    if (status == COMMAND_OK && mode == BENCH_PAIR)
        bench_plan_choose_cores(&plan->eal, 2);
    if (status == COMMAND_OK && (mode == BENCH_NDR || mode == BENCH_SOAK))
        status = spread_cores(plan);
    if (status == COMMAND_OK)
        status = check_parts(plan, mode == BENCH_PAIR ? 2 : bench_plan_most_workers(plan));
    return status == COMMAND_OK ? check_ciphers(plan, has_generator && plan->is_fcs_checked) : status;
}

/* --- points --- */

struct bench_point bench_plan_point(const struct bench_points *points)
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

bool bench_plan_next_point(struct bench_points *points)
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
