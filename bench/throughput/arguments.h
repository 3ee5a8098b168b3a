/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of a process that a mode starts, made of a plan and one of its points. */
#ifndef BENCH_THROUGHPUT_ARGUMENTS_H
#define BENCH_THROUGHPUT_ARGUMENTS_H

#include "bench/throughput/plan.h"

#define BENCH_ARGUMENTS       48
#define BENCH_ARGUMENTS_CHARS 160

/* list[count] is NULL. Arguments beyond BENCH_ARGUMENTS are dropped, longer texts are cut. */
struct bench_arguments {
    char texts[BENCH_ARGUMENTS][BENCH_ARGUMENTS_CHARS];
    char *list[BENCH_ARGUMENTS + 1];
    unsigned count;
};

/* One argument. */
void bench_arguments_text(struct bench_arguments *a, const char *text);

/* The words of a text, separated by single blanks: an argument each. */
__attribute__((format(printf, 2, 3))) void bench_arguments_put(struct bench_arguments *a, const char *format,
                                                               ...);

/* `gbflow bench MODE` with the options of a point (protocol: slices.h), without --workers and --cores. */
void bench_arguments_point(struct bench_arguments *a, const char *mode, const struct bench_plan *plan,
                           const struct bench_point *point);

/* --workers, and --cores from the plan's CPU number `first` on. */
void bench_arguments_workers(struct bench_arguments *a, const struct bench_plan *plan, unsigned first,
                             unsigned workers);

#endif
