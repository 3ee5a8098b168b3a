/* SPDX-License-Identifier: BSD-3-Clause */
/* `gbflow bench compare A B`: two builds of gbflow in alternating slices (comparison.h), and whether an N-PDU
 * takes B more time. */
#ifndef BENCH_THROUGHPUT_COMPARE_H
#define BENCH_THROUGHPUT_COMPARE_H

#include "bench/throughput/comparison.h"
#include "bench/statistics/verdict.h"
#include "control/base/stream.h"

/* Each point of the plan. COMMAND_FAILED also when B is slower. */
int bench_compare_run(const struct bench_plan *plan);

/* Sides "a" and "b", one process each; b's steps take slowdown_percent longer. */
struct bench_comparison bench_compare_sides(const struct bench_point *point, const char *a, const char *b,
                                            unsigned slowdown_percent);

/* Measures such sides, prints and writes the result. False, with a line on stderr: not measured. */
bool bench_compare_measure(struct json_stream *json, const struct bench_plan *plan,
                           struct bench_comparison *c, enum bench_verdict_word *word);

#endif
