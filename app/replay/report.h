/* SPDX-License-Identifier: BSD-3-Clause */
/* The table and the JSON report of a replay. */
#ifndef APP_REPLAY_REPORT_H
#define APP_REPLAY_REPORT_H

#include "app/replay/replay.h"
#include "control/report/field.h"

#include <stdbool.h>

/* Prints the table per mobile and the totals. */
void replay_report_print(struct replay *r);

/* The fields of the JSON report. */
extern const struct field replay_report[];

/* Writes the JSON report (docs/replay.md). False, with a line on stderr, when it cannot be written. */
bool replay_report_write(struct replay *r, const char *path);

#endif
