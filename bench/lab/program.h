/* SPDX-License-Identifier: BSD-3-Clause */
/* The gbflow that gbflow-lab starts. */
#ifndef BENCH_LAB_PROGRAM_H
#define BENCH_LAB_PROGRAM_H

#include "bench/throughput/plan.h"

/* The one of --program, or that of the same build: ../../gbflow, from gbflow-lab's folder. Static text. */
const char *bench_lab_program(const struct bench_plan *plan);

#endif
