/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths to GGSNs in JSON reports. */
#ifndef CONTROL_REPORT_PATH_REPORT_H
#define CONTROL_REPORT_PATH_REPORT_H

#include "control/core/core.h"

#include <jansson.h>

/* A list of all paths that contexts ever had, in the order of their beginning (docs/gtpu.md). */
json_t *path_report(const struct core *core);

#endif
