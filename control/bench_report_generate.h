/* SPDX-License-Identifier: BSD-3-Clause */
/* As bench_report.h, of a node measured from outside. */
#ifndef CONTROL_BENCH_REPORT_GENERATE_H
#define CONTROL_BENCH_REPORT_GENERATE_H

#include "control/bench_generate.h"
#include "control/bench_report.h"

void bench_report_generate_head(const struct bench_plan *plan, const struct bench_machine *machine);
void bench_report_generate_row(const struct bench_generate *result);
void bench_report_generate_trial(struct json_stream *s, const struct bench_plan *plan,
                                 const struct bench_generate *result);

#endif
