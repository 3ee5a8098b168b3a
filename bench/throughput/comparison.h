/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two sides in turn on the same processors, each one or more programs at a time that were started for a
 * round.
 *
 * Model: what differs between two starts of one program (where its memory lies) is drawn anew in each round;
 * what other guests do to the machine passes within seconds, and so the sides alternate in slices of tens of
 * milliseconds, A B B A. A slice's rate is the sum over a side's workers of 1 / the median of its windows; a
 * window in which one of them had a gap counts for none. A slice with too few windows left is void, counted,
 * and made again with its partner. A round's ratio is the median over its pairs of slices; rounds are what
 * bench_verdict.h judges.
 */
#ifndef BENCH_THROUGHPUT_COMPARISON_H
#define BENCH_THROUGHPUT_COMPARISON_H

#include "bench/throughput/plan.h"
#include "bench/throughput/spread.h"

#define BENCH_COMPARISON_PROCESSES 2U /* of a side, at most */

struct bench_comparison_side {
    const char *name, *path;
    unsigned processes, workers; /* workers: of each process */
    unsigned slowdown_percent;
};

struct bench_comparison {
    struct bench_point point; /* that a side has altogether */
    struct bench_comparison_side sides[2];
    struct bench_spread rates[2]; /* N-PDUs a second: median of each round */
    struct bench_spread ratios;   /* of each round: side 1 / side 0 */
    uint64_t pairs, voided;       /* pairs of slices: measured, and void */
};

/* point and sides are given; bench_comparison_free() in any case. False, with a line on stderr: a program
 * failed, or the machine left no slice in peace. */
bool bench_comparison_run(struct bench_comparison *c, const struct bench_plan *plan);
void bench_comparison_free(struct bench_comparison *c);

/* A slice's rate from its windows: ns[worker * windows + window] per N-PDU, 0: void. Changes them. 0: too few
 * are left. */
double bench_comparison_rate(double *ns, unsigned workers, unsigned windows);

/* Measures a plan's points by contests: on DPDK for who only tells others what to do. Returns an exit status.
 */
struct bench_points_mode;
int bench_comparison_walk(const struct bench_plan *plan, const struct bench_points_mode *mode);

#endif
