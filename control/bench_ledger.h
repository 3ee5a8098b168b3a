/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Losses and gaps of a run, and which loss lies in which gap.
 *
 * Model: a worker that is away for longer than its ring lasts loses what comes meanwhile. When it is back
 * what waits is worked off beside what comes: after a gap of g the ring is as empty as before not later than
 * factor * g, and never later than factor * ring_ns. Until then another moment's delay may lose again; so
 * what a gap leaves is added to what the one before it left. A loss lies in a gap that began before it (or
 * SLACK_NS after: cores' counters differ by less) and of which something was left when it began. A loss that
 * lies in gaps of both sides is the worker's.
 *
 * The share of time so covered says what that is worth: were it 1, every loss would lie in a gap.
 */
#ifndef CONTROL_BENCH_LEDGER_H
#define CONTROL_BENCH_LEDGER_H

#include "control/bench_events.h"

#include <stddef.h>

enum bench_ledger_side { BENCH_LEDGER_WORKER, BENCH_LEDGER_GENERATOR, BENCH_LEDGER_SIDES };

struct bench_ledger_gaps {
    struct bench_event *list;
    size_t count, cap;
};

struct bench_ledger {
    int64_t ring_ns; /* what a ring lasts */
    double factor;   /* of recovery; 0: none takes time */
    struct bench_ledger_gaps gaps[BENCH_LEDGER_SIDES], losses;
    bool is_incomplete; /* no memory for an event */
};

struct bench_ledger_sum {
    uint64_t gaps[BENCH_LEDGER_SIDES];
    int64_t longest_ns[BENCH_LEDGER_SIDES];
    uint64_t lost, lost_in[BENCH_LEDGER_SIDES], lost_outside; /* lost = lost_in[] + lost_outside */
    int64_t first_outside_ns;                                 /* when; 0: none */
    int64_t covered_ns;                                       /* in gaps of either side, and their recovery */
};

/* Takes an event of a side's. Losses lie where they lie, whoever saw them. */
void bench_ledger_put(struct bench_ledger *l, enum bench_ledger_side side, const struct bench_event *event);

/* Of all that was put in; once, for it is changed. */
struct bench_ledger_sum bench_ledger_sum(struct bench_ledger *l);
void bench_ledger_fini(struct bench_ledger *l);

#endif
