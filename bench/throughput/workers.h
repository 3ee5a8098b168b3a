/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow bench workers`: N workers of one process, counted, modelled and measured.
 *
 * A point is measured for all numbers of workers together. First each number is counted in one thread
 * (crew.h). Then rounds follow: in each a window of one worker alone, a window of two workers that one CPU
 * calls in turn, of which the first one receives what the second one sends (sender_ns and receiver_ns of the
 * model, scaling.h), a reading of 512 lines that another CPU wrote, and for each number of workers that has
 * CPUs enough a window for each way in which frames come to them. A window with a gap of any worker is void
 * and tried again; if it stays void, the round is.
 */
#ifndef BENCH_THROUGHPUT_WORKERS_H
#define BENCH_THROUGHPUT_WORKERS_H

#include "bench/statistics/spread.h"
#include "bench/throughput/crew.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/scaling.h"

/* A number of workers with a way in which frames come to them. */
struct bench_workers_case {
    unsigned workers;
    enum bench_deal deal;
    struct bench_crew_counts counts;
    struct bench_scaling_counts share;
    struct bench_scaling predicted;
    bool is_measured;                  /* there are CPUs enough; else: */
    struct bench_spread rates, ratios; /* N-PDU/s; rate / (workers * rate of one), by rounds */
    struct bench_spread_summary rate, ratio;
};

struct json_stream;

#define BENCH_WORKERS_CASES (BENCH_PLAN_CHOICES * BENCH_DEALS)

struct bench_workers {
    struct bench_point point; /* workers: the most */
    unsigned cpus;            /* that the process may use, or that --cores names */
    unsigned most_measured;   /* workers; 0: none, a worker alone included */
    struct bench_spread alone, sender, receiver, line, chase;
    struct bench_scaling_parts parts;
    struct bench_workers_case cases[BENCH_WORKERS_CASES];
    unsigned case_count;
    uint64_t rounds, voided;
    struct bench_fault fault;
};

/* Tables and trials (workers_report.c): of one point a row for each number of workers with each deal, and the
 * parts of the model; a trial for each row. */
void bench_workers_head(const struct bench_plan *plan);
void bench_workers_row(const struct bench_plan *plan, const struct bench_workers *r);
void bench_workers_trial(struct json_stream *s, const struct bench_plan *plan, const struct bench_workers *r);

/* Each point of a plan. Returns an exit status. */
int bench_workers_mode(const struct bench_plan *plan);

#endif
