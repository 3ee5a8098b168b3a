/* SPDX-License-Identifier: BSD-3-Clause */
/* A child process that runs `bench slices`, and the pipes to and from it. */
#ifndef BENCH_THROUGHPUT_SLICES_H
#define BENCH_THROUGHPUT_SLICES_H

#include "bench/throughput/arguments.h"
#include "bench/throughput/plan.h"

#include <stdio.h>
#include <sys/types.h>

struct bench_slices_process {
    const char *path;
    pid_t pid; /* 0: not running */
    FILE *to, *from;
};

/* Starts the program `path`, which stays the caller's. False, with a line on stderr. */
bool bench_slices_process_start(struct bench_slices_process *p, const char *path, struct bench_arguments *a);

/* Waits until it is ready. False, with a line on stderr, if the program does not know `bench slices`. */
bool bench_slices_process_wait(struct bench_slices_process *p);

/* Orders a slice that begins at at_ns; then reads ns[worker * windows + window] per N-PDU, 0 for a void
 * window. False: the process ended. */
void bench_slices_process_order(struct bench_slices_process *p, int64_t at_ns, unsigned windows);
bool bench_slices_process_take(struct bench_slices_process *p, unsigned workers, unsigned windows,
                               double *ns);

/* Closes its input, and waits for its result. False, with a line on stderr: it reported a fault, or ended. */
bool bench_slices_process_finish(struct bench_slices_process *p);

/* Kills it if it runs. */
void bench_slices_process_stop(struct bench_slices_process *p);

#define BENCH_SLICES_WINDOWS 1000 /* most windows of a slice */

/* Runs the mode for the plan's first point. Returns an exit status. */
int bench_slices_run(const struct bench_plan *plan);

#endif
