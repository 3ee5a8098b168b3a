/* SPDX-License-Identifier: BSD-3-Clause */
/* What a replay prints and writes at its end. */
#ifndef CONTROL_REPLAY_REPORT_H
#define CONTROL_REPLAY_REPORT_H

#include "control/replay.h"

#include <stdbool.h>

/* Sums that have to agree. */
struct replay_totals {
    uint64_t in, out, dropped, queued; /* N-PDUs; queued is counted by walking the queues */
    uint64_t frames, frames_accounted; /* of Gn, at the worker's port */
    bool is_conserved;
};

struct replay_totals replay_report_totals(const struct replay *r);

/* The table per mobile and the totals, for a person. */
void replay_report_print(const struct replay *r);

/* The JSON report (docs/replay.md); false, with a line on stderr, when it cannot be written. */
bool replay_report_write(const struct replay *r, const char *path);

#endif
