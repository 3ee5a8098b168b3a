/* SPDX-License-Identifier: BSD-3-Clause */
/* Final report of a live node, as text and as JSON (docs/reference/serve-report.md). */
#ifndef CONTROL_LIVE_REPORT_H
#define CONTROL_LIVE_REPORT_H

#include "control/live/live.h"
#include "control/report/field.h"

#include <stdbool.h>

void live_report_print(const struct live *live);

/* The fields of the JSON report. */
extern const struct field live_report[];

/* False, with a line on stderr, when the file cannot be written. */
bool live_report_write(const struct live *live, const char *path);

#endif
