/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that measures slices when it is told to (bench_slices.h), as who tells it sees it. */
#ifndef BENCH_THROUGHPUT_PROGRAM_H
#define BENCH_THROUGHPUT_PROGRAM_H

#include "bench/throughput/arguments.h"

#include <stdio.h>
#include <sys/types.h>

struct bench_program {
    const char *path;
    pid_t pid; /* 0: none runs */
    FILE *to, *from;
};

/* Starts it; path is the caller's. False, with a line on stderr. */
bool bench_program_start(struct bench_program *p, const char *path, struct bench_arguments *a);

/* Waits until it is ready. False, with a line on stderr, if it is none that knows slices. */
bool bench_program_wait(struct bench_program *p);

/* Orders a slice; of so many workers takes ns[worker * windows + window], 0: void. False: it is gone. */
void bench_program_order(struct bench_program *p, int64_t at_ns, unsigned windows);
bool bench_program_take(struct bench_program *p, unsigned workers, unsigned windows, double *ns);

/* Lets it come to its end. False, with a line on stderr: it found something wrong, or is gone. */
bool bench_program_finish(struct bench_program *p);

/* Ends it at once, if it runs. */
void bench_program_stop(struct bench_program *p);

#endif
