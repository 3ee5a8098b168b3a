/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow bench preloaded`: forwarding rate of workers fed from memory (fixture.h), each on a CPU of its own,
 * at the same time.
 *
 * A void window (timed_worker.h) is counted, and another one is measured. The result of a point is the median
 * over its windows, and the sum of the workers' N-PDU/s.
 */
#ifndef BENCH_THROUGHPUT_PRELOADED_H
#define BENCH_THROUGHPUT_PRELOADED_H

#include "bench/statistics/spread.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/timed_worker.h"

/* The price of a guard per N-PDU, round by round; device NULL: without one. */
struct bench_price {
    const char *device;
    struct bench_spread_summary without, added, ratio; /* ratio: with / without */
};

/* Of all workers together. */
struct bench_preloaded {
    struct bench_point point;
    double npdu_per_s, turn_npdu_per_s; /* sums over workers; turn: feeding and collecting included */
    struct bench_spread_summary ns;     /* of the steps, per N-PDU */
    double turn_ns;
    uint64_t windows, voided;
    struct bench_timed_counts counts;
    struct bench_price price;
    struct bench_fault fault;
};

/* Each point of a plan. Returns an exit status. */
int bench_preloaded_mode(const struct bench_plan *plan);

#endif
