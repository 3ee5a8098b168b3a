/* SPDX-License-Identifier: BSD-3-Clause */
/* As report.h, of soak. */
#ifndef BENCH_THROUGHPUT_REPORT_SOAK_H
#define BENCH_THROUGHPUT_REPORT_SOAK_H

#include "bench/throughput/report.h"
#include "bench/throughput/soak.h"

void bench_report_soak_head(const struct bench_plan *plan, const struct bench_machine *machine);
void bench_report_soak_row(const struct bench_soak *soak);
void bench_report_soak_trial(struct json_stream *s, const struct bench_plan *plan,
                             const struct bench_soak *soak);

#endif
