/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A timed worker: a fixture whose turns are timed in windows.
 *
 * Model: a turn feeds, steps and collects. A window is a number of turns; its result is the time of the steps
 * per N-PDU sent or dropped, and beside it the time of the turns. If feeding, stepping or collecting takes
 * longer than plan->gap_ns, the window has a gap and is void; collecting may take longer where frames are
 * checked.
 *
 * plan->slowdown_percent makes steps longer by that share on average, by busy waiting: a known difference, to
 * check the harness with (gbflow-fitness self-check).
 */
#ifndef BENCH_THROUGHPUT_TIMED_WORKER_H
#define BENCH_THROUGHPUT_TIMED_WORKER_H

#include "bench/statistics/loss_log.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/generator.h"
#include "control/base/clock.h"

struct bench_fixture;

struct bench_timed_worker {
    const struct bench_plan *plan;
    struct bench_fixture *fixture;
    struct clock_counter clock;
    int64_t owed_ns; /* slowdown not yet waited for */
    bool is_starved; /* feeding ran out of mbufs */
};

struct bench_window {
    int64_t step_ns, turn_ns;
    uint64_t done;
    bool is_void;
};

/* Worker `number` of a point, with a clock that starts at 0. False, with a line on stderr. */
bool bench_timed_worker_open(struct bench_timed_worker *timed, const struct bench_plan *plan,
                             const struct bench_point *point, unsigned number);
void bench_timed_worker_close(struct bench_timed_worker *timed);

/* Runs until caches and queues are in a steady state. */
void bench_timed_worker_warm_up(struct bench_timed_worker *timed);

/* Turns from *at_ns, which is now, until end_ns; *at_ns becomes the end of the last turn. */
struct bench_window bench_timed_worker_window(struct bench_timed_worker *timed, int64_t *at_ns,
                                              int64_t end_ns);

/* After the last window: faults of counters, frames and mbufs. */
struct bench_fault bench_timed_worker_check(struct bench_timed_worker *timed);

/*
 * Constant offered load on the generator's CPU (generator.h) until it is stopped, with an event for each gap
 * and each loss that the generator sees.
 *
 * Model: N-PDUs are due by the clock. After a gap of the generator it sends up to a quarter of a ring late;
 * further N-PDUs are not offered, but counted, because a longer burst would overflow any ring.
 */

struct bench_constant_load {
    struct bench_generator *g;
    double rate; /* offered load, N-PDU/s */
    int64_t gap_ns;
    atomic_bool is_stopped, is_released;        /* written by main: sending ends; receiving ends, too */
    atomic_bool is_done;                        /* written by the generator's CPU, as the next three */
    atomic_uint_fast64_t offered, sent, frames; /* N-PDUs; N-PDUs put into a Gn ring; LLC frames received */
    struct bench_trial trial;                   /* sums, valid after bench_constant_load_end() */
    uint64_t left_out;                          /* N-PDUs not offered after gaps */
    struct bench_event loss;                    /* not yet in events: losses within 100 us make one */
    struct bench_events events;                 /* read by main */
};

/* Starts it with g, rate and gap_ns set and all else 0. Returns at once. */
void bench_constant_load_start(struct bench_constant_load *f);

/* Ends sending; frames are received until bench_constant_load_end(). */
void bench_constant_load_stop(struct bench_constant_load *f);
void bench_constant_load_end(struct bench_constant_load *f);

#endif
