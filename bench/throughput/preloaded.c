/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/preloaded.h"

#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/report.h"
#include "bench/throughput/timed_worker.h"
#include "bench/throughput/fixture.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/teid.h"
#include "dataplane/worker/worker.h"

#include <rte_launch.h>
#include <rte_pause.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define POLL_US 20000

/* Shared by the workers of a point. Written by main before they start, except ready and done. */
struct preloaded_run {
    const struct bench_plan *plan;
    unsigned workers;
    atomic_uint ready, done;
};

/* Of one worker: written by its CPU until it returns. */
struct preloaded_worker {
    struct preloaded_run *run;
    struct bench_timed_worker timed;
    struct bench_spread step_ns, turn_ns; /* per N-PDU, a value for each window */
    uint64_t voided;
    atomic_uint windows; /* also read by main */
    struct bench_fault fault;
};

/* --- on the worker's CPU --- */

static struct bench_window run_window(struct preloaded_worker *worker)
{
    return bench_timed_worker_run(&worker->timed, worker->run->plan->window_ns);
}

static void wait_for_all(struct preloaded_run *run)
{
    atomic_fetch_add(&run->ready, 1);
    while (atomic_load(&run->ready) < run->workers)
        rte_pause();
}

static int run_worker(void *arg)
{
    struct preloaded_worker *worker = arg;
    bench_timed_worker_warm_up(&worker->timed);
    wait_for_all(worker->run);
    while (bench_timed_worker_goes_on(worker->run->plan, worker->step_ns.count, worker->voided)) {
        struct bench_window window = run_window(worker);
        if (window.is_void) {
            worker->voided++;
            continue;
        }
        bench_spread_add(&worker->step_ns, (double)window.step_ns / (double)window.done);
        bench_spread_add(&worker->turn_ns, (double)window.turn_ns / (double)window.done);
        atomic_fetch_add(&worker->windows, 1);
    }
    atomic_fetch_add(&worker->run->done, 1);
    while (atomic_load(&worker->run->done) < worker->run->workers)
        run_window(worker); /* keeps the load on caches and memory until the last worker is done */
    worker->fault = bench_timed_worker_check(&worker->timed);
    return 0;
}

/* --- main --- */

static void free_workers(struct preloaded_worker *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bench_timed_worker_close(&list[i].timed);
        bench_spread_free(&list[i].step_ns);
        bench_spread_free(&list[i].turn_ns);
    }
}

static bool open_workers(struct preloaded_worker *list, struct preloaded_run *run,
                         const struct bench_point *point)
{
    for (unsigned i = 0; i < point->workers; i++) {
        list[i].run = run;
        if (!bench_spread_new(&list[i].step_ns, run->plan->windows) ||
            !bench_spread_new(&list[i].turn_ns, run->plan->windows)) {
            bench_error("out of memory for %u windows", run->plan->windows);
            return false;
        }
        if (!bench_timed_worker_open(&list[i].timed, run->plan, point, i))
            return false;
    }
    return true;
}

static void show_progress(const struct bench_plan *plan, const struct preloaded_worker *list, unsigned count)
{
    unsigned least = plan->windows;
    for (unsigned i = 0; i < count; i++)
        least = RTE_MIN(least, atomic_load(&list[i].windows));
    bench_progress("%u of %u windows ", least, plan->windows);
}

static void run_workers(struct preloaded_worker *list, struct preloaded_run *run)
{
    for (unsigned i = 0; i < run->workers; i++)
        rte_eal_remote_launch(run_worker, &list[i], EAL_LIVE_LCORE(i));
    while (atomic_load(&run->done) < run->workers) {
        show_progress(run->plan, list, run->workers);
        usleep(POLL_US);
    }
    for (unsigned i = 0; i < run->workers; i++)
        rte_eal_wait_lcore(EAL_LIVE_LCORE(i));
    bench_progress_end();
}

static void count(struct bench_preloaded *out, const struct preloaded_worker *worker)
{
    bench_timed_worker_count(&worker->timed, &out->counts);
    out->windows += worker->step_ns.count;
    out->voided += worker->voided;
    if (bench_fault_is_set(&worker->fault))
        bench_fault_add(&out->fault, "worker %u: %s", worker->timed.fixture->number, worker->fault.text);
}

/* Rates from each worker's median; quartiles over all windows of all workers. */
static bool sum_up(struct preloaded_worker *list, unsigned workers, struct bench_preloaded *out)
{
    struct bench_spread all, turns;
    if (!bench_spread_new(&all, (size_t)workers * list[0].step_ns.cap) ||
        !bench_spread_new(&turns, (size_t)workers * list[0].step_ns.cap))
        return false;
    for (unsigned i = 0; i < workers; i++) {
        struct preloaded_worker *worker = &list[i];
        count(out, worker);
        for (size_t k = 0; k < worker->step_ns.count; k++) {
            bench_spread_add(&all, worker->step_ns.values[k]);
            bench_spread_add(&turns, worker->turn_ns.values[k]);
        }
        if (worker->step_ns.count == 0)
            continue;
        out->npdu_per_s += 1e9 / bench_spread_summary(&worker->step_ns).median;
        out->turn_npdu_per_s += 1e9 / bench_spread_summary(&worker->turn_ns).median;
    }
    out->ns = bench_spread_summary(&all);
    out->turn_ns = bench_spread_summary(&turns).median;
    bench_spread_free(&all);
    bench_spread_free(&turns);
    return out->windows > 0;
}

/* Measures one point. False, with a line on stderr: not measured. */
static bool run_point(const struct bench_plan *plan, const struct bench_point *point,
                      struct bench_preloaded *out)
{
    static struct preloaded_worker list[TEID_WORKERS];
    struct preloaded_run run = {.plan = plan, .workers = point->workers};
    *out = (struct bench_preloaded){.point = *point};
    for (unsigned i = 0; i < TEID_WORKERS; i++)
        list[i] = (struct preloaded_worker){0};
    bool is_done = open_workers(list, &run, point);
    if (is_done) {
        run_workers(list, &run);
        is_done = sum_up(list, point->workers, out);
        if (!is_done)
            bench_timed_worker_say_none(plan, "window");
    }
    free_workers(list, point->workers);
    return is_done;
}

/* --- each point of a plan --- */

static enum bench_points_outcome preloaded_measure(struct json_stream *json, const struct bench_plan *plan,
                                                   const struct bench_point *point)
{
    struct bench_preloaded result;
    if (!(bench_plan_has_guard(plan) ? plan->guard.of->measure : run_point)(plan, point, &result))
        return BENCH_POINTS_STOP;
    bench_report_row(plan, &result);
    bench_report_trial(json, plan, &result);
    return bench_fault_is_set(&result.fault) || bench_report_is_short(plan, &result) ? BENCH_POINTS_BAD
                                                                                     : BENCH_POINTS_GOOD;
}

int bench_preloaded_mode(const struct bench_plan *plan)
{
    if (!eal_live_start(&plan->eal, bench_plan_most_workers(plan),
                        bench_fixture_most_octets(plan, bench_plan_has_guard(plan) ? 2 : 1)))
        return COMMAND_FAILED;
    int status = bench_report_points(
        plan, &(struct bench_points_mode){.head = bench_report_head, .measure = preloaded_measure});
    eal_stop();
    return status;
}
