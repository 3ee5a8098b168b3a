/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times for which mobiles wait, by cause (dataplane/sched/wait.h): of a mobile in the last minute, of a cell
 * since the start.
 *
 * Model: a sample of each mobile's sums every WAITS_PERIOD_NS. The last minute of a mobile begins at the
 * oldest of WAITS_SAMPLES samples: 40 to 60 s ago, or when the worker got the mobile. The increase between
 * two samples counts for the cell in which the mobile is at the second one.
 */
#ifndef CONTROL_REPORT_WAITS_H
#define CONTROL_REPORT_WAITS_H

#include "control/report/field.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/wait.h"

#include <stdbool.h>
#include <stdint.h>

#define WAITS_SAMPLES   3
#define WAITS_PERIOD_NS (20 * MOMENT_SECOND)
#define WAITS_SLICES    40 /* in a period */

struct waits_ms {
    uint32_t ticks[WAITS_SAMPLES][SCHED_WAIT_CAUSES]; /* the oldest is at `next` once there are all */
    uint32_t born_ticks;
    uint8_t count, next;
};

struct waits_cell {
    int64_t ticks[SCHED_WAIT_CAUSES];
    uint32_t id;
};

/* A cell: its index, and its NSEI and BVCI. Another cell with this index begins at 0. */
struct waits_at {
    uint32_t index, id;
};

struct waits {
    struct waits_ms *mobiles;
    struct waits_cell *cells;
    uint32_t mobile_count, cell_count;
    uint32_t slice; /* of the mobiles: the next to sample, at due_ns */
    int64_t due_ns;
};

/* False: out of memory. */
bool waits_new(struct waits *w, uint32_t mobiles, uint32_t cells);
void waits_free(struct waits *w);

/* The mobiles to sample now, *first to *end - 1; false: none until w->due_ns. */
bool waits_begin(struct waits *w, int64_t now, uint32_t *first, uint32_t *end);

/* A sample of a mobile in a cell. */
void waits_sample(struct waits *w, uint32_t mobile, struct waits_at cell, const struct sched_wait_now *now);

/* The share of the last minute that a mobile waited for each cause, in percent. */
void waits_shares(const struct waits *w, uint32_t mobile, const struct sched_wait_now *now,
                  uint64_t percent[SCHED_WAIT_CAUSES]);

/* Microseconds for which mobiles of a cell waited for a cause, all mobiles together. */
uint64_t waits_cell_us(const struct waits *w, struct waits_at cell, enum sched_wait_cause cause);

#endif
