/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One trial of live_bench: a live node as `gbflow serve` runs it, its worker fed by live_load, in a process
 * of its own.
 */
#ifndef BENCH_LIVE_LIVE_TRIAL_H
#define BENCH_LIVE_LIVE_TRIAL_H

#include "bench/live/live_judge.h"

#include <stdbool.h>
#include <stdint.h>

struct live_trial {
    bool is_polling;
    bool has_probes;
    int64_t core; /* the worker's */
    int64_t mobiles, seconds, gap_ns;
    int64_t slice_ns; /* length of a slice; slices without and with the flood alternate */
    int64_t flows_pps, floods_pps, users_pps;
};

struct live_trial_result {
    char fault[160]; /* "": none */
    struct live_judge_result judged[LIVE_JUDGE_KINDS], all[LIVE_JUDGE_KINDS];
    uint32_t windows, voided;
    uint64_t sent, back, early;        /* users' packets; early: they left although their bucket was closed */
    uint64_t flows, acked, flows_lost; /* lost: at the port, not polled in time */
    uint64_t floods, floods_lost, punt_full;
    uint64_t log_lines;
};

void live_trial_run(const struct live_trial *trial, struct live_trial_result *result);

/* Reports live_bench's trials as text and as JSON (schema gbflow-live-bench/1). */

#define LIVE_TRIAL_ROUNDS 100

/* One combination of options, over all rounds. */
struct live_trial_row {
    struct live_trial trial;
    struct live_trial_result results[LIVE_TRIAL_ROUNDS];
    unsigned rounds; /* rounds with results */
};

/* Prints the latest round on stdout. */
void live_trial_print_latest(const struct live_trial_row *row);

/* Prints the medians of the rounds with windows that are not void on stdout. */
void live_trial_print_medians(const struct live_trial_row *row);

/* Writes the rows. False: the file could not be written. */
bool live_trial_write(const char *path, const struct live_trial_row *rows, unsigned count);

#endif
