/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The price of ESP: a worker without ESP and one with it on the same CPU, in rounds of one window each, whose
 * order changes from round to round. Traffic, mobiles and configuration are the same. A round is void if one
 * of its windows is. The price is the difference of the two windows of a round, per N-PDU.
 *
 * Before its window a worker makes turns that do not count: they bring its code and data back into the
 * caches.
 */
#include "bench/esp/esp_ends.h"
#include "bench/throughput/preloaded.h"
#include "bench/throughput/timed_worker.h"
#include "control/base/eal.h"

#include <rte_launch.h>

#define LEAD_PARTS 4 /* window / turns before it */

enum { WITHOUT, WITH, SIDES };

struct esp_cost {
    const struct bench_plan *plan;
    struct bench_plan plain; /* without ESP */
    struct bench_timed_worker workers[SIDES];
    struct bench_spread ns[SIDES], turn_ns, added, ratio; /* a value for each round */
    uint64_t voided;
    struct bench_fault faults[SIDES];
};

/* --- on the worker's CPU --- */

static struct bench_window cost_window(struct esp_cost *cost, unsigned side)
{
    struct bench_timed_worker *worker = &cost->workers[side];
    bench_timed_worker_run(worker, cost->plan->window_ns / LEAD_PARTS);
    return bench_timed_worker_run(worker, cost->plan->window_ns);
}

static void cost_round(struct esp_cost *cost)
{
    struct bench_window windows[SIDES];
    double ns[SIDES];
    const unsigned first = (cost->added.count + cost->voided) % SIDES;
    windows[first] = cost_window(cost, first);
    windows[!first] = cost_window(cost, !first);
    if (windows[WITHOUT].is_void || windows[WITH].is_void) {
        cost->voided++;
        return;
    }
    for (unsigned side = 0; side < SIDES; side++) {
        ns[side] = (double)windows[side].step_ns / (double)windows[side].done;
        bench_spread_add(&cost->ns[side], ns[side]);
    }
    bench_spread_add(&cost->turn_ns, (double)windows[WITH].turn_ns / (double)windows[WITH].done);
    bench_spread_add(&cost->added, ns[WITH] - ns[WITHOUT]);
    bench_spread_add(&cost->ratio, ns[WITH] / ns[WITHOUT]);
    bench_progress("%zu of %u rounds ", cost->added.count, cost->plan->windows);
}

static int cost_rounds(void *arg)
{
    struct esp_cost *cost = arg;
    for (unsigned side = 0; side < SIDES; side++)
        bench_timed_worker_warm_up(&cost->workers[side]);
    while (bench_timed_worker_goes_on(cost->plan, cost->added.count, cost->voided))
        cost_round(cost);
    for (unsigned side = 0; side < SIDES; side++)
        cost->faults[side] = bench_timed_worker_check(&cost->workers[side]);
    return 0;
}

/* --- main --- */

static bool cost_open(struct esp_cost *cost, const struct bench_point *point)
{
    const size_t rounds = cost->plan->windows;
    bool has_room = bench_spread_new(&cost->turn_ns, rounds) && bench_spread_new(&cost->added, rounds) &&
                    bench_spread_new(&cost->ratio, rounds);
    for (unsigned side = 0; has_room && side < SIDES; side++)
        has_room = bench_spread_new(&cost->ns[side], rounds);
    if (!has_room) {
        bench_error("out of memory for %u rounds", cost->plan->windows);
        return false;
    }
    cost->plain = *cost->plan;
    cost->plain.guard = (struct bench_plan_guard){.of = NULL};
    return bench_timed_worker_open(&cost->workers[WITHOUT], &cost->plain, point, WITHOUT) &&
           bench_timed_worker_open(&cost->workers[WITH], cost->plan, point, WITH);
}

static void cost_close(struct esp_cost *cost)
{
    for (unsigned side = 0; side < SIDES; side++) {
        bench_timed_worker_close(&cost->workers[side]);
        bench_spread_free(&cost->ns[side]);
    }
    bench_spread_free(&cost->turn_ns);
    bench_spread_free(&cost->added);
    bench_spread_free(&cost->ratio);
}

static void cost_sum_up(struct esp_cost *cost, struct bench_preloaded *out)
{
    out->windows = cost->added.count;
    out->voided = cost->voided;
    out->ns = bench_spread_summary(&cost->ns[WITH]);
    out->turn_ns = bench_spread_summary(&cost->turn_ns).median;
    out->npdu_per_s = out->ns.median > 0 ? 1e9 / out->ns.median : 0;
    out->turn_npdu_per_s = out->turn_ns > 0 ? 1e9 / out->turn_ns : 0;
    out->price = (struct bench_price){.device = bench_esp_ends_device(),
                                      .without = bench_spread_summary(&cost->ns[WITHOUT]),
                                      .added = bench_spread_summary(&cost->added),
                                      .ratio = bench_spread_summary(&cost->ratio)};
    bench_timed_worker_count(&cost->workers[WITH], &out->counts);
    for (unsigned side = 0; side < SIDES; side++)
        if (bench_fault_is_set(&cost->faults[side]))
            bench_fault_add(&out->fault, "worker %s ESP: %s", side == WITH ? "with" : "without",
                            cost->faults[side].text);
}

bool bench_esp_cost_measure(const struct bench_plan *plan, const struct bench_point *point,
                            struct bench_preloaded *out)
{
    static struct esp_cost cost;
    cost = (struct esp_cost){.plan = plan};
    *out = (struct bench_preloaded){.point = *point};
    bool is_done = cost_open(&cost, point);
    if (is_done) {
        rte_eal_remote_launch(cost_rounds, &cost, EAL_LIVE_LCORE(0));
        rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
        bench_progress_end();
        cost_sum_up(&cost, out);
        is_done = out->windows > 0;
        if (!is_done)
            bench_timed_worker_say_none(plan, "round");
    }
    cost_close(&cost);
    return is_done;
}
