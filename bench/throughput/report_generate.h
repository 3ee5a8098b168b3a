/* SPDX-License-Identifier: BSD-3-Clause */
/* As report.h, of generate. */
#ifndef BENCH_THROUGHPUT_REPORT_GENERATE_H
#define BENCH_THROUGHPUT_REPORT_GENERATE_H

#include "bench/throughput/generate.h"
#include "bench/throughput/report.h"

void bench_report_generate_head(const struct bench_plan *plan, const struct bench_machine *machine);
void bench_report_generate_row(const struct bench_generate *result);
void bench_report_generate_trial(struct json_stream *s, const struct bench_plan *plan,
                                 const struct bench_generate *result);

#endif
