/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/timed_worker.h"

#include "bench/throughput/fixture.h"
#include "dataplane/base/moment.h"

#include <rte_cycles.h>

#define WARM_NS INT64_C(20000000)
#define FULL_NS MOMENT_SECOND /* of virtual time, until queues are as long as they get */

const char *bench_timed_worker_open(struct bench_timed_worker *seat, const struct bench_plan *plan,
                                    const struct bench_point *point, unsigned number)
{
    const char *error = NULL;
    *seat = (struct bench_timed_worker){.plan = plan, .clock = clock_counter_start(rte_get_tsc_hz())};
    seat->rig = bench_fixture_new(plan, point, number, NULL, &error);
    return error;
}

void bench_timed_worker_close(struct bench_timed_worker *seat)
{
    if (seat->rig)
        bench_fixture_free(seat->rig);
    seat->rig = NULL;
}

/* Waits for the planted share of a step; returns the end. When the machine was away meanwhile nothing is
 * owed. */
static int64_t plant(struct bench_timed_worker *seat, struct bench_window *window, int64_t begin_ns,
                     int64_t end_ns)
{
    seat->owed_ns += (end_ns - begin_ns) * seat->plan->plant_percent / 100;
    for (int64_t before_ns = end_ns; seat->owed_ns > 0; before_ns = end_ns) {
        end_ns = clock_counter_ns(&seat->clock);
        seat->owed_ns -= end_ns - before_ns;
    }
    if (-seat->owed_ns > seat->plan->gap_ns) {
        window->is_void = true;
        seat->owed_ns = 0;
    }
    return end_ns;
}

/* Feeds, steps and collects once, beginning at *at_ns, which becomes the end. */
static void turn(struct bench_timed_worker *seat, struct bench_window *window, int64_t *at_ns)
{
    const int64_t gap_ns = seat->plan->gap_ns;
    seat->is_starved |= !bench_fixture_feed(seat->rig);
    int64_t fed_ns = clock_counter_ns(&seat->clock);
    bench_fixture_step(seat->rig);
    int64_t stepped_ns = clock_counter_ns(&seat->clock);
    window->is_void |= fed_ns - *at_ns > gap_ns || stepped_ns - fed_ns > gap_ns;
    if (seat->plan->plant_percent > 0)
        stepped_ns = plant(seat, window, fed_ns, stepped_ns);
    bench_fixture_collect(seat->rig);
    int64_t end_ns = clock_counter_ns(&seat->clock);
    window->is_void |= end_ns - stepped_ns > gap_ns && !seat->plan->is_fcs_checked;
    window->step_ns += stepped_ns - fed_ns;
    window->turn_ns += end_ns - *at_ns;
    *at_ns = end_ns;
}

struct bench_window bench_timed_worker_window(struct bench_timed_worker *seat, int64_t *at_ns, int64_t end_ns)
{
    struct bench_window window = {.done = bench_fixture_done(seat->rig)};
    while (*at_ns < end_ns)
        turn(seat, &window, at_ns);
    window.done = bench_fixture_done(seat->rig) - window.done;
    window.is_void |= window.done == 0;
    return window;
}

void bench_timed_worker_warm_up(struct bench_timed_worker *seat)
{
    struct bench_window window = {0};
    int64_t at_ns = clock_counter_ns(&seat->clock);
    int64_t full_ns = seat->rig->is_limited ? seat->rig->now + FULL_NS : 0;
    while (window.turn_ns < WARM_NS || seat->rig->now < full_ns || !bench_fixture_is_warm(seat->rig))
        turn(seat, &window, &at_ns);
}

const char *bench_timed_worker_fault(struct bench_timed_worker *seat)
{
    bench_fixture_drain(seat->rig);
    return seat->is_starved ? "the generator ran out of buffers" : bench_fixture_fault(seat->rig);
}
