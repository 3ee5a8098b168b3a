/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trials of ndr: several searches (search.h) for each of one or two DUTs on the same CPUs. Searches and
 * DUTs take turns trial by trial, so that a change of the machine meets all of them; a DUT is stopped while
 * the other one has its trial.
 *
 * Between two trials the distance of the CPUs is sampled (distance.h); each distance has searches of its own.
 * A trial is void after a gap (trial.h), and when the distance has changed; it is counted, and made again.
 */
#ifndef BENCH_THROUGHPUT_NDR_LOOP_H
#define BENCH_THROUGHPUT_NDR_LOOP_H

#include "bench/throughput/distance.h"
#include "bench/throughput/generator.h"
#include "bench/throughput/plan.h"

#define BENCH_NDR_LEVELS   3 /* offered loads of the latency trials: 10, 50 and 90 % of NDR */
#define BENCH_NDR_SEARCHES 32

/* Results of the repeated searches. */
struct bench_ndr_rate {
    double median, least, most;
    bool is_least; /* of a search no trial shows that its result is not higher */
};

struct bench_ndr_latency {
    unsigned percent;
    double p50_us, p99_us; /* 0: not measured */
    bool is_tried;
};

#define BENCH_NDR_OVERLOADS 9 /* trials at twice the NDR */

/* At twice the NDR, or the highest load that the generator can offer below that. */
struct bench_ndr_overload {
    unsigned trials;
    double offered[BENCH_NDR_OVERLOADS], carried[BENCH_NDR_OVERLOADS]; /* N-PDU/s, of each trial */
    double offered_npdu_per_s, npdu_per_s;                             /* their medians; 0: not measured */
};

struct bench_ndr {
    struct bench_point point;
    double round_trip_ns; /* of a cache line between worker's and generator's CPU, 0: not measured */
    struct bench_ndr_rate ndr, pdr; /* N-PDU/s */
    double most_npdu_per_s;         /* forwarded at the highest load that the generator can offer, */
    double offered_npdu_per_s;      /* which is this */
    struct bench_ndr_latency latency[BENCH_NDR_LEVELS];
    struct bench_ndr_overload overload;
    double roofline_npdu_per_s; /* NDR of testpmd; 0: not measured */
    const char *no_roofline;    /* why testpmd has no NDR; NULL: it has, or was not asked for */
    uint64_t roofline_trials, roofline_voided;
    uint64_t trials, voided, slow; /* slow: the generator could not offer the rate */
    uint64_t wrong_fcs, reordered;
    unsigned searches, finished; /* finished: within their time limit */
    double worth;                /* share by which NDR of the searches may be off, at most; 1: not known */
};

#define BENCH_NDR_LOOP_DEVICES 2

struct bench_ndr_loop_device {
    struct bench_generator *g;     /* open */
    struct bench_dut_process *dut; /* stopped */
    struct bench_ndr at[BENCH_DISTANCES];
};

struct bench_ndr_loop {
    const struct bench_plan *plan;
    struct bench_ndr_loop_device devices[BENCH_NDR_LOOP_DEVICES];
    unsigned count; /* of DUTs */
    struct bench_distance distance;
    int64_t start_ns;
};

/* Runs the searches and fills in the results by distance; rates that were not found are 0. False: no rate of
 * the first DUT was found at any distance. */
bool bench_ndr_loop_run(struct bench_ndr_loop *h);

/* Then: latency of the first DUT, and what it carries of twice its NDR. */
void bench_ndr_loop_latency(struct bench_ndr_loop *h);
void bench_ndr_loop_overload(struct bench_ndr_loop *h);

/* Trials of all DUTs so far, and the void ones. */
void bench_ndr_loop_count(const struct bench_ndr_loop *h, uint64_t *trials, uint64_t *voided);

/* Whether the processes of all DUTs run. */
bool bench_ndr_loop_is_alive(struct bench_ndr_loop *h);

#endif
