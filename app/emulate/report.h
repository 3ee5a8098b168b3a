/* SPDX-License-Identifier: BSD-3-Clause */
/* Final report of an emulated BSS, as text and as JSON. */
#ifndef APP_EMULATE_REPORT_H
#define APP_EMULATE_REPORT_H

#include "app/emulate/emulate.h"
#include "control/report/field.h"

void emulate_report_print(const struct emulate *e);

/* The fields of the JSON report. */
extern const struct field emulate_report[];

/* Writes the JSON report (docs/emulate.md). False, with a line on stderr, when it cannot be written. */
bool emulate_report_write(const struct emulate *e, const char *path);

#endif
