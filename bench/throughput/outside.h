/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node, or testpmd in its place, that `gbflow bench generate` measures on ports of any kind: waiting until
 * it forwards, and trials. Its own gaps are not known here and count as loss; only gaps of the generator void
 * a trial.
 */
#ifndef BENCH_THROUGHPUT_OUTSIDE_H
#define BENCH_THROUGHPUT_OUTSIDE_H

#include "bench/throughput/gb_peer.h"
#include "bench/throughput/generator.h"
#include "bench/throughput/plan.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * The process at the other ends of the ports of `gbflow bench generate`: `gbflow serve` with the file of
 * `gbflow bench node`, or dpdk-testpmd, which forwards each frame from Gn to Gb. With --serve it is a child
 * process of this one; else an operator starts it, and is told the command.
 */

struct bench_far_end {
    pid_t pid; /* 0: not running */
    int input_fd;
    bool is_testpmd;
    char folder[64], log[PATH_MAX];
};

/* Starts it for a point of the plan. False, with a line on stderr. Call bench_far_end_stop() in any case. */
bool bench_far_end_start(struct bench_far_end *f, const struct bench_plan *plan,
                         const struct bench_point *point, bool is_testpmd);

/* Ends it, and deletes its files. */
void bench_far_end_stop(struct bench_far_end *f);

/* Whether it runs, or was never started here. False: the end of its log is on stderr. */
bool bench_far_end_is_well(struct bench_far_end *f);

/* Whether the node that was started says that it runs; of testpmd always true. */
bool bench_far_end_runs(const struct bench_far_end *f);

/* Whether a process listens on an abstract memif socket. testpmd and a node open their second port a moment
 * after the first: returns that much later. */
bool bench_far_end_is_listening(const char *socket);

/* The commands that start it on this or another machine. */
void bench_far_end_print(FILE *out, const struct bench_plan *plan, const struct bench_point *point,
                         bool is_testpmd);

/* --- trials --- */

struct bench_outside {
    struct bench_generator g;
    struct bench_gb_peer gb_peers[TEID_WORKERS];
    struct bench_far_end *far_end; /* NULL: an operator started it */
    bool has_ports;
    int wait_s;          /* for it to come up; 0: 30 s */
    int64_t end_ns;      /* no trial begins later */
    unsigned voids_most; /* void trials in a row, after which the next one counts; 0: the last fails */
    uint64_t trials, voided, gap_trials; /* gap_trials: counted in spite of a gap */
};

/* Opens the generator's ports for a point. False, with a line on stderr. Call bench_outside_close() in any
 * case; *o must keep its address. */
bool bench_outside_open(struct bench_outside *o, const struct bench_plan *plan,
                        const struct bench_point *point);
void bench_outside_close(struct bench_outside *o);

/* Waits until the node, or testpmd, forwards whole bursts. Says after a while what has to be started. False,
 * with a line on stderr: it does not, or the generator was stopped. */
bool bench_outside_wait(struct bench_outside *o);

/* A trial that gaps of the generator did not void, made again until there is one. False: out of time, or the
 * generator was stopped. */
bool bench_outside_try(struct bench_outside *o, struct bench_trial *trial);

/* The same for bench_generator_try_recovery(). */
bool bench_outside_try_recovery(struct bench_outside *o, struct bench_trial *over, struct bench_trial *under);

/* Out of time, or the generator was stopped. */
bool bench_outside_is_over(const struct bench_outside *o);

#endif
