/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker in a process of its own at a share of NDR for a long time: `gbflow bench soak`.
 *
 * What has to hold: each N-PDU that is lost lies in a gap of worker or generator (bench_loss_log.h); every
 * other one is counted by the generator, the worker, and the generator again; then all buffers are back, and
 * neither process has grown.
 *
 */
#ifndef BENCH_THROUGHPUT_SOAK_H
#define BENCH_THROUGHPUT_SOAK_H

#include "bench/throughput/fault.h"
#include "bench/throughput/loss_log.h"
#include "bench/throughput/plan.h"

/* Of both processes: before, when it had gone on for a while, and after. */
struct bench_soak_use {
    uint64_t worker_mbufs, generator_mbufs;   /* in use */
    uint64_t worker_octets, generator_octets; /* resident */
};

struct bench_soak {
    struct bench_point point;
    double ndr_npdu_per_s; /* 0: the rate was given */
    double rate_npdu_per_s;
    int64_t began_ns, took_ns, gap_ns;
    uint64_t offered, left_out, unsent;           /* N-PDUs; unsent are among offered */
    uint64_t received, sent, dropped, llc_frames; /* by the worker: N-PDUs in, out, dropped; LLC-PDUs */
    uint64_t frames;                              /* that came back */
    uint64_t wrong_fcs, reordered, missed_events;
    struct bench_loss_log_sum sum;
    struct bench_soak_use before, warm, after;
    struct bench_fault fault;
};

/* From when on a turn is a gap, at a rate of each worker: when it takes half as long again as there is for a
 * whole burst; most_ns at most. */
int64_t bench_soak_gap_ns(int64_t most_ns, double rate);

/* What is wrong with the losses, the counts, mbufs and memory. */
struct bench_fault bench_soak_check(const struct bench_soak *soak);

/* Each point of a plan. Returns an exit status: COMMAND_FAILED also if something does not hold. */
int bench_soak_run(const struct bench_plan *plan);

#endif
