/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of `gbflow show` (docs/reference/show.md). Control makes them from its own data; of the workers
 * it reads only single counters, while they count.
 */
#ifndef CONTROL_LIVE_TABLES_H
#define CONTROL_LIVE_TABLES_H

#include "control/live/live.h"
#include "control/report/field.h"
#include "control/report/lua_rows.h"
#include "control/show/telemetry.h"
#include "dataplane/context/context.h"
#include "dataplane/context/context_look.h"

/* A row for each table, a list of records by name, in parts; record: struct live. */
extern const struct field live_tables[];

/* All orders; a name NULL ends them. */
extern const struct telemetry_order live_tables_orders[];

/* --- the tables of each noun: show_node.c, show_gb.c, ... --- */

extern const struct field show_node_tables[], show_gb_tables[], show_flows_tables[], show_sessions_tables[],
    show_compression_tables[], show_workers_tables[], show_links_tables[], show_log_tables[];

/* Orders of gbflow log (telemetry.h; show_log.c): sets the levels of stderr by a list of log_levels_set(),
 * all of it or nothing, and logs the asker; begins and ends to follow, parameters "WORD,LEVELS" as of
 * log_follow(). */
const char *show_log_set(void *record, const char *list, const struct asker *asker);
const char *show_log_follow(void *record, const char *parameters, int fd);
void show_log_leave(void *record, int fd);

/* The control core, of the record of a table: for LUA_ROWS_RECORD() and LUA_ROWS_LIST(). */
#define SHOW_CORE (&((const struct live *)record)->node.core)

/* For struct lua_list, of a table some of whose facts are not in Lua. */
struct show_filling {
    const struct live *live;
    struct field_sink *sink;
    uint32_t next; /* of cells: where the next one is looked for first */
};

/* The order `subscriber`: an object of sections, each an object or a list of objects, of the mobile with an
 * IMSI, TLLI, P-TMSI or address; or one with "error". */
struct json_t *show_subscriber_tell(void *record, const char *parameters);

/* Of these the final report has the control core and the ports. */
extern const struct field show_node_control[], show_links_ports[];
void show_node_each_control(const void *record, struct field_sink *sink);
void show_links_each_port(const void *record, struct field_sink *sink);

/* The live state of a mobile, cell, link or class for the tables: bucket and queue as they are now, rates and
 * sojourns of the last second. */

/* FIELD_NONE: not known, as while a mobile moves between workers. */
struct show_state {
    struct context_look look;
    struct gb_abm_look llc; /* of a mobile */
    const char *waits_for;  /* of a mobile, and the share of the last minute for each cause */
    uint64_t wait_percent[SCHED_WAIT_CAUSES];
    uint64_t in_bps, out_bps, in_per_s, out_per_s, dropped_per_s, marked_per_s;
    uint64_t sojourn_p50_us, sojourn_p95_us;
    char reasons[WATCH_REASON_CHARS];
};

/* Rows for records of struct show_state: the bucket, the queue, and the last second. */
extern const struct field show_state_bucket[], show_state_queue[], show_state_second[], show_state_waits[];

/* Sets the last second's figures of a key. */
void show_state_second_of(struct show_state *state, const struct live *live, const struct watch_key *key);

/* A mobile by its slot, with the N-PDUs that its contexts sent and that were dropped at its worker. */
void show_state_ms(struct show_state *state, const struct live *live, uint32_t slot, uint64_t *sent,
                   uint64_t *dropped);

/* The worker that serves a mobile, and its slot there: the home's, or of a guest the one that its home knows.
 * False: none at the moment. */
bool show_state_find_ms(const struct node *node, uint32_t *slot, unsigned *worker);

/* Whether a mobile is in STANDBY, by its worker. */
bool show_state_is_standby(const struct live *live, uint32_t slot);

/* Samples the times for which some mobiles wait; the instant of the next call. */
int64_t show_state_sample(struct live *live, int64_t now);

/* A cell and an NSE by their index in the configuration. */
void show_state_bvc(struct show_state *state, const struct live *live, uint16_t cell);
void show_state_link(struct show_state *state, const struct live *live, uint16_t nse);

#endif
