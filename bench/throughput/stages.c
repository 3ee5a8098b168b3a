/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/stages.h"

#include "bench/throughput/report_stages.h"
#include "bench/throughput/fixture.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "control/base/eal_live.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/worker.h"

#include <rte_cycles.h>
#include <rte_launch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WARM_NS     INT64_C(20000000)
#define PARTS       8 /* a stage's window is so much shorter than the others */
#define IDLE_STEPS  64
#define VOID_FACTOR 50
#define LEAST_VOIDS 2000

/* One figure of each round. */
struct figures {
    struct bench_spread whole, share, idle, alone[BENCH_STAGE_ALL], in_step[BENCH_STAGE_COUNT];
};

struct seat {
    const struct bench_plan *plan;
    struct clock_counter clock;
    struct bench_fixture *far, *near; /* the point's, and the one with everything in the caches */
    struct figures figures;
    struct bench_stages *out;
    bool is_starved;
};

/* What one window found. */
struct window {
    int64_t step_ns, turn_ns;
    uint64_t done, steps;
    bool is_void;
};

/* --- on the worker's core --- */

static void turn(struct seat *seat, struct bench_fixture *rig, struct bench_stage_burst *burst,
                 struct window *window)
{
    int64_t start_ns = clock_counter_ns(&seat->clock);
    seat->is_starved |= !bench_fixture_feed(rig);
    int64_t fed_ns = clock_counter_ns(&seat->clock);
    if (burst)
        bench_stage_step(burst, rig->now += rig->step_ns);
    else
        bench_fixture_step(rig);
    int64_t stepped_ns = clock_counter_ns(&seat->clock);
    bench_fixture_collect(rig);
    window->step_ns += stepped_ns - fed_ns;
    window->turn_ns += stepped_ns - start_ns;
    window->steps++;
    window->is_void |= stepped_ns - start_ns > seat->plan->gap_ns;
}

static struct window run_window(struct seat *seat, struct bench_fixture *rig, struct bench_stage_burst *burst,
                                int64_t window_ns)
{
    struct window window = {.done = bench_fixture_done(rig)};
    while (window.turn_ns < window_ns)
        turn(seat, rig, burst, &window);
    window.done = bench_fixture_done(rig) - window.done;
    window.is_void |= window.done == 0;
    return window;
}

static void warm_up(struct seat *seat, struct bench_fixture *rig)
{
    struct window window = {0};
    while (window.turn_ns < WARM_NS || !bench_fixture_is_warm(rig))
        turn(seat, rig, NULL, &window);
}

/* One round's figures, or none of them. */
struct round {
    struct window whole;
    double whole_ns, idle_ns, floor_ns, alone_ns[BENCH_STAGE_ALL], in_step_ns[BENCH_STAGE_COUNT];
    bool is_void;
};

static void walk_far(struct seat *seat, struct bench_stage_burst *burst, struct round *round)
{
    bench_stage_start(burst, seat->far->worker, seat->plan->n201_u, &seat->clock);
    struct window window = run_window(seat, seat->far, burst, seat->plan->window_ns);
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++)
        round->in_step_ns[i] = burst->spent_ns[i] / (double)window.done;
    round->is_void |= window.is_void;
}

static void walk_near(struct seat *seat, struct bench_stage_burst *burst, struct round *round)
{
    run_window(seat, seat->near, NULL, seat->plan->window_ns / PARTS); /* the other worker's data leave */
    for (unsigned i = 0; i < BENCH_STAGE_ALL; i++) {
        bench_stage_start(burst, seat->near->worker, seat->plan->n201_u, &seat->clock);
        burst->repeated = i;
        struct window window = run_window(seat, seat->near, burst, seat->plan->window_ns / PARTS);
        round->alone_ns[i] = burst->spent_ns[i] / (double)window.done;
        round->floor_ns += i < BENCH_STAGE_COUNT ? round->alone_ns[i] : 0;
        round->is_void |= window.is_void;
    }
}

