/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow bench soak`: constant offered load, a share of NDR, for a long time, on the ports of ndr.
 *
 * The run passes if each lost N-PDU lies in a gap of worker or generator (loss_log.h), every other N-PDU is
 * counted by generator, worker and generator again, as many mbufs are in use as before, and the RSS of
 * neither process has grown by more than 1 MiB after the warm-up.
 */
#ifndef BENCH_THROUGHPUT_SOAK_H
#define BENCH_THROUGHPUT_SOAK_H

#include "bench/statistics/loss_log.h"
#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"

/* mbufs and memory of both processes. */
struct bench_soak_use {
    uint64_t worker_mbufs, generator_mbufs;   /* in use */
    uint64_t worker_octets, generator_octets; /* RSS */
};

struct bench_soak {
    struct bench_point point;
    double ndr_npdu_per_s; /* 0: not searched */
    double rate_npdu_per_s;
    int64_t began_ns, took_ns, gap_ns;
    uint64_t offered, left_out, unsent;           /* N-PDUs; unsent: offered ones without room in a Gn ring */
    uint64_t received, sent, dropped, llc_frames; /* by the worker: N-PDUs in, out, dropped; LLC frames */
    uint64_t frames;                              /* LLC frames received by the generator */
    uint64_t wrong_fcs, reordered, missed_events;
    struct bench_loss_log_sum sum;
    struct bench_soak_use before, warm, after;
    struct bench_fault fault;
};

/* The duration above which a turn is a gap, at a worker's offered load: 1.5 times the time in which a full
 * burst arrives, most_ns at most. */
int64_t bench_soak_gap_ns(int64_t most_ns, double rate);

/* Faults of the losses, the counts, mbufs and memory. */
struct bench_fault bench_soak_check(const struct bench_soak *soak);

/* Each point of a plan. Returns an exit status: COMMAND_FAILED also after a fault. */
int bench_soak_run(const struct bench_plan *plan);

#endif
