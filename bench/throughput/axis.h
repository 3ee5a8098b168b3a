/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of values, as arguments of `gbflow bench` give them. */
#ifndef BENCH_THROUGHPUT_AXIS_H
#define BENCH_THROUGHPUT_AXIS_H

#include "bench/throughput/plan.h"

struct bench_axis_range {
    const char *name; /* of the option */
    int64_t min, max;
    int (*word)(const char *text); /* a value that has a name, -1: none; may be NULL */
};

/* A list with commas. COMMAND_OK, or COMMAND_USAGE after a message. */
int bench_axis_parse(struct bench_plan_axis *axis, const struct bench_axis_range *range, const char *text);

/* Of N-PDUs, mobiles, workers and ciphers. */
int bench_axis_octets(struct bench_plan_axis *axis, const char *text);
int bench_axis_mobiles(struct bench_plan_axis *axis, const char *text);
int bench_axis_workers(struct bench_plan_axis *axis, const char *text);
int bench_axis_ciphers(struct bench_plan_axis *axis, const char *text);

#endif
