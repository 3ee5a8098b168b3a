/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A comparison of the N-PDU/s of two sides on the same CPUs. A side is one or two processes (slices.h).
 *
 * Model: each round starts both sides, because the place of a process's memory changes its speed by some
 * percent until it ends. Within a round the sides measure slices of tens of milliseconds in the order A B B
 * A, because the load of a shared host changes within seconds. The rate of a slice is the sum over the side's
 * workers of 1 / median of the worker's windows. A window in which one worker has a gap counts for none of
 * them; a slice with fewer than a quarter of its windows left is void and is measured again together with its
 * partner. The ratio of a round is the median over its pairs of slices; search.h judges the rounds' ratios.
 */
#ifndef BENCH_THROUGHPUT_COMPARISON_H
#define BENCH_THROUGHPUT_COMPARISON_H

#include "bench/statistics/spread.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/report.h"
#include "control/base/json_stream.h"

#define BENCH_COMPARISON_PROCESSES 2U /* of a side */

struct bench_comparison_side {
    const char *name, *path;
    unsigned processes, workers; /* workers: of each process */
    unsigned slowdown_percent;
};

struct bench_comparison {
    struct bench_point point; /* of all processes of a side together */
    struct bench_comparison_side sides[2];
    struct bench_spread rates[2]; /* N-PDU/s of each side, median of each round */
    struct bench_spread ratios;   /* of each round: side 1 / side 0 */
    uint64_t pairs, voided;       /* valid and void pairs of slices */
    bool is_short;                /* fewer valid pairs or rounds than the plan asks for; set by the run */
};

/* Measures c->sides at c->point. Call bench_comparison_free() in any case. False, with a line on stderr: a
 * process failed, or no slice was valid. */
bool bench_comparison_run(struct bench_comparison *c, const struct bench_plan *plan);
void bench_comparison_free(struct bench_comparison *c);

/* N-PDU/s of a slice from ns[worker * windows + window] per N-PDU, 0 for a window with a gap; overwrites ns.
 * 0: too few valid windows. */
double bench_comparison_rate(double *ns, unsigned workers, unsigned windows);

/* Runs a mode that compares over a plan's points, with a DPDK environment that has no worker of its own.
 * Returns an exit status. */
int bench_comparison_run_points(const struct bench_plan *plan, const struct bench_points_mode *mode);

/* As report.h, of comparisons. */

void bench_comparison_head(const struct bench_plan *plan);

/* Both sort the rates. */
void bench_comparison_row(const struct bench_plan *plan, struct bench_comparison *c,
                          const struct bench_verdict *verdict);
void bench_comparison_trial(struct json_stream *s, const struct bench_plan *plan, struct bench_comparison *c,
                            const struct bench_verdict *verdict);

/* `gbflow bench compare A B`: two builds of gbflow in alternating slices (comparison.h), and whether an N-PDU
 * takes B more time. */

/* Each point of the plan. COMMAND_FAILED also when B is slower. */
int bench_comparison_mode(const struct bench_plan *plan);

/* Sides "a" and "b", one process each; b's steps take slowdown_percent longer. */
struct bench_comparison bench_comparison_sides(const struct bench_point *point, const char *a, const char *b,
                                               unsigned slowdown_percent);

/* Measures such sides, prints and writes the result. False, with a line on stderr: not measured. */
bool bench_comparison_measure(struct json_stream *json, const struct bench_plan *plan,
                              struct bench_comparison *c, enum bench_verdict_word *word);

#endif
