/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that measures slices when it is told to (bench_slices.h), as who tells it sees it. */
#ifndef BENCH_THROUGHPUT_SLICES_PROCESS_H
#define BENCH_THROUGHPUT_SLICES_PROCESS_H

#include "bench/throughput/arguments.h"

#include <stdio.h>
#include <sys/types.h>

struct bench_slices_process {
    const char *path;
    pid_t pid; /* 0: none runs */
    FILE *to, *from;
};

/* Starts it; path is the caller's. False, with a line on stderr. */
bool bench_slices_process_start(struct bench_slices_process *p, const char *path, struct bench_arguments *a);

/* Waits until it is ready. False, with a line on stderr, if it is none that knows slices. */
bool bench_slices_process_wait(struct bench_slices_process *p);

/* Orders a slice; of so many workers takes ns[worker * windows + window], 0: void. False: it is gone. */
void bench_slices_process_order(struct bench_slices_process *p, int64_t at_ns, unsigned windows);
bool bench_slices_process_take(struct bench_slices_process *p, unsigned workers, unsigned windows,
                               double *ns);

/* Lets it come to its end. False, with a line on stderr: it found something wrong, or is gone. */
bool bench_slices_process_finish(struct bench_slices_process *p);

/* Ends it at once, if it runs. */
void bench_slices_process_stop(struct bench_slices_process *p);

#endif
