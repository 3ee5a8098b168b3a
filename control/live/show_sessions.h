/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of mobiles, PDP contexts, and contexts over GTP-C. record: struct live. */
#ifndef CONTROL_LIVE_SHOW_SESSIONS_H
#define CONTROL_LIVE_SHOW_SESSIONS_H

#include "control/report/field.h"

extern const struct field show_sessions_mobiles[], show_sessions_contexts[], show_sessions_gtpc[];

void show_sessions_each_mobile(const void *record, struct field_sink *sink);
void show_sessions_each_context(const void *record, struct field_sink *sink);
void show_sessions_each_gtpc(const void *record, struct field_sink *sink);

#endif
