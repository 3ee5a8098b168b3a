/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/timed_worker.h"
#include "bench/throughput/console.h"

#include "bench/throughput/fixture.h"
#include "control/base/eal.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/worker.h"

#include <rte_cycles.h>
#include <rte_launch.h>
#include <unistd.h>

#define WARM_NS     INT64_C(20000000)
#define VOID_FACTOR 50
#define LEAST_VOIDS 2000
#define FULL_NS     MOMENT_SECOND /* virtual time until queues have their steady length */

bool bench_timed_worker_open(struct bench_timed_worker *timed, const struct bench_plan *plan,
                             const struct bench_point *point, unsigned number)
{
    struct bench_fault error = {""};
    *timed = (struct bench_timed_worker){.plan = plan, .clock = clock_counter_start(rte_get_tsc_hz())};
    timed->fixture = bench_fixture_new(plan, point, number, NULL, &error);
    if (!timed->fixture)
        bench_error("worker %u: %s", number, error.text);
    return timed->fixture != NULL;
}

void bench_timed_worker_close(struct bench_timed_worker *timed)
{
    if (timed->fixture)
        bench_fixture_free(timed->fixture);
    timed->fixture = NULL;
}

/* Waits for the slowdown of a step; returns the end. After a gap while waiting nothing is owed. */
static int64_t slow_down(struct bench_timed_worker *timed, struct bench_window *window, int64_t begin_ns,
                         int64_t end_ns)
{
    timed->owed_ns += (end_ns - begin_ns) * timed->plan->slowdown_percent / 100;
    for (int64_t before_ns = end_ns; timed->owed_ns > 0; before_ns = end_ns) {
        end_ns = clock_counter_ns(&timed->clock);
        timed->owed_ns -= end_ns - before_ns;
    }
    if (-timed->owed_ns > timed->plan->gap_ns) {
        window->is_void = true;
        timed->owed_ns = 0;
    }
    return end_ns;
}

/* One turn, which begins at *at_ns; that becomes its end. */
static void turn(struct bench_timed_worker *timed, struct bench_window *window, int64_t *at_ns)
{
    const int64_t gap_ns = timed->plan->gap_ns;
    timed->is_starved |= !bench_fixture_feed(timed->fixture);
    int64_t fed_ns = clock_counter_ns(&timed->clock);
    if (timed->step)
        timed->step(timed->arg);
    else
        bench_fixture_step(timed->fixture);
    int64_t stepped_ns = clock_counter_ns(&timed->clock);
    window->is_void |= fed_ns - *at_ns > gap_ns || stepped_ns - fed_ns > gap_ns;
    if (timed->plan->slowdown_percent > 0)
        stepped_ns = slow_down(timed, window, fed_ns, stepped_ns);
    bench_fixture_collect(timed->fixture);
    int64_t end_ns = clock_counter_ns(&timed->clock);
    window->is_void |= end_ns - stepped_ns > gap_ns && !timed->plan->is_fcs_checked;
    window->step_ns += stepped_ns - fed_ns;
    window->turn_ns += end_ns - *at_ns;
    window->steps++;
    *at_ns = end_ns;
}

struct bench_window bench_timed_worker_window(struct bench_timed_worker *timed, int64_t *at_ns,
                                              int64_t end_ns)
{
    const struct bench_fixture *fixture = timed->fixture;
    struct bench_window window = {.done = bench_fixture_done(fixture), .fed = fixture->fed};
    while (*at_ns < end_ns)
        turn(timed, &window, at_ns);
    window.done = bench_fixture_done(fixture) - window.done;
    window.fed = fixture->fed - window.fed;
    window.is_void |= window.done == 0 && !(fixture->mix && window.fed > 0);
    return window;
}

struct bench_window bench_timed_worker_run(struct bench_timed_worker *timed, int64_t window_ns)
{
    int64_t at_ns = clock_counter_ns(&timed->clock);
    return bench_timed_worker_window(timed, &at_ns, at_ns + window_ns);
}

void bench_timed_worker_warm_up(struct bench_timed_worker *timed)
{
    struct bench_window window = {0};
    int64_t at_ns = clock_counter_ns(&timed->clock);
    int64_t full_ns = timed->fixture->is_limited ? timed->fixture->now + FULL_NS : 0;
    while (window.turn_ns < WARM_NS || timed->fixture->now < full_ns ||
           !bench_fixture_is_warm(timed->fixture))
        turn(timed, &window, &at_ns);
}

bool bench_timed_worker_goes_on(const struct bench_plan *plan, uint64_t valid, uint64_t voided)
{
    const uint64_t most = plan->void_after > 0 ? RTE_MIN(plan->void_after, plan->windows) : plan->windows;
    return !bench_console_is_interrupted() && valid < most &&
           voided < LEAST_VOIDS + (uint64_t)plan->windows * VOID_FACTOR;
}

void bench_timed_worker_say_none(const struct bench_plan *plan, const char *noun)
{
    if (!bench_console_is_interrupted())
        bench_error("no valid %s: each has a step above gap_us = %g; use idle CPUs, or raise --set gap_us",
                    noun, (double)plan->gap_ns * 1e-3);
}

void bench_timed_worker_count(const struct bench_timed_worker *timed, struct bench_timed_counts *sum)
{
    const struct bench_fixture *fixture = timed->fixture;
    const struct worker_stats *stats = &fixture->worker->stats;
    sum->fed += fixture->fed;
    sum->sent += stats->npdu_out;
    for (unsigned i = 0; i < DROP_COUNT; i++)
        sum->dropped += stats->gn_drops[i];
    sum->frames += fixture->sink.frames;
    sum->frame_octets += fixture->sink.octets;
}

struct bench_fault bench_timed_worker_check(struct bench_timed_worker *timed)
{
    struct bench_fault fault = {""};
    bench_fixture_drain(timed->fixture);
    if (timed->is_starved)
        bench_fault_add(&fault, "Gn: the generator ran out of mbufs");
    bench_fixture_check(timed->fixture, &fault);
    return fault;
}
