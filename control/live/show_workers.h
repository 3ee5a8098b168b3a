/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of workers, drops by reason, and AQM schemes. record: struct live. */
#ifndef CONTROL_LIVE_SHOW_WORKERS_H
#define CONTROL_LIVE_SHOW_WORKERS_H

#include "control/report/field.h"

extern const struct field show_workers[], show_workers_drops[], show_workers_aqm[];

void show_workers_each(const void *record, struct field_sink *sink);
void show_workers_each_drop(const void *record, struct field_sink *sink);
void show_workers_each_aqm(const void *record, struct field_sink *sink);

#endif
