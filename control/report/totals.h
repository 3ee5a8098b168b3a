/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of workers that have to agree (dataplane/worker/tap.h). */
#ifndef CONTROL_REPORT_TOTALS_H
#define CONTROL_REPORT_TOTALS_H

#include "dataplane/worker/worker.h"

#include <stdbool.h>
#include <stdint.h>

struct totals {
    uint64_t in, out, dropped, queued; /* N-PDUs; queued is counted by walking the queues, and has those that
                                          wait for mobiles on the move */
    uint64_t left, joined;             /* to and from other workers */
    uint64_t frames, frames_accounted; /* of Gn, at the port */
    uint64_t gb_frames, gb_accounted;  /* of Gb, at the port, from other workers and from control */
    bool is_conserved;
};

/* Of one worker. */
struct totals totals_of(const struct worker *worker);

/* Of all of them, between steps: in = out + dropped + queued, and nothing on its way from one to another,
 * when they rest. */
struct totals totals_of_all(struct worker *const *workers, unsigned count);

/* Their counters, added up. */
struct worker_stats totals_stats(struct worker *const *workers, unsigned count);

#endif