/* Steps that find nothing. */
static void idle_near(struct seat *seat, struct round *round)
{
    bench_fixture_drain(seat->near);
    int64_t start_ns = clock_counter_ns(&seat->clock);
    for (unsigned i = 0; i < IDLE_STEPS; i++)
        bench_fixture_step(seat->near);
    int64_t spent_ns = clock_counter_ns(&seat->clock) - start_ns;
    round->is_void |= spent_ns > seat->plan->gap_ns;
    round->idle_ns = (double)spent_ns / IDLE_STEPS / ((double)round->whole.done / (double)round->whole.steps);
}

static void step_far(struct seat *seat, struct round *round)
{
    round->whole = run_window(seat, seat->far, NULL, seat->plan->window_ns);
    round->is_void |= round->whole.is_void;
    round->whole_ns = (double)round->whole.step_ns / (double)round->whole.done;
}

/* Whole and walked steps begin by turns. */
static struct round run_round(struct seat *seat)
{
    static struct bench_stage_burst burst;
    struct round round = {0};
    bool is_walk_first = seat->out->rounds % 2 > 0;
    run_window(seat, seat->far, NULL, seat->plan->window_ns / PARTS);
    if (is_walk_first)
        walk_far(seat, &burst, &round);
    step_far(seat, &round);
    if (!is_walk_first)
        walk_far(seat, &burst, &round);
    walk_near(seat, &burst, &round);
    idle_near(seat, &round);
    return round;
}

static void keep(struct seat *seat, const struct round *round)
{
    struct figures *f = &seat->figures;
    bench_spread_add(&f->whole, round->whole_ns);
    bench_spread_add(&f->share, round->floor_ns / round->whole_ns);
    bench_spread_add(&f->idle, round->idle_ns);
    for (unsigned i = 0; i < BENCH_STAGE_ALL; i++)
        bench_spread_add(&f->alone[i], round->alone_ns[i]);
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++)
        bench_spread_add(&f->in_step[i], round->in_step_ns[i]);
    seat->out->npdu_per_step = (double)round->whole.done / (double)round->whole.steps;
    seat->out->rounds++;
}

static void show_progress(const struct bench_plan *plan, uint64_t rounds)
{
    if (!plan->is_quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%u of %u rounds ", (unsigned)rounds, plan->windows);
}

static int run_seat(void *arg)
{
    struct seat *seat = arg;
    struct bench_stages *out = seat->out;
    uint64_t most_voids = LEAST_VOIDS + (uint64_t)seat->plan->windows * VOID_FACTOR;
    warm_up(seat, seat->far);
    warm_up(seat, seat->near);
    while (out->rounds < seat->plan->windows && out->voided < most_voids) {
        struct round round = run_round(seat);
        if (round.is_void)
            out->voided++;
        else
            keep(seat, &round);
        show_progress(seat->plan, out->rounds);
    }
    bench_fixture_drain(seat->far);
    bench_fixture_drain(seat->near);
    return 0;
}

/* --- main --- */

static bool new_figures(struct figures *f, size_t rounds)
{
    bool is_done = bench_spread_new(&f->whole, rounds) && bench_spread_new(&f->share, rounds) &&
                   bench_spread_new(&f->idle, rounds);
    for (unsigned i = 0; is_done && i < BENCH_STAGE_ALL; i++)
        is_done = bench_spread_new(&f->alone[i], rounds);
    for (unsigned i = 0; is_done && i < BENCH_STAGE_COUNT; i++)
        is_done = bench_spread_new(&f->in_step[i], rounds);
    return is_done;
}

static void free_figures(struct figures *f)
{
    bench_spread_free(&f->whole);
    bench_spread_free(&f->share);
    bench_spread_free(&f->idle);
    for (unsigned i = 0; i < BENCH_STAGE_ALL; i++)
        bench_spread_free(&f->alone[i]);
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++)
        bench_spread_free(&f->in_step[i]);
}

static struct bench_point near_point(const struct bench_point *point)
{
    struct bench_point near = *point;
    near.mobiles = BENCH_STAGES_MOBILES;
    near.cells = RTE_MIN(point->cells, (uint32_t)BENCH_STAGES_CELLS);
    return near;
}

