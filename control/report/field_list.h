/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a report as a list, by path: "npdu.in", "sessions[].teid", "classes.CLASS.drops.REASON". */
#ifndef CONTROL_REPORT_FIELD_LIST_H
#define CONTROL_REPORT_FIELD_LIST_H

#include "control/report/field.h"

/* path holds until the call returns; when: the condition of the field or of what holds it, NULL: always
 * there. */
struct field_list_row {
    const char *path;
    const struct field *field;
    const char *when;
};

/* Calls each() for all of them in order, those that hold others in front of these. */
void field_list(const struct field *rows, void (*each)(void *arg, const struct field_list_row *row),
                void *arg);

#endif
