/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches for the rates of one device under test or two, on the same processors: several searches of each,
 * trial by trial in turn, devices too, so that all of them meet the same moments of the machine; a device
 * whose turn it is not is stopped.
 *
 * Between two trials the distance of worker and generator is looked at (bench_distance.h), and for each
 * distance there are searches of their own. A trial is void when it was another one afterwards, or for a gap
 * (bench_trial.h); it is counted, and made again while there is time.
 */
#ifndef BENCH_THROUGHPUT_NDR_LOOP_H
#define BENCH_THROUGHPUT_NDR_LOOP_H

#include "bench/throughput/distance.h"
#include "bench/throughput/generator.h"
#include "bench/throughput/ndr.h"

#define BENCH_NDR_LOOP_DEVICES 2

struct bench_ndr_loop_device {
    struct bench_generator *g;     /* open, */
    struct bench_dut_process *dut; /* and its dut, stopped */
    struct bench_ndr at[BENCH_DISTANCES];
};

struct bench_ndr_loop {
    const struct bench_plan *plan;
    struct bench_ndr_loop_device devices[BENCH_NDR_LOOP_DEVICES];
    unsigned count; /* of devices */
    struct bench_distance distance;
};

/* Fills in what searches tell, by distance; where no rate was found it stays 0. False: of the first device
 * none was found at all. */
bool bench_ndr_loop_run(struct bench_ndr_loop *h);

/* Trials of all devices so far, and the void ones of them. */
void bench_ndr_loop_count(const struct bench_ndr_loop *h, uint64_t *trials, uint64_t *voided);

/* Latency of the first device at the rates found. */
void bench_ndr_loop_latency(struct bench_ndr_loop *h);

#endif
