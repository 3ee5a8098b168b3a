/* SPDX-License-Identifier: BSD-3-Clause */
/* What a replay prints and writes at its end. */
#ifndef APP_REPLAY_REPORT_H
#define APP_REPLAY_REPORT_H

#include "app/replay/replay.h"
#include "control/report/field.h"

#include <stdbool.h>

/* The table per mobile and the totals, for a person. */
void replay_report_print(struct replay *r);

/* The fields of the JSON report. */
extern const struct field replay_report[];

/* Writes it (docs/replay.md). False, with a line on stderr, when it cannot be written. */
bool replay_report_write(struct replay *r, const char *path);

#endif
