/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process at the other ends of the ports of `gbflow bench generate`: `gbflow serve` with the file of
 * `gbflow bench node`, or dpdk-testpmd, which forwards each frame from Gn to Gb. With --serve it is a child
 * process of this one; else an operator starts it, and is told the command.
 */
#ifndef BENCH_THROUGHPUT_FAR_END_H
#define BENCH_THROUGHPUT_FAR_END_H

#include "bench/throughput/plan.h"
#include "bench/throughput/process_log.h"

#include <stdio.h>
#include <sys/types.h>

struct bench_far_end {
    pid_t pid; /* 0: not running */
    int input_fd;
    bool is_testpmd;
    char folder[64];
    struct bench_process_log log;
};

/* Starts it for a point of the plan. False, with a line on stderr. Call bench_far_end_stop() in any case. */
bool bench_far_end_start(struct bench_far_end *f, const struct bench_plan *plan,
                         const struct bench_point *point, bool is_testpmd);

/* Ends it, and deletes its files, but for the log of a process that ended by itself. */
void bench_far_end_stop(struct bench_far_end *f);

/* Whether it runs, or was never started here. False: why it ended is in log.ended, and was said on stderr
 * once. */
bool bench_far_end_is_well(struct bench_far_end *f);

/* "dpdk-testpmd" or "gbflow serve". */
const char *bench_far_end_name(const struct bench_far_end *f);

/* Whether the node that was started says that it runs; of testpmd always true. */
bool bench_far_end_runs(const struct bench_far_end *f);

/* Whether a process listens on an abstract memif socket. testpmd and a node open their second port a moment
 * after the first: returns that much later. */
bool bench_far_end_is_listening(const char *socket);

/* The commands that start it on this or another machine. */
void bench_far_end_print(FILE *out, const struct bench_plan *plan, const struct bench_point *point,
                         bool is_testpmd);

#endif
