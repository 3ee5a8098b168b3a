/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of Gb: NS-VCs, cells, and what the Gb control plane has counted. record: struct live. */
#ifndef CONTROL_LIVE_SHOW_GB_H
#define CONTROL_LIVE_SHOW_GB_H

#include "control/report/field.h"

extern const struct field show_gb_nsvcs[], show_gb_bvcs[], show_gb_counts[];

void show_gb_each_nsvc(const void *record, struct field_sink *sink);
void show_gb_each_bvc(const void *record, struct field_sink *sink);
void show_gb_each_count(const void *record, struct field_sink *sink);

#endif
