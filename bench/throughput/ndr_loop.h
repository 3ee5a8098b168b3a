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
#include "bench/throughput/ndr.h"

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
};

/* Runs the searches and fills in the results by distance; rates that were not found are 0. False: no rate of
 * the first DUT was found at any distance. */
bool bench_ndr_loop_run(struct bench_ndr_loop *h);

/* Trials of all DUTs so far, and the void ones of them. */
void bench_ndr_loop_count(const struct bench_ndr_loop *h, uint64_t *trials, uint64_t *voided);

/* Then: latency of the first DUT. */
void bench_ndr_loop_latency(struct bench_ndr_loop *h);

/* Then: what the first DUT carries of twice its NDR. */
void bench_ndr_loop_overload(struct bench_ndr_loop *h);

#endif
