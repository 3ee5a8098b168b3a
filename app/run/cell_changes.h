/* SPDX-License-Identifier: BSD-3-Clause */
/* Cell changes of a run: those that the scenario lists, and those of mobiles that move (bss/motion.h), which
 * reselect cells by their levels (bss/reselect.h) and have no cell meanwhile (bss/cell_gap.h). */
#ifndef APP_RUN_CELL_CHANGES_H
#define APP_RUN_CELL_CHANGES_H

#include "app/run/run.h"
#include "control/report/field.h"

#include <stdbool.h>
#include <stdint.h>

/* Puts the mobiles that move in their places. False, with a line on stderr: out of memory. */
bool run_cell_changes_new(struct scenario_run *r);
void run_cell_changes_free(struct scenario_run *r);

/* An actor of the loop that carries out the cell changes. */
int64_t run_cell_changes_step(void *run, int64_t now);

/* A line of the run's table; nothing without `mobility`. */
void run_cell_changes_print(struct scenario_run *r);

/* `reselection` of summary.json; run_cell_changes_each() takes the record of a summary and puts nothing
 * without `mobility`. */
extern const struct field run_cell_changes_fields[];
void run_cell_changes_each(const void *record, struct field_sink *sink);

#endif
