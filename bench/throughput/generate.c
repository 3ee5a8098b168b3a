/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/generate.h"

#include "bench/throughput/console.h"
#include "bench/throughput/gb_peer.h"
#include "bench/throughput/node_file.h"
#include "bench/throughput/report_generate.h"
#include "bench/statistics/search.h"
#include "bench/throughput/points.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"

#include <stdio.h>

#define UP_S        30
#define SOON_NS     (2 * MOMENT_SECOND)
#define UP_NS       (UP_S * MOMENT_SECOND)
#define PATIENCE_NS (10 * MOMENT_SECOND) /* wait for late frames of a node that may share its CPU */
#define WIDTH       0.005
#define PDR_LOSS    0.005
#define BELOW_MOST  0.95
#define NEAR_NDR    0.9
#define VOIDS_MAX   200 /* of one trial */

#define START "gbflow bench node node.lua, with the same options; gbflow serve node.lua"

struct attempt {
    struct bench_generator *g;
    struct bench_generate *out;
    int64_t end_ns;
};

/* A trial without a gap of the generator. */
static bool try_clean(struct attempt *a, struct bench_trial *trial)
{
    const struct bench_plan *plan = a->g->plan;
    trial->gap_ns = plan->gap_ns;
    for (unsigned i = 0; i < VOIDS_MAX && clock_now_ns() < a->end_ns; i++) {
        bench_generator_try(a->g, trial);
        a->out->trials++;
        if (!bench_trial_is_void(trial, &trial->gaps))
            return true;
        a->out->voided++;
    }
    return false;
}

static bool try_rate(void *arg, double rate, double *loss)
{
    struct bench_trial trial = {.rate = rate};
    bool is_done = try_clean(arg, &trial);
    *loss = bench_trial_loss(&trial);
    return is_done;
}

static int64_t end_of(const struct bench_plan *plan)
{
    return clock_now_ns() + (int64_t)plan->seconds * MOMENT_SECOND;
}

/* NDR and PDR, then latency at 90 % of NDR. */
static bool search(struct attempt *a, const struct bench_plan *plan)
{
    struct bench_trial most = {.rate = 0};
    struct bench_search s = {.width = WIDTH, .goal_count = 2, .goals = {{.loss = PDR_LOSS}, {.loss = 0}}};
    a->end_ns = end_of(plan);
    if (!try_clean(a, &most))
        return false;
    s.max_rate = (double)most.offered / (double)most.took_ns * 1e9 * BELOW_MOST;
    a->out->is_finished = bench_search_run(&s, try_rate, a);
    a->out->pdr = s.goals[0].found;
    a->out->ndr = s.goals[1].found;
    a->out->trial = (struct bench_trial){.rate = a->out->ndr * NEAR_NDR, .has_latency = true};
    a->end_ns = end_of(plan);
    return a->out->ndr > 0 && try_clean(a, &a->out->trial);
}

/* One trial at the given load; gaps are counted, and do not void it. */
static bool hold(struct attempt *a, const struct bench_plan *plan)
{
    a->out->trial = (struct bench_trial){
        .rate = plan->rate, .gap_ns = plan->gap_ns, .patience_ns = PATIENCE_NS, .has_latency = true};
    bench_generator_try(a->g, &a->out->trial);
    a->out->trials = 1;
    a->out->voided = a->out->trial.gaps.longest_ns > 0;
    return true;
}

/* Says after a while what the node has to be. */
static bool bring_up(struct bench_generator *g)
{
    if (bench_generator_bring_up(g, SOON_NS))
        return true;
    fprintf(stderr,
            "gbflow bench generate: waiting up to %d s for a node at the other ends of Gn and Gb. Start it "
            "in another "
            "terminal: gbflow bench node node.lua, with the same options; gbflow serve node.lua\n",
            UP_S);
    return bench_generator_bring_up(g, UP_NS - SOON_NS);
}

static bool measure(const struct bench_plan *plan, const struct bench_point *point,
                    struct bench_generate *out)
{
    static struct bench_generator g;
    static struct bench_gb_peer gb_peer;
    struct attempt a = {.g = &g, .out = out};
    bool is_done = false;
    *out = (struct bench_generate){.point = *point};
    if (!bench_generator_attach(&g, plan, point, &gb_peer)) {
        bench_error(
            "no node runs at the other ends of Gn and Gb, or not with these options; start it first: " START);
    } else {
        if (!bring_up(&g))
            bench_error("Gb is not up after %d s: does the node run, with the file of `gbflow bench node`?",
                        UP_S);
        else if (!bench_generator_is_through(&g, UP_NS))
            bench_error("bursts of %d N-PDUs lose frames for %d s: has the node the same --mobiles, --cells, "
                        "--cipher "
                        "and n201_u?",
                        BENCH_GENERATOR_BURST, UP_S);
        else if (!(is_done = plan->rate > 0 ? hold(&a, plan) : search(&a, plan)))
            bench_error("no offered load without loss found in %u s: raise --seconds, or try --rate",
                        plan->seconds);
    }
    bench_generator_close(&g);
    return is_done;
}

static int report(const struct bench_plan *plan, const struct bench_point *point)
{
    struct bench_machine machine;
    struct json_stream json;
    struct bench_generate result;
    bench_machine_get(&machine);
    if (!bench_report_begin(&json, plan, &machine))
        return COMMAND_FAILED;
    bench_report_generate_head(plan, &machine);
    bool is_done = measure(plan, point, &result);
    if (is_done) {
        bench_report_generate_row(&result);
        bench_report_generate_trial(&json, plan, &result);
        is_done = result.trial.wrong_fcs + result.trial.reordered == 0;
    }
    return bench_report_end(&json, plan) && is_done ? COMMAND_OK : COMMAND_FAILED;
}

int bench_generate_run(const struct bench_plan *plan)
{
    struct bench_plan here = *plan;
    struct bench_point point = bench_points_point(&(struct bench_points){.plan = plan});
    if (plan->rate > 0)
        here.trial_ns = (int64_t)plan->seconds * MOMENT_SECOND;
    if (!eal_live_start(&here.eal, 1, bench_generator_memory_octets(1)))
        return COMMAND_FAILED;
    int status = report(&here, &point);
    eal_stop();
    return status;
}
