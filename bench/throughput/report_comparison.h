/* SPDX-License-Identifier: BSD-3-Clause */
/* As report.h, of comparisons. */
#ifndef BENCH_THROUGHPUT_REPORT_COMPARISON_H
#define BENCH_THROUGHPUT_REPORT_COMPARISON_H

#include "bench/throughput/comparison.h"
#include "bench/throughput/report.h"
#include "bench/statistics/verdict.h"

void bench_report_comparison_head(const struct bench_plan *plan, const struct bench_machine *machine);

/* Both sort the rates. */
void bench_report_comparison_row(struct bench_comparison *c, const struct bench_verdict *verdict);
void bench_report_comparison_trial(struct json_stream *s, const struct bench_plan *plan,
                                   struct bench_comparison *c, const struct bench_verdict *verdict);

#endif
