/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of a live node, for its telemetry: one table, the orders to capture, and what wakes control.
 */
#ifndef TESTS_FUZZ_LIVE_MODEL_H
#define TESTS_FUZZ_LIVE_MODEL_H

#include "control/live/live.h"

#include <semaphore.h>
#include <stdint.h>

enum { LIVE_MODEL_ROWS = 40 };

struct live_model_row {
    uint64_t number;
    const char *text;
};

/* The table's. */
extern struct live_model_row live_model_rows[LIVE_MODEL_ROWS];
extern unsigned live_model_row_count;

/* Tables and orders of this node. */
extern const struct telemetry_source live_model_source;
extern struct live live_model;

/* Posted when control is woken. */
extern sem_t live_model_wakes;

#endif
