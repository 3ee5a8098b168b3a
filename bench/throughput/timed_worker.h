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

#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "control/base/clock.h"

struct bench_fixture;

struct bench_timed_worker {
    const struct bench_plan *plan;
    struct bench_fixture *fixture;
    struct clock_counter clock;
    void (*step)(void *arg); /* in place of the worker's; NULL: the worker's */
    void *arg;
    int64_t owed_ns; /* slowdown not yet waited for */
    bool is_starved; /* feeding ran out of mbufs */
};

struct bench_window {
    int64_t step_ns, turn_ns;
    uint64_t done, steps, fed; /* fed: into Gn, also N-PDUs that another worker sends */
    bool is_void;
};

/* Of whole runs. */
struct bench_timed_counts {
    uint64_t fed, sent, dropped, frames, frame_octets;
};

/* Worker `number` of a point, with a clock that starts at 0. False, with a line on stderr. */
bool bench_timed_worker_open(struct bench_timed_worker *timed, const struct bench_plan *plan,
                             const struct bench_point *point, unsigned number);
void bench_timed_worker_close(struct bench_timed_worker *timed);

/* Runs until caches and queues are in a steady state. */
void bench_timed_worker_warm_up(struct bench_timed_worker *timed);

/* A window of window_ns from now on. */
struct bench_window bench_timed_worker_run(struct bench_timed_worker *timed, int64_t window_ns);

/* Turns from *at_ns, which is now, until end_ns; *at_ns becomes the end of the last turn. */
struct bench_window bench_timed_worker_window(struct bench_timed_worker *timed, int64_t *at_ns,
                                              int64_t end_ns);

/* Whether another window or round is to be measured; valid, voided: their numbers so far. */
bool bench_timed_worker_goes_on(const struct bench_plan *plan, uint64_t valid, uint64_t voided);

/* The line on stderr of a run without a valid one, unless it was interrupted; noun: "window". */
void bench_timed_worker_say_none(const struct bench_plan *plan, const char *noun);

/* Adds what a worker has counted. */
void bench_timed_worker_count(const struct bench_timed_worker *timed, struct bench_timed_counts *sum);

/* After the last window: faults of counters, frames and mbufs. */
struct bench_fault bench_timed_worker_check(struct bench_timed_worker *timed);

#endif
