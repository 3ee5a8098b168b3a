/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The highest rate at which nothing is lost (NDR), and at which 0.5 % is (PDR), of a worker in a process of
 * its own behind memif links; with dpdk-testpmd in its place, what the links and the generator allow.
 *
 * Void trials (bench_generator.h) are counted and made again, until the time of a search is up.
 */
#ifndef CONTROL_BENCH_NDR_H
#define CONTROL_BENCH_NDR_H

#include "control/bench_plan.h"

#define BENCH_NDR_LEVELS   3 /* of load, at which latency is measured: 10, 50 and 90 % of NDR */
#define BENCH_NDR_SEARCHES 32

/* Of the repeated searches. */
struct bench_ndr_rate {
    double median, least, most;
};

struct bench_ndr_latency {
    unsigned percent;
    double p50_us, p99_us; /* 0: not known */
};

struct bench_ndr {
    struct bench_point point;
    struct bench_ndr_rate ndr, pdr; /* N-PDUs a second */
    double most_npdu_per_s;         /* that came through when as many as can be were offered */
    double offered_npdu_per_s;      /* so many were */
    struct bench_ndr_latency latency[BENCH_NDR_LEVELS];
    double roofline_npdu_per_s;    /* NDR of testpmd; 0: not measured */
    uint64_t trials, voided, slow; /* slow: the generator could not offer the rate */
    uint64_t wrong_fcs, reordered;
    unsigned searches, finished; /* finished: those that came to an end in time */
};

struct bench_generator;
struct bench_peer;
struct bench_walk_mode;

/* Searches by an open generator; fills in what a search tells. False, with a line on stderr: no rate was
 * found. */
bool bench_ndr_search(struct bench_generator *g, struct bench_peer *peer, struct bench_ndr *result,
                      unsigned searches);

/* Walks a plan's points with DPDK for a generator. Returns an exit status. */
int bench_ndr_walk(const struct bench_plan *plan, const struct bench_walk_mode *mode);

/* Points of the plan one after the other; prints and writes as it goes. Returns an exit status. */
int bench_ndr_run(const struct bench_plan *plan);

#endif
