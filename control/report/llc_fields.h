/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of LLC frames that the control plane handles: those without SNDCP. */
#ifndef CONTROL_REPORT_LLC_FIELDS_H
#define CONTROL_REPORT_LLC_FIELDS_H

#include "control/report/field.h"

/* Rows of the object that llc_fields_each() puts; record: struct node_fields. */
extern const struct field llc_fields[];
void llc_fields_each(const void *record, struct field_sink *sink);

#endif
