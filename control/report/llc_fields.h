/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of LLC frames that the control plane handles: those without SNDCP. */
#ifndef CONTROL_REPORT_LLC_FIELDS_H
#define CONTROL_REPORT_LLC_FIELDS_H

#include "control/report/field.h"

/* Rows of the object that llc_fields_each() puts; record: struct node_fields. */
extern const struct field llc_fields[];
void llc_fields_each(const void *record, struct field_sink *sink);

/* Rows of the record that llc_fields_put_counts() puts, and of each that llc_fields_put_unhandled() puts: UI
 * frames of SAPI 1 and 7 that nothing handles, by message. */
struct lua_llc;
extern const struct field llc_fields_counts[], llc_fields_unhandled[];
void llc_fields_put_counts(const struct lua_llc *llc, struct field_sink *sink);
void llc_fields_put_unhandled(const struct lua_llc *llc, struct field_sink *sink);

#endif
