/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node that runs by itself, measured from outside: the generator on ports of any kind, with a BSS behind Gb
 * (bench_gb_peer.h). At a given rate, or the highest rates at which nothing is lost, and 0.5 %.
 *
 * What the node was kept from doing nobody tells here: a trial in which it was away counts as loss, and only
 * gaps of the generator's own void one.
 */
#ifndef BENCH_THROUGHPUT_GENERATE_H
#define BENCH_THROUGHPUT_GENERATE_H

#include "bench/throughput/generator.h"
#include "bench/throughput/plan.h"

struct bench_generate {
    struct bench_point point;
    struct bench_trial trial; /* at the rate given, or, of a search, at 90 % of NDR */
    double ndr, pdr;          /* N-PDUs a second; 0: no search, or none was found */
    uint64_t trials, voided;
    bool is_finished; /* the search came to an end in time */
};

/* Measures the plan's point. Returns an exit status. */
int bench_generate_run(const struct bench_plan *plan);

#endif
