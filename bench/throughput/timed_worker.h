/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One worker that is fed from memory (bench_fixture.h), and the time that its turns take.
 *
 * Model: a turn feeds, makes a step and collects. A window is so many turns; its figure is the time of the
 * steps alone for each N-PDU that came to its end, and that of all together beside it. If one of the three
 * takes longer than plan->gap_ns, the machine was away, and the window is void. Frames that are opened may
 * take longer.
 *
 * plan->slowdown_percent makes steps longer by that share, exactly on average: for checking what measures.
 */
#ifndef BENCH_THROUGHPUT_TIMED_WORKER_H
#define BENCH_THROUGHPUT_TIMED_WORKER_H

#include "bench/throughput/fault.h"
#include "bench/throughput/plan.h"
#include "control/base/clock.h"

struct bench_fixture;

struct bench_timed_worker {
    const struct bench_plan *plan;
    struct bench_fixture *fixture;
    struct clock_counter clock;
    int64_t owed_ns; /* of what is planted, so far not waited for */
    bool is_starved; /* the generator ran out of buffers */
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

/* Until caches and queues are as full as they get. */
void bench_timed_worker_warm_up(struct bench_timed_worker *timed);

/* Turns from *at_ns, about now, until end_ns; *at_ns becomes when the last of them ended. */
struct bench_window bench_timed_worker_window(struct bench_timed_worker *timed, int64_t *at_ns,
                                              int64_t end_ns);

/* After the last window: what is wrong with counters, frames and mbufs. */
struct bench_fault bench_timed_worker_check(struct bench_timed_worker *timed);

#endif
