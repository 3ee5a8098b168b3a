/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports live_bench's trials as text and as JSON (schema gbflow-live-bench/1). */
#ifndef BENCH_LIVE_LIVE_REPORT_H
#define BENCH_LIVE_LIVE_REPORT_H

#include "bench/live/live_trial.h"

#define LIVE_REPORT_ROUNDS 100

/* One combination of options, over all rounds. */
struct live_report_row {
    struct live_trial trial;
    struct live_trial_result results[LIVE_REPORT_ROUNDS];
    unsigned rounds; /* rounds with results */
};

/* Prints the latest round on stdout. */
void live_report_latest(const struct live_report_row *row);

/* Prints the medians of the rounds with windows that are not void on stdout. */
void live_report_medians(const struct live_report_row *row);

/* Writes the rows. False: the file could not be written. */
bool live_report_json(const char *path, const struct live_report_row *rows, unsigned count);

#endif
