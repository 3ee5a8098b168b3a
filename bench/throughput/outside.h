/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outside of this process: a node, or testpmd in its place, that `gbflow bench generate` measures on ports of
 * any kind: waiting until it forwards, and trials. Its own gaps are not known here and count as loss; only
 * gaps of the generator void a trial.
 */
#ifndef BENCH_THROUGHPUT_OUTSIDE_H
#define BENCH_THROUGHPUT_OUTSIDE_H

#include "bench/throughput/far_end.h"
#include "bench/throughput/gb_peer.h"
#include "bench/throughput/generator.h"
#include "bench/throughput/plan.h"

struct bench_search;

struct bench_outside {
    struct bench_generator g;
    struct bench_gb_peer gb_peers[TEID_WORKERS];
    struct bench_far_end *far_end; /* NULL: an operator started it */
    bool has_ports;
    int wait_s;          /* for it to come up; 0: 30 s */
    int64_t end_ns;      /* no trial begins later */
    unsigned voids_most; /* void trials in a row, after which the next one counts; 0: the last fails */
    uint64_t trials, voided, gap_trials; /* gap_trials: counted in spite of a gap */
    uint64_t slow;                       /* whose load the generator could not offer */
    uint64_t wrong_fcs, reordered;
    void (*show)(const void *arg); /* after each trial, void ones left out; NULL: nothing */
    const void *shown;             /* its argument */
};

/* Results of a search; N-PDU/s, 0: not found. */
struct bench_rates {
    double most_offered, most_carried; /* at the highest load of the generator */
    double ndr, pdr;
    bool is_ndr_least, is_pdr_least; /* the search did not end, or has no loss at any load */
    bool is_finished;                /* the search ended in time */
};

/* Opens the generator's ports for a point. False, with a line on stderr. Call bench_outside_close() in any
 * case; *o must keep its address. */
bool bench_outside_open(struct bench_outside *o, const struct bench_plan *plan,
                        const struct bench_point *point);
void bench_outside_close(struct bench_outside *o);

/* Waits until the node, or testpmd, forwards whole bursts. Says after a while what has to be started. False,
 * with a line on stderr: it does not, or the run was interrupted. */
bool bench_outside_wait(struct bench_outside *o);

/* A trial that gaps of the generator did not void, made again until there is one. False: out of time, or the
 * run was interrupted. */
bool bench_outside_try(struct bench_outside *o, struct bench_trial *trial);

/* The same for bench_generator_try_recovery(). */
bool bench_outside_try_recovery(struct bench_outside *o, struct bench_trial *over, struct bench_trial *under);

/* Searches NDR and PDR; how: a search that has not begun. A load that the generator cannot offer counts as
 * lost. False: no NDR was found. */
bool bench_outside_search(struct bench_outside *o, const struct bench_search *how, struct bench_rates *out);

/* Out of time, or the run was interrupted. */
bool bench_outside_is_over(const struct bench_outside *o);

#endif
