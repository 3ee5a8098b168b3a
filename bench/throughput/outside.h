/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of `gbflow bench generate` alone. */
#ifndef BENCH_THROUGHPUT_OUTSIDE_H
#define BENCH_THROUGHPUT_OUTSIDE_H

#include "bench/throughput/plan.h"

/* Each puts one into a plan, as struct command_option asks for it: COMMAND_OK, or COMMAND_USAGE after a
 * message. */
int bench_outside_gn(void *to, char *text);
int bench_outside_gb(void *to, char *text);
int bench_outside_gn_mac(void *to, char *text);
int bench_outside_gb_mac(void *to, char *text);

/* There is one point, and no more than a node takes. */
int bench_outside_check(const struct bench_plan *plan);

#endif
