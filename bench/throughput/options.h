/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of `gbflow bench` to a plan. */
#ifndef BENCH_THROUGHPUT_OPTIONS_H
#define BENCH_THROUGHPUT_OPTIONS_H

#include "bench/throughput/plan.h"

enum bench_options_mode {
    BENCH_OPTIONS_PRELOADED,
    BENCH_OPTIONS_SLICES,
    BENCH_OPTIONS_PAIR,
    BENCH_OPTIONS_COMPARE,
    BENCH_OPTIONS_NDR,
    BENCH_OPTIONS_SOAK,
    BENCH_OPTIONS_DEVICE,
    BENCH_OPTIONS_STAGES,
    BENCH_OPTIONS_GENERATE,
};

/* COMMAND_OK, COMMAND_USAGE after a message, or COMMAND_HELP. What is not given has its default. Picks the
 * engine of ciphering where one is needed. */
int bench_options_parse(struct bench_plan *plan, enum bench_options_mode mode, int argc, char **argv);

#endif
