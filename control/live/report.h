/* SPDX-License-Identifier: BSD-3-Clause */
/* What a live node has counted, as a table and as JSON (fields: docs/serve.md). */
#ifndef CONTROL_LIVE_REPORT_H
#define CONTROL_LIVE_REPORT_H

#include "control/live/live.h"

#include <stdbool.h>

void live_report_print(const struct live *live);

/* False, with a line on stderr, when the file cannot be written. */
bool live_report_write(const struct live *live, const char *path);

#endif
