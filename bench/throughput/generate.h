/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow bench generate`: measures a node that runs by itself, on ports of any kind, with a BSS behind Gb
 * (gb_peer.h). One trial at a given offered load, or a search for NDR and PDR.
 *
 * Gaps of the node are not known here and count as loss; only gaps of the generator void a trial.
 */
#ifndef BENCH_THROUGHPUT_GENERATE_H
#define BENCH_THROUGHPUT_GENERATE_H

#include "bench/throughput/generator.h"
#include "bench/throughput/plan.h"

struct bench_generate {
    struct bench_point point;
    struct bench_trial trial; /* at the given load; after a search, at 90 % of NDR */
    double ndr, pdr;          /* N-PDU/s; 0: no search, or not found */
    uint64_t trials, voided;
    bool is_finished; /* the search ended within its time limit */
};

/* Measures the plan's point. Returns an exit status. */
int bench_generate_run(const struct bench_plan *plan);

#endif
