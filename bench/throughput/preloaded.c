/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/preloaded.h"

#include "bench/throughput/fixture.h"
#include "bench/throughput/timed_worker.h"
#include "control/base/eal_live.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/teid.h"
#include "dataplane/worker/worker.h"

#include <rte_launch.h>
#include <rte_pause.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define VOID_FACTOR 50
#define LEAST_VOIDS 2000
#define POLL_US     20000

/* What all workers of a point share. Written by main before they start, but for the counts. */
struct stage {
    const struct bench_plan *plan;
    unsigned workers;
    atomic_uint ready, done;
};

/* One worker's: written by its core until it returns. */
struct seat {
    struct stage *stage;
    struct bench_timed_worker bench;
    struct bench_spread step_ns, turn_ns; /* per N-PDU, a value for each window */
    uint64_t voided;
    atomic_uint windows; /* also read by main */
    const char *fault;
};

/* --- on the worker's core --- */

static struct bench_window run_window(struct seat *seat)
{
    int64_t at_ns = clock_counter_ns(&seat->bench.clock);
    return bench_timed_worker_window(&seat->bench, &at_ns, at_ns + seat->stage->plan->window_ns);
}

static void wait_for_all(struct stage *stage)
{
    atomic_fetch_add(&stage->ready, 1);
    while (atomic_load(&stage->ready) < stage->workers)
        rte_pause();
}

static bool goes_on(const struct seat *seat)
{
    unsigned wanted = seat->stage->plan->windows;
    return seat->step_ns.count < wanted && seat->voided < LEAST_VOIDS + (uint64_t)wanted * VOID_FACTOR;
}

static int run_seat(void *arg)
{
    struct seat *seat = arg;
    bench_timed_worker_warm_up(&seat->bench);
    wait_for_all(seat->stage);
    while (goes_on(seat)) {
        struct bench_window window = run_window(seat);
        if (window.is_void) {
            seat->voided++;
            continue;
        }
        bench_spread_add(&seat->step_ns, (double)window.step_ns / (double)window.done);
        bench_spread_add(&seat->turn_ns, (double)window.turn_ns / (double)window.done);
        atomic_fetch_add(&seat->windows, 1);
    }
    atomic_fetch_add(&seat->stage->done, 1);
    while (atomic_load(&seat->stage->done) < seat->stage->workers)
        run_window(seat); /* so that the others are not alone */
    seat->fault = bench_timed_worker_fault(&seat->bench);
    return 0;
}

/* --- main --- */

static void free_seats(struct seat *seats, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bench_timed_worker_close(&seats[i].bench);
        bench_spread_free(&seats[i].step_ns);
        bench_spread_free(&seats[i].turn_ns);
    }
}

static bool open_seats(struct seat *seats, struct stage *stage, const struct bench_point *point)
{
    for (unsigned i = 0; i < point->workers; i++) {
        const char *error = "no memory";
        seats[i].stage = stage;
        if (bench_spread_new(&seats[i].step_ns, stage->plan->windows) &&
            bench_spread_new(&seats[i].turn_ns, stage->plan->windows))
            error = bench_timed_worker_open(&seats[i].bench, stage->plan, point, i);
        if (error) {
            fprintf(stderr, "gbflow bench: worker %u: %s\n", i, error);
            return false;
        }
    }
    return true;
}

static void show_progress(const struct bench_plan *plan, const struct seat *seats, unsigned count)
{
    unsigned least = plan->windows;
    for (unsigned i = 0; i < count; i++)
        least = RTE_MIN(least, atomic_load(&seats[i].windows));
    if (!plan->is_quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%u of %u windows ", least, plan->windows);
}

static void run_seats(struct seat *seats, struct stage *stage)
{
    for (unsigned i = 0; i < stage->workers; i++)
        rte_eal_remote_launch(run_seat, &seats[i], EAL_LIVE_LCORE(i));
    while (atomic_load(&stage->done) < stage->workers) {
        show_progress(stage->plan, seats, stage->workers);
        usleep(POLL_US);
    }
    for (unsigned i = 0; i < stage->workers; i++)
        rte_eal_wait_lcore(EAL_LIVE_LCORE(i));
    if (!stage->plan->is_quiet && isatty(STDERR_FILENO))
        fputs("\r                          \r", stderr);
}

static void count(struct bench_preloaded *out, const struct seat *seat)
{
    const struct bench_fixture *rig = seat->bench.rig;
    const struct worker_stats *stats = &rig->worker->stats;
    out->windows += seat->step_ns.count;
    out->voided += seat->voided;
    out->fed += rig->fed;
    out->sent += stats->npdu_out;
    for (unsigned i = 0; i < DROP_COUNT; i++)
        out->dropped += stats->gn_drops[i];
    out->frames += rig->sink.frames;
    out->frame_octets += rig->sink.octets;
    if (!out->fault)
        out->fault = seat->fault;
}

/* Medians of each worker's; their quartiles over all windows of all workers. */
static bool sum_up(struct seat *seats, unsigned workers, struct bench_preloaded *out)
{
    struct bench_spread all, turns;
    if (!bench_spread_new(&all, (size_t)workers * seats[0].step_ns.cap) ||
        !bench_spread_new(&turns, (size_t)workers * seats[0].step_ns.cap))
        return false;
    for (unsigned i = 0; i < workers; i++) {
        struct seat *seat = &seats[i];
        count(out, seat);
        for (size_t k = 0; k < seat->step_ns.count; k++) {
            bench_spread_add(&all, seat->step_ns.values[k]);
            bench_spread_add(&turns, seat->turn_ns.values[k]);
        }
        if (seat->step_ns.count == 0)
            continue;
        out->npdu_per_s += 1e9 / bench_spread_summary(&seat->step_ns).median;
        out->turn_npdu_per_s += 1e9 / bench_spread_summary(&seat->turn_ns).median;
    }
    out->ns = bench_spread_summary(&all);
    out->turn_ns = bench_spread_summary(&turns).median;
    bench_spread_free(&all);
    bench_spread_free(&turns);
    return out->windows > 0;
}

bool bench_preloaded_run(const struct bench_plan *plan, const struct bench_point *point,
                         struct bench_preloaded *out)
{
    static struct seat seats[TEID_WORKERS];
    struct stage stage = {.plan = plan, .workers = point->workers};
    *out = (struct bench_preloaded){.point = *point};
    for (unsigned i = 0; i < TEID_WORKERS; i++)
        seats[i] = (struct seat){0};
    bool is_done = open_seats(seats, &stage, point);
    if (is_done) {
        run_seats(seats, &stage);
        is_done = sum_up(seats, point->workers, out);
        if (!is_done)
            fputs("gbflow bench: no window was free of gaps: the machine is too busy\n", stderr);
    }
    free_seats(seats, point->workers);
    return is_done;
}
