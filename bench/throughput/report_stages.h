/* SPDX-License-Identifier: BSD-3-Clause */
/* As report.h, of stages. */
#ifndef BENCH_THROUGHPUT_REPORT_STAGES_H
#define BENCH_THROUGHPUT_REPORT_STAGES_H

#include "bench/throughput/report.h"
#include "bench/throughput/stages.h"
#include "bench/throughput/points.h"

void bench_report_stages_head(const struct bench_plan *plan, const struct bench_machine *machine);
void bench_report_stages_row(const struct bench_stages *result, uint64_t tsc_hz);
void bench_report_stages_trial(struct json_stream *s, const struct bench_plan *plan,
                               const struct bench_stages *result, uint64_t tsc_hz);

#endif
