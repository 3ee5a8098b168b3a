/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths to GGSNs (docs/gtpu.md). */
#ifndef CONTROL_REPORT_PATH_FIELDS_H
#define CONTROL_REPORT_PATH_FIELDS_H

#include "control/report/field.h"

/* Rows of a path, and puts all paths that sessions ever had, in the order of their beginning; record: struct
 * node_fields. */
extern const struct field path_fields[];
void path_fields_each(const void *record, struct field_sink *sink);

#endif
