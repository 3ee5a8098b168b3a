/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON of a record, by its table of fields. */
#ifndef CONTROL_REPORT_FIELD_JSON_H
#define CONTROL_REPORT_FIELD_JSON_H

#include "control/report/field.h"

#include <jansson.h>

/* An object with a member for each row, the caller's. Texts that are not UTF-8: control/base/utf8.h. */
json_t *field_json(const struct field *rows, const void *record);

/* Writes it, indented. False, with a line on stderr, when the file cannot be written. */
bool field_json_write(const struct field *rows, const void *record, const char *path);

#endif
