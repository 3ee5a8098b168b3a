/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CONTROL_LIVE_SHOW_SESSIONS_H
#define CONTROL_LIVE_SHOW_SESSIONS_H

#include "control/report/field.h"

/* show_sessions.c: NS-VCs, cells, and the counters of the Gb control plane. */
extern const struct field show_gb_nsvcs[], show_gb_bvcs[], show_gb_counts[];

void show_gb_each_nsvc(const void *record, struct field_sink *sink);
void show_gb_each_bvc(const void *record, struct field_sink *sink);
void show_gb_each_count(const void *record, struct field_sink *sink);

/* show_sessions.c: Gb links, traffic classes, classes of cells, and drops of cells. */
extern const struct field show_flows_links[], show_flows_classes[], show_flows_cells[], show_flows_drops[];

void show_flows_each_link(const void *record, struct field_sink *sink);
void show_flows_each_class(const void *record, struct field_sink *sink);
void show_flows_each_cell(const void *record, struct field_sink *sink);
void show_flows_each_drop(const void *record, struct field_sink *sink);

/* show_sessions.c: mobiles, PDP contexts, and contexts over GTP-C. */
extern const struct field show_sessions_mobiles[], show_sessions_contexts[], show_sessions_gtpc[],
    show_sessions_subscribers[], show_sessions_events[];

void show_sessions_each_mobile(const void *record, struct field_sink *sink);
void show_sessions_each_context(const void *record, struct field_sink *sink);
void show_sessions_each_gtpc(const void *record, struct field_sink *sink);
void show_sessions_each_subscriber(const void *record, struct field_sink *sink);
void show_sessions_each_event(const void *record, struct field_sink *sink);

#endif
