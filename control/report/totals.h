/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals: the sums of workers that have to agree (dataplane/worker/stats.h). */
#ifndef CONTROL_REPORT_TOTALS_H
#define CONTROL_REPORT_TOTALS_H

#include "control/report/field.h"
#include "dataplane/worker/worker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct totals {
    uint64_t in, out, dropped, queued; /* N-PDUs; queued is counted by walking the queues, and has those that
                                          wait for mobiles on the move */
    uint64_t forwarded;                /* to other SGSNs */
    uint64_t left, joined;             /* to and from other workers */
    uint64_t frames, frames_accounted; /* of Gn, at the port */
    uint64_t gb_frames, gb_accounted;  /* of Gb, at the port, from other workers and from control */
    bool is_conserved;
};

/* Of one worker. */
struct totals totals_of(const struct worker *worker);

/* Of all of them, between steps: in = out + forwarded + dropped + queued, and nothing on its way from one to
 * another, when they rest. */
struct totals totals_of_all(struct worker *const *workers, unsigned count);

/* Their counters, added up. Any thread, while workers count: each counter is whole, and no older than what
 * this thread has seen of it. */
struct worker_stats totals_stats(struct worker *const *workers, unsigned count);

/* A bag of samples (nanoseconds), for quantiles by nearest rank. A zeroed one is empty. */

struct samples {
    int64_t *ns;
    size_t count, cap;
    bool is_sorted;
};

/* Ends the program when memory is short. */
void samples_add(struct samples *s, int64_t ns);
void samples_free(struct samples *s);

/* Nearest rank, 0 < percent <= 100; the bag must not be empty. Sorts it. */
int64_t samples_quantile_ns(struct samples *s, unsigned percent);

/* Mean and quantiles of samples as fields: quantiles by nearest rank, MOMENT_NEVER (null in JSON) without
 * samples. */

struct quantiles {
    uint64_t count; /* of the samples */
    int64_t mean_ns, min_ns, p50_ns, p95_ns, p99_ns, max_ns;
};

/* Sorts the samples. */
struct quantiles quantiles_of(struct samples *samples);

/* Rows of a struct quantiles: n and mean, p50, p95, p99, max; p50, p95, max; avg, min, p50, p95, max. */
extern const struct field quantiles_whole[], quantiles_short[], quantiles_ping[];

#endif
