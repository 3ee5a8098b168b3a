/* SPDX-License-Identifier: BSD-3-Clause */
/* As report.h, of ndr. */
#ifndef BENCH_THROUGHPUT_REPORT_NDR_H
#define BENCH_THROUGHPUT_REPORT_NDR_H

#include "bench/throughput/ndr.h"
#include "bench/throughput/report.h"

void bench_report_ndr_head(const struct bench_plan *plan, const struct bench_machine *machine);
void bench_report_ndr_row(const struct bench_ndr *result);
void bench_report_ndr_trial(struct json_stream *s, const struct bench_plan *plan,
                            const struct bench_ndr *result);

#endif
