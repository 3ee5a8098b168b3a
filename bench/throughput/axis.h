/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that take a list: "64,512,imix". */
#ifndef BENCH_THROUGHPUT_AXIS_H
#define BENCH_THROUGHPUT_AXIS_H

#include "bench/throughput/plan.h"

struct bench_axis_range {
    const char *name; /* the option's */
    int64_t min, max;
    int (*word)(const char *text); /* the value of a word, "imix"; -1: not a word. NULL: no words */
};

/* Parses a list of up to BENCH_PLAN_CHOICES values. COMMAND_OK, or COMMAND_USAGE after a message. */
int bench_axis_parse(struct bench_plan_axis *axis, const struct bench_axis_range *range, const char *text);

/* The same for one option each. */
int bench_axis_octets(struct bench_plan_axis *axis, const char *text);
int bench_axis_mobiles(struct bench_plan_axis *axis, const char *text);
int bench_axis_workers(struct bench_plan_axis *axis, const char *text);
int bench_axis_ciphers(struct bench_plan_axis *axis, const char *text);

#endif