/* The same plan for frames that nobody opens: where stages are repeated, their numbers have gaps. */
static bool open_seat(struct seat *seat, const struct bench_point *point, struct bench_plan *near_plan)
{
    struct bench_point near = near_point(point);
    const char *error = "no memory";
    *near_plan = *seat->plan;
    near_plan->is_fcs_checked = false;
    if (new_figures(&seat->figures, seat->plan->windows)) {
        seat->far = bench_fixture_new(seat->plan, point, 0, NULL, &error);
        seat->near = seat->far ? bench_fixture_new(near_plan, &near, 1, NULL, &error) : NULL;
    }
    if (!seat->near)
        fprintf(stderr, "gbflow bench: %s\n", error);
    return seat->near != NULL;
}

static void close_seat(struct seat *seat)
{
    if (seat->far)
        bench_fixture_free(seat->far);
    if (seat->near)
        bench_fixture_free(seat->near);
    free_figures(&seat->figures);
}

static bool sum_up(struct seat *seat)
{
    struct bench_stages *out = seat->out;
    struct figures *f = &seat->figures;
    out->whole = bench_spread_summary(&f->whole);
    out->share = bench_spread_summary(&f->share);
    out->idle_step_ns = bench_spread_summary(&f->idle).median;
    for (unsigned i = 0; i < BENCH_STAGE_ALL; i++)
        out->alone_ns[i] = bench_spread_summary(&f->alone[i]).median;
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++) {
        out->in_step_ns[i] = bench_spread_summary(&f->in_step[i]).median;
        out->floor_ns += out->alone_ns[i];
        out->walk_ns += out->in_step_ns[i];
    }
    out->fault = seat->is_starved ? "the generator ran out of buffers" : bench_fixture_fault(seat->far);
    if (!out->fault)
        out->fault = bench_fixture_fault(seat->near);
    return out->rounds > 0;
}

static bool measure(const struct bench_plan *plan, const struct bench_point *point, struct bench_stages *out)
{
    static struct seat seat;
    struct bench_plan near_plan;
    *out = (struct bench_stages){.point = *point};
    seat = (struct seat){.plan = plan, .clock = clock_counter_start(rte_get_tsc_hz()), .out = out};
    bool is_done = open_seat(&seat, point, &near_plan);
    if (is_done) {
        rte_eal_remote_launch(run_seat, &seat, EAL_LIVE_LCORE(0));
        rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
        if (!plan->is_quiet && isatty(STDERR_FILENO))
            fputs("\r                          \r", stderr);
        is_done = sum_up(&seat);
        if (!is_done)
            fputs("gbflow bench: no round was free of gaps: the machine is too busy\n", stderr);
    }
    close_seat(&seat);
    return is_done;
}

static enum bench_points_outcome measure_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    struct bench_stages result;
    if (!measure(plan, point, &result))
        return BENCH_POINTS_STOP;
    bench_report_stages_row(&result, rte_get_tsc_hz());
    bench_report_stages_trial(json, plan, &result, rte_get_tsc_hz());
    return result.fault ? BENCH_POINTS_BAD : BENCH_POINTS_GOOD;
}

static size_t memory_octets(const struct bench_plan *plan)
{
    struct bench_points burst = {.plan = plan};
    size_t most = 0;
    do {
        struct bench_point point = bench_points_point(&burst), near = near_point(&point);
        size_t octets = bench_fixture_memory_octets(plan, &point) + bench_fixture_memory_octets(plan, &near);
        most = RTE_MAX(most, octets);
    } while (bench_points_next(&burst));
    return most;
}

int bench_stages_run(const struct bench_plan *plan)
{
    if (!eal_live_start(&plan->eal, 1, memory_octets(plan)))
        return COMMAND_FAILED;
    int status = bench_points_run(plan, &(struct bench_points_mode){bench_report_stages_head, measure_point});
    eal_stop();
    return status;
}
