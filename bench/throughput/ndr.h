/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The highest rate at which nothing is lost (NDR), and at which 0.5 % is (PDR), of a worker in a process of
 * its own behind memif links; with dpdk-testpmd in its place, what the links and the generator allow.
 *
 * How they are searched for: bench_ndr_loop.h. A machine on which worker and generator are now near to each
 * other, now far, has rates for either case.
 */
#ifndef BENCH_THROUGHPUT_NDR_H
#define BENCH_THROUGHPUT_NDR_H

#include "bench/throughput/plan.h"

#define BENCH_NDR_LEVELS   3 /* of load, at which latency is measured: 10, 50 and 90 % of NDR */
#define BENCH_NDR_SEARCHES 32

/* Of the repeated searches. */
struct bench_ndr_rate {
    double median, least, most;
};

struct bench_ndr_latency {
    unsigned percent;
    double p50_us, p99_us; /* 0: not known */
    bool is_tried;
};

struct bench_ndr {
    struct bench_point point;
    double round_trip_ns;           /* between worker's processor and generator's, 0: not known */
    struct bench_ndr_rate ndr, pdr; /* N-PDUs a second */
    double most_npdu_per_s;         /* that came through when as many as can be were offered */
    double offered_npdu_per_s;      /* so many were */
    struct bench_ndr_latency latency[BENCH_NDR_LEVELS];
    double roofline_npdu_per_s;    /* NDR of testpmd; 0: not measured */
    uint64_t trials, voided, slow; /* slow: the generator could not offer the rate */
    uint64_t wrong_fcs, reordered;
    unsigned searches, finished; /* finished: those that came to an end in time */
};

struct bench_points_mode;

/* Walks a plan's points with DPDK for generators of so many devices. Returns an exit status. */
int bench_ndr_walk(const struct bench_plan *plan, const struct bench_points_mode *mode, unsigned devices);

/* Points of the plan one after the other; prints and writes as it goes. Returns an exit status. */
int bench_ndr_run(const struct bench_plan *plan);

#endif
