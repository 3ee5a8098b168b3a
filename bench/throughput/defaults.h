/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan before any option was given, and what has to hold once all were. */
#ifndef BENCH_THROUGHPUT_DEFAULTS_H
#define BENCH_THROUGHPUT_DEFAULTS_H

#include "bench/throughput/mode.h"

void bench_defaults(struct bench_plan *plan, enum bench_mode mode);

/* Rules that take more than one option, and the number of files. Chooses CPUs and the engine of ciphering.
 * COMMAND_OK, or COMMAND_USAGE after a message. */
int bench_check(struct bench_plan *plan, enum bench_mode mode);

#endif
