/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables as metrics: Prometheus' text format 0.0.4 and OpenMetrics 1.0. Each number of a table is a family
 * gbflow_FAMILY_COLUMN with the same sentence as in docs/, a sample for each row:
 *
 *   - a counter ends in _total; a column `count` adds no name,
 *   - units are written out and basic: _us and _s become _seconds, bps becomes octets_per_second,
 *   - `ms` becomes `mobile` and `gb` becomes `gbip`, as promtool reads both as units,
 *   - a column of states is a family of the value 1 with the state as a label,
 *   - a row with none of the table's labels has no samples.
 */
#ifndef CONTROL_SHOW_METRICS_H
#define CONTROL_SHOW_METRICS_H

#include "control/report/field.h"
#include "control/show/telemetry.h"

#include <stdio.h>

struct json_t;

#define METRICS_NAME_CHARS 128

/* A table that is exported. */
struct metrics_table {
    const char *table, *family;
    const char *labels, *states; /* names of columns, separated by commas; NULL: none */
};

enum metrics_format { METRICS_TEXT, METRICS_OPEN };

/* The family of a column; returns the factor of its values. */
double metrics_name(char out[METRICS_NAME_CHARS], const char *family, const struct field *field);

/* Writes the families of a table; rows are those of telemetry_ask(). */
void metrics_write(FILE *out, const struct metrics_table *what, const struct field *table,
                   const struct json_t *rows, enum metrics_format format);

/* Writes what runs and since when: gbflow_build_info and process_start_time_seconds (start_ns: since 1970).
 */
void metrics_write_process(FILE *out, int64_t start_ns, enum metrics_format format);

/*
 * An HTTP server for Prometheus: GET /metrics, /healthz (control answers) and /readyz (a cell can send). A
 * thread of its own asks control as DPDK's telemetry does.
 *
 * Limits: 16 KiB of a request, GET and HEAD only, one request of a connection, and those below.
 */

struct metrics_http_options {
    const char *address; /* IPv4 or IPv6, local */
    uint16_t port;       /* TCP */
    const struct metrics_table
        *tables;       /* a table NULL ends the list; those without such a table are left out */
    unsigned rows_max; /* of table `limited`; 0: the table is left out */
    const char *limited;
    int64_t start_ns;                                     /* of the process, since 1970 */
    const char *ready_table, *ready_column, *ready_value; /* ready: a row of the table has this value */
};

struct metrics_http;

/* Starts the server; telemetry and what options point to must outlive it. NULL, with a line on stderr:
 * failed. */
struct metrics_http *metrics_http_start(struct telemetry *telemetry,
                                        const struct metrics_http_options *options);

/* Another rows_max of the options. */
void metrics_http_set_rows(struct metrics_http *http, unsigned rows_max);

/* In the control thread only after telemetry_stop(): its thread may wait for control. NULL has no effect. */
void metrics_http_stop(struct metrics_http *http);

#endif
