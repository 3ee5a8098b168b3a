/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a live node that are metrics (control/show/metrics.h). */
#ifndef CONTROL_LIVE_METRICS_TABLES_H
#define CONTROL_LIVE_METRICS_TABLES_H

#include "control/show/metrics.h"

/* A table NULL ends the list. */
extern const struct metrics_table live_metrics_tables[];

#endif
