/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/slices.h"

#include "bench/throughput/console.h"
#include "bench/throughput/fixture.h"
#include "bench/throughput/timed_worker.h"
#include "bench/throughput/points.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/teid.h"

#include <inttypes.h>
#include <rte_launch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

#define POLL_US     200
#define CLOCK_TRIES 5

/* The slice under way. Written by main while the workers sleep, except done. */
struct order {
    int64_t at_ns, window_ns;
    unsigned windows; /* 0: warm up only */
    atomic_uint done;
};

struct slices_worker {
    struct bench_timed_worker timed;
    struct order *order;
    double ns[BENCH_SLICES_WINDOWS]; /* per N-PDU; 0: void window */
    struct bench_fault fault;
};

/* --- on the worker's CPU --- */

/* The worker's clock minus CLOCK_MONOTONIC; of several readings the one that took the shortest time. */
static int64_t clock_offset_ns(const struct bench_timed_worker *timed)
{
    int64_t best_ns = INT64_MAX, offset_ns = 0;
    for (unsigned i = 0; i < CLOCK_TRIES; i++) {
        int64_t before_ns = clock_counter_ns(&timed->clock), now = clock_now_ns();
        int64_t took_ns = clock_counter_ns(&timed->clock) - before_ns;
        if (took_ns >= best_ns)
            continue;
        best_ns = took_ns;
        offset_ns = before_ns + took_ns / 2 - now;
    }
    return offset_ns;
}

static double run_window(struct slices_worker *worker, int64_t *at_ns, int64_t begin_ns)
{
    bool is_late = *at_ns - begin_ns > worker->timed.plan->gap_ns;
    struct bench_window window =
        bench_timed_worker_window(&worker->timed, at_ns, begin_ns + worker->order->window_ns);
    return window.is_void || is_late ? 0 : (double)window.step_ns / (double)window.done;
}

static int run_slice(void *arg)
{
    struct slices_worker *worker = arg;
    const struct order *order = worker->order;
    if (order->windows == 0)
        bench_timed_worker_warm_up(&worker->timed);
    int64_t begin_ns = order->at_ns + clock_offset_ns(&worker->timed);
    int64_t at_ns = clock_counter_ns(&worker->timed.clock);
    if (order->windows > 0)
        bench_timed_worker_window(&worker->timed, &at_ns, begin_ns); /* fills the caches */
    for (unsigned i = 0; i < order->windows; i++)
        worker->ns[i] = run_window(worker, &at_ns, begin_ns + i * order->window_ns);
    atomic_fetch_add(&worker->order->done, 1);
    return 0;
}

static int finish(void *arg)
{
    struct slices_worker *worker = arg;
    worker->fault = bench_timed_worker_check(&worker->timed);
    atomic_fetch_add(&worker->order->done, 1);
    return 0;
}

/* --- main --- */

/* Runs a function on all workers, and sleeps until all have returned, at least until until_ns. */
static void run_all(struct slices_worker *list, unsigned workers, int (*job)(void *), int64_t until_ns)
{
    struct order *order = list[0].order;
    atomic_store(&order->done, 0);
    for (unsigned i = 0; i < workers; i++)
        rte_eal_remote_launch(job, &list[i], EAL_LIVE_LCORE(i));
    int64_t wait_ns = until_ns - clock_now_ns();
    if (wait_ns > 0)
        usleep((useconds_t)(wait_ns / 1000));
    while (atomic_load(&order->done) < workers)
        usleep(POLL_US);
    for (unsigned i = 0; i < workers; i++)
        rte_eal_wait_lcore(EAL_LIVE_LCORE(i));
}

static void answer(const struct slices_worker *worker, unsigned windows)
{
    for (unsigned i = 0; i < windows; i++)
        if (worker->ns[i] > 0)
            printf("%.4f ", worker->ns[i]);
        else
            printf("- ");
    printf("\n");
}

static bool obey(struct slices_worker *list, unsigned workers, const char *line)
{
    struct order *order = list[0].order;
    if (sscanf(line, "slice %" SCNd64 " %u", &order->at_ns, &order->windows) != 2 || order->windows == 0 ||
        order->windows > BENCH_SLICES_WINDOWS)
        return false;
    run_all(list, workers, run_slice, order->at_ns + order->windows * order->window_ns);
    for (unsigned i = 0; i < workers; i++)
        answer(&list[i], order->windows);
    fflush(stdout);
    return true;
}

static int obey_all(struct slices_worker *list, unsigned workers)
{
    char line[80];
    struct bench_fault fault = {""};
    run_all(list, workers, run_slice, 0);
    puts(BENCH_SLICES_HELLO);
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin))
        if (!obey(list, workers, line))
            return bench_refuse("only `gbflow bench compare` and gbflow-lab start it; unknown line: %s",
                                line);
    run_all(list, workers, finish, 0);
    for (unsigned i = 0; i < workers; i++)
        if (bench_fault_is_set(&list[i].fault))
            bench_fault_add(&fault, "worker %u: %s", i, list[i].fault.text);
    if (!bench_fault_is_set(&fault))
        puts("end");
    else
        printf("fault %s\n", fault.text);
    return bench_fault_is_set(&fault) ? COMMAND_FAILED : COMMAND_OK;
}

static int serve(const struct bench_plan *plan, const struct bench_point *point)
{
    static struct slices_worker list[TEID_WORKERS];
    struct order order = {.window_ns = plan->window_ns};
    int status = COMMAND_OK;
    unsigned opened = 0;
    for (; opened < point->workers && status == COMMAND_OK; opened++) {
        list[opened].order = &order;
        if (!bench_timed_worker_open(&list[opened].timed, plan, point, opened))
            status = COMMAND_FAILED;
    }
    if (status == COMMAND_OK)
        status = obey_all(list, point->workers);
    for (unsigned i = 0; i < opened; i++)
        bench_timed_worker_close(&list[i].timed);
    return status;
}

int bench_slices_run(const struct bench_plan *plan)
{
    const struct bench_point point = bench_points_point(&(struct bench_points){.plan = plan});
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!eal_live_start(&plan->eal, point.workers, bench_fixture_memory_octets(plan, &point)))
        return COMMAND_FAILED;
    int status = serve(plan, &point);
    eal_stop();
    return status;
}
