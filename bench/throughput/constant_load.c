/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/constant_load.h"

#include "control/base/eal.h"
#include "dataplane/base/moment.h"

#include <rte_launch.h>
#include <unistd.h>

#define BEHIND_MOST (BENCH_DUT_RING / 4.0)
#define TOGETHER_NS 100000 /* losses at most so far apart are one event */
#define POLL_US     1000

/* N-PDUs that are due, and neither offered nor given up. */
static double behind_by(const struct bench_constant_load *f, int64_t gone_ns)
{
    return (double)gone_ns * 1e-9 * f->rate - (double)(f->trial.offered + f->left_out);
}

/* N-PDUs to send now. */
static unsigned due(struct bench_constant_load *f, int64_t gone_ns)
{
    double behind = behind_by(f, gone_ns);
    if (behind > BEHIND_MOST) {
        f->left_out += (uint64_t)(behind - BEHIND_MOST);
        behind = BEHIND_MOST;
    }
    return behind < 0 ? 0 : behind > BENCH_GENERATOR_BURST ? BENCH_GENERATOR_BURST : (unsigned)behind;
}

static void put_loss(struct bench_constant_load *f)
{
    if (f->loss.count > 0)
        bench_events_put(&f->events, &f->loss);
    f->loss.count = 0;
}

static void note_loss(struct bench_constant_load *f, uint64_t count, int64_t now)
{
    if (f->loss.count > 0 && now - f->loss.begin_ns > TOGETHER_NS)
        put_loss(f);
    if (count == 0)
        return;
    if (f->loss.count == 0)
        f->loss = (struct bench_event){.kind = BENCH_EVENT_LOSS, .begin_ns = now};
    f->loss.end_ns = now;
    f->loss.count += count;
}

static void publish(struct bench_constant_load *f)
{
    atomic_store_explicit(&f->offered, f->trial.offered, memory_order_relaxed);
    atomic_store_explicit(&f->sent, f->trial.offered - f->trial.unsent, memory_order_relaxed);
    atomic_store_explicit(&f->frames, f->trial.received, memory_order_relaxed);
}

static void constant_load_turn(struct bench_constant_load *f, int64_t start_ns, int64_t now)
{
    uint64_t unsent = f->trial.unsent;
    bench_generator_send(f->g, &f->trial, due(f, now - start_ns), now);
    note_loss(f, f->trial.unsent - unsent, now);
    bench_generator_take(f->g, &f->trial, now);
    publish(f);
}

/* A turn lasts from one clock reading to the next, so that no time lies between two turns. */
static void note_turn(struct bench_constant_load *f, int64_t before_ns, int64_t now)
{
    if (now - before_ns > f->gap_ns)
        bench_events_put(
            &f->events, &(struct bench_event){.kind = BENCH_EVENT_GAP, .begin_ns = before_ns, .end_ns = now});
}

static int constant_load_run(void *arg)
{
    struct bench_constant_load *f = arg;
    int64_t start_ns = clock_counter_ns(&f->g->clock), at_ns = start_ns;
    while (!atomic_load_explicit(&f->is_stopped, memory_order_relaxed)) {
        constant_load_turn(f, start_ns, at_ns);
        int64_t now = clock_counter_ns(&f->g->clock);
        note_turn(f, at_ns, now);
        at_ns = now;
    }
    f->trial.took_ns = at_ns - start_ns;
    double behind = behind_by(f, f->trial.took_ns);
    f->left_out += behind > 0 ? (uint64_t)behind : 0;
    put_loss(f);
    while (!atomic_load_explicit(&f->is_released, memory_order_relaxed)) {
        bench_generator_take(f->g, &f->trial, at_ns);
        publish(f);
    }
    atomic_store(&f->is_done, true);
    return 0;
}

void bench_constant_load_start(struct bench_constant_load *f)
{
    rte_eal_remote_launch(constant_load_run, f, EAL_LIVE_LCORE(0));
}

void bench_constant_load_stop(struct bench_constant_load *f)
{
    atomic_store(&f->is_stopped, true);
}

void bench_constant_load_end(struct bench_constant_load *f)
{
    atomic_store(&f->is_released, true);
    while (!atomic_load(&f->is_done))
        usleep(POLL_US);
    rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
}
