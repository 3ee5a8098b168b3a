/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of `gbflow show` (docs/reference/show.md). Control makes them from its own data; of the workers
 * it reads only single counters, while they count.
 */
#ifndef CONTROL_LIVE_TABLES_H
#define CONTROL_LIVE_TABLES_H

#include "control/live/live.h"
#include "control/report/field.h"
#include "control/show/telemetry.h"
#include "control/show/metrics.h"
#include "dataplane/context/context.h"
#include "dataplane/context/context_look.h"

/* A row for each table, a list of records by name; record: struct live. */
extern const struct field live_tables[];

/* The tables that are metrics; a table NULL ends the list. */
extern const struct metrics_table live_tables_metrics[];

/* All orders; a name NULL ends them. */
extern const struct telemetry_order live_tables_orders[];

/* --- rows of the tables --- */

/* show_node.c: workers, drops by reason, and AQM schemes. */
extern const struct field show_workers[], show_workers_drops[], show_workers_handled[], show_workers_aqm[];

void show_workers_each(const void *record, struct field_sink *sink);
void show_workers_each_drop(const void *record, struct field_sink *sink);
void show_workers_each_handled(const void *record, struct field_sink *sink);
void show_workers_each_aqm(const void *record, struct field_sink *sink);

/* show_node.c: the node, its GTP-U paths (rows: path_fields), the TCP of workers (rows:
 * worker_fields_pacing_counts), acknowledged mode (rows: worker_fields_abm_counts), and LLC frames to control
 * (rows: llc_fields_counts, llc_fields_unhandled). */
extern const struct field show_node[];

void show_node_each(const void *record, struct field_sink *sink);
void show_node_each_path(const void *record, struct field_sink *sink);
void show_node_each_pacing(const void *record, struct field_sink *sink);
void show_node_each_acknowledged(const void *record, struct field_sink *sink);
void show_node_each_llc(const void *record, struct field_sink *sink);
void show_node_each_unhandled(const void *record, struct field_sink *sink);

/* show_node.c: the control core. */
extern const struct field show_control[];

void show_control_each(const void *record, struct field_sink *sink);

/* show_node.c: next hops of the links, the capture, the ports, and events of GTP-C. */
extern const struct field show_links_neighbours[], show_links_capture[], show_links_ports[],
    show_links_port_counts[], show_links_gtpc_counts[];

void show_links_each_neighbour(const void *record, struct field_sink *sink);
void show_links_each_capture(const void *record, struct field_sink *sink);
void show_links_each_port(const void *record, struct field_sink *sink);
void show_links_each_port_count(const void *record, struct field_sink *sink);
void show_links_each_gtpc_counts(const void *record, struct field_sink *sink);

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

/* The live state of a mobile, cell, link or class for the tables: bucket and queue as they are now, rates and
 * sojourns of the last second. */

/* FIELD_NONE: not known, as while a mobile moves between workers. */
struct show_state {
    struct context_look look;
    struct gb_abm_look llc; /* of a mobile */
    uint64_t in_bps, out_bps, in_per_s, out_per_s, dropped_per_s, marked_per_s;
    uint64_t sojourn_p50_us, sojourn_p95_us;
    char reasons[WATCH_REASON_CHARS];
};

/* Rows for records of struct show_state: the bucket, the queue, and the last second. */
extern const struct field show_state_bucket[], show_state_queue[], show_state_second[];

/* Sets the last second's figures of a key. */
void show_state_second_of(struct show_state *state, const struct live *live, const struct watch_key *key);

/* A mobile by its slot, with the N-PDUs that its contexts sent and that were dropped at its worker. */
void show_state_ms(struct show_state *state, const struct live *live, uint32_t slot, uint64_t *sent,
                   uint64_t *dropped);

/* A cell and an NSE by their index in the configuration. */
void show_state_bvc(struct show_state *state, const struct live *live, uint16_t cell);
void show_state_link(struct show_state *state, const struct live *live, uint16_t nse);

#endif
