/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of a worker that have to agree (dataplane/worker/stats.h). */
#ifndef CONTROL_TOTALS_H
#define CONTROL_TOTALS_H

#include "dataplane/worker/worker.h"

#include <stdbool.h>
#include <stdint.h>

struct totals {
    uint64_t in, out, dropped, queued; /* N-PDUs; queued is counted by walking the queues */
    uint64_t frames, frames_accounted; /* of Gn, at the worker's port */
    bool is_conserved;
};

struct totals totals_of(const struct worker *worker);

#endif
