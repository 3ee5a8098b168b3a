/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gaps of the machine before a search (gaps.h): a thread on each CPU of workers and generator does
 * nothing but read the clock. Two of them on one CPU are in each other's way, as worker and generator would
 * be.
 */
#ifndef BENCH_THROUGHPUT_GAP_WATCH_H
#define BENCH_THROUGHPUT_GAP_WATCH_H

#include "bench/statistics/gaps.h"
#include "bench/throughput/plan.h"
#include "control/base/json_stream.h"

/* Takes watch_ns. False, with a line on stderr: a thread cannot run there. */
bool bench_gap_watch(struct bench_gaps_machine *m, const unsigned *cpus, unsigned count, int64_t watch_ns);

/* Texts of one line, without its end. */
enum { BENCH_GAP_WATCH_CHARS = 400 };

/* Number and share of the gaps, the trial of the plan, and the share of void trials to expect. */
void bench_gap_watch_describe(char out[BENCH_GAP_WATCH_CHARS], const struct bench_gaps_machine *m,
                              const struct bench_plan *plan);

/* Remedies when a search with the plan finds no rate. given: the plan before the choice. No value that the
 * plan has already is named. */
void bench_gap_watch_advise(char out[BENCH_GAP_WATCH_CHARS], const struct bench_gaps_machine *m,
                            const struct bench_plan *plan, const struct bench_plan *given);

/* The member `gaps` of a report. */
void bench_gap_watch_put(struct json_stream *s, const struct bench_gaps_machine *m,
                         const struct bench_plan *plan);

#endif
