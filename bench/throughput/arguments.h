/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of another program that is started: as text, with what a plan says for one point. */
#ifndef BENCH_THROUGHPUT_ARGUMENTS_H
#define BENCH_THROUGHPUT_ARGUMENTS_H

#include "bench/throughput/plan.h"

#define BENCH_ARGUMENTS       48
#define BENCH_ARGUMENTS_CHARS 160

/* list[count] is NULL. What is beyond the limits is left out. */
struct bench_arguments {
    char texts[BENCH_ARGUMENTS][BENCH_ARGUMENTS_CHARS];
    char *list[BENCH_ARGUMENTS + 1];
    unsigned count;
};

__attribute__((format(printf, 2, 3))) void bench_arguments_put(struct bench_arguments *a, const char *format,
                                                               ...);

/* An option with a number. */
void bench_arguments_pair(struct bench_arguments *a, const char *name, uint64_t value);

/* `gbflow bench MODE` and the point, but for its workers and their processors. */
void bench_arguments_point(struct bench_arguments *a, const char *mode, const struct bench_plan *plan,
                           const struct bench_point *point);

/* --workers and --cores, which begin at first. */
void bench_arguments_workers(struct bench_arguments *a, const struct bench_plan *plan, unsigned first,
                             unsigned workers);

#endif
