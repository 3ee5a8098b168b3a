/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of `gbflow show` (docs/reference/show.md). Control makes them from its own data; of the workers
 * it reads only single counters, while they count.
 */
#ifndef CONTROL_LIVE_TABLES_H
#define CONTROL_LIVE_TABLES_H

#include "control/report/field.h"
#include "control/show/telemetry.h"
#include "control/show/metrics.h"

/* A row for each table, a list of records by name; record: struct live. */
extern const struct field live_tables[];

/* The tables that are metrics; a table NULL ends the list. */
extern const struct metrics_table live_tables_metrics[];

/* All orders; a name NULL ends them. */
extern const struct telemetry_order live_tables_orders[];

#endif
