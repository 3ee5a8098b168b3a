/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CONTROL_LIVE_SHOW_NODE_H
#define CONTROL_LIVE_SHOW_NODE_H

#include "control/report/field.h"

/* show_node.c: workers, drops by reason, and AQM schemes. */
extern const struct field show_workers[], show_workers_drops[], show_workers_handled[], show_workers_aqm[];

void show_workers_each(const void *record, struct field_sink *sink);
void show_workers_each_drop(const void *record, struct field_sink *sink);
void show_workers_each_handled(const void *record, struct field_sink *sink);
void show_workers_each_aqm(const void *record, struct field_sink *sink);

/* show_node.c: the node, its GTP-U paths (rows: path_fields), and LLC frames to control (rows:
 * llc_fields_counts, llc_fields_unhandled). */
extern const struct field show_node[];

void show_node_each(const void *record, struct field_sink *sink);
void show_node_each_path(const void *record, struct field_sink *sink);
void show_node_each_llc(const void *record, struct field_sink *sink);
void show_node_each_unhandled(const void *record, struct field_sink *sink);

/* show_node.c: the control core. */
extern const struct field show_control[];

void show_control_each(const void *record, struct field_sink *sink);

/* show_node.c: next hops of the links, the capture, the ports, and events of GTP-C. */
extern const struct field show_links_neighbours[], show_links_capture[], show_links_ports[],
    show_links_gtpc_counts[];

void show_links_each_neighbour(const void *record, struct field_sink *sink);
void show_links_each_capture(const void *record, struct field_sink *sink);
void show_links_each_port(const void *record, struct field_sink *sink);
void show_links_each_gtpc_counts(const void *record, struct field_sink *sink);

#endif
