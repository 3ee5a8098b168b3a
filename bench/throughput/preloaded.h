/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What workers do when they are fed from memory (bench_fixture.h), each on a core of its own, all at the same
 * time.
 *
 * A void window (bench_timed_worker.h) is counted, and the next one takes its place. What a point tells is
 * the median over windows, and the sum of the workers' rates.
 */
#ifndef BENCH_THROUGHPUT_PRELOADED_H
#define BENCH_THROUGHPUT_PRELOADED_H

#include "bench/throughput/fault.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/spread.h"

/* Of one worker, or of all of them together. */
struct bench_preloaded {
    struct bench_point point;
    double npdu_per_s, turn_npdu_per_s; /* sums over workers; turn: generator and sink included */
    struct bench_spread_summary ns;     /* of a worker's step, per N-PDU */
    double turn_ns;
    uint64_t windows, voided;
    uint64_t fed, sent, dropped, frames, frame_octets;
    struct bench_fault fault;
};

/* Measures one point. DPDK is running, with an lcore for each worker. False, with a line on stderr, when that
 * could not be done. */
bool bench_preloaded_run(const struct bench_plan *plan, const struct bench_point *point,
                         struct bench_preloaded *out);

/* `gbflow bench preloaded`: each point of a plan; prints and writes as it goes. Returns an exit status. */
int bench_preloaded_mode(const struct bench_plan *plan);

#endif
