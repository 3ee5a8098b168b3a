/* SPDX-License-Identifier: BSD-3-Clause */
/* What `gbflow bench` prints and writes (fields: docs/benchmarking.md). */
#ifndef BENCH_THROUGHPUT_REPORT_H
#define BENCH_THROUGHPUT_REPORT_H

#include "bench/throughput/machine.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/preloaded.h"
#include "control/base/json_stream.h"

void bench_report_head(const struct bench_plan *plan, const struct bench_machine *machine);
void bench_report_row(const struct bench_preloaded *result);

/* Between begin and end trials are put. False, with a line on stderr: the file cannot be written. */
bool bench_report_begin(struct json_stream *s, const struct bench_plan *plan,
                        const struct bench_machine *machine);
void bench_report_trial(struct json_stream *s, const struct bench_plan *plan,
                        const struct bench_preloaded *result);
bool bench_report_end(struct json_stream *s, const struct bench_plan *plan);

/* Whether this process has written a report to its end. */
bool bench_report_is_written(void);

/* The parts that several reports have. */
void bench_report_machine(const struct bench_machine *machine);
void bench_report_traffic(const struct bench_plan *plan);
void bench_report_point(struct json_stream *s, const char *mode, const struct bench_point *point);

/* Of N-PDUs fed from memory, which have no rate without loss and no latency. */
void bench_report_time(struct json_stream *s, double npdu_per_s, const struct bench_spread_summary *ns);

/* Null where it is 0. */
void bench_report_known(struct json_stream *s, const char *key, double value);

/* Null where there is none. */
void bench_report_fault(struct json_stream *s, const struct bench_fault *fault);

#endif
