/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Losses and gaps of a run, and which loss lies in which gap.
 *
 * Model: a worker that is away for longer than its ring lasts loses what comes meanwhile. When it is back,
 * what waits is worked off beside what comes, with caches that others have used; until the ring has been
 * empty once, more may be lost. The worker tells when that is: a backlog is a stretch of turns that each
 * found a whole burst. A loss lies in a gap that began before it (or SLACK_NS after: cores' counters differ
 * by less) and was not over, or not worked off, when it began: a gap lasts as long as a backlog that began
 * before its end (or slack_ns after, for what a generator that was away sends at once), but no longer than
 * after_ns. A loss that lies in gaps of both sides is the worker's. One in a backlog to which no gap belongs,
 * or long after it, lies outside: there the worker is too slow.
 *
 * The share of time so covered says what that is worth: were it 1, every loss would lie in a gap.
 */
#ifndef BENCH_THROUGHPUT_LOSS_LOG_H
#define BENCH_THROUGHPUT_LOSS_LOG_H

#include "bench/throughput/events.h"

#include <stddef.h>

enum bench_loss_log_side { BENCH_LOSS_LOG_WORKER, BENCH_LOSS_LOG_GENERATOR, BENCH_LOSS_LOG_SIDES };

/* Memory of its own, not the heap's: what it takes is known to the page. */
struct bench_loss_log_gaps {
    struct bench_event *list;
    size_t count, cap;
};

struct bench_loss_log {
    int64_t slack_ns; /* between a gap and its backlog */
    int64_t after_ns; /* a backlog counts for no longer after a gap */
    struct bench_loss_log_gaps gaps[BENCH_LOSS_LOG_SIDES], backlogs, losses;
    bool is_incomplete; /* no memory for an event */
};

#define BENCH_LOSS_LOG_OUTSIDE 8

/* Losses outside of all gaps that lie in one backlog, or in none. */
struct bench_loss_log_outside {
    int64_t begin_ns; /* of the first */
    uint64_t lost;
    struct bench_event backlog; /* all 0: none */
};

struct bench_loss_log_sum {
    uint64_t gaps[BENCH_LOSS_LOG_SIDES];
    int64_t longest_ns[BENCH_LOSS_LOG_SIDES],
        longest_after_ns; /* gaps; and from the end of one until it was worked off */
    uint64_t lost, lost_in[BENCH_LOSS_LOG_SIDES], lost_outside;    /* lost = lost_in[] + lost_outside */
    struct bench_loss_log_outside outside[BENCH_LOSS_LOG_OUTSIDE]; /* the first ones */
    unsigned outside_count;
    int64_t covered_ns; /* in gaps of either side, and until they were worked off */
};

/* Takes an event of a side's. Losses lie where they lie, whoever saw them. */
void bench_loss_log_put(struct bench_loss_log *l, enum bench_loss_log_side side,
                        const struct bench_event *event);

/* Resident memory that what was put in takes. */
size_t bench_loss_log_octets(const struct bench_loss_log *l);

/* Of all that was put in; once, for it is changed. */
struct bench_loss_log_sum bench_loss_log_sum(struct bench_loss_log *l);
void bench_loss_log_fini(struct bench_loss_log *l);

#endif
