/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An HTTP server for Prometheus: GET /metrics, /healthz (control answers) and /readyz (a cell can send). A
 * thread of its own asks control as DPDK's telemetry does.
 *
 * Limits: 16 KiB of a request, GET and HEAD only, one request of a connection, and those of metrics_http.h.
 */
#ifndef CONTROL_SHOW_METRICS_HTTP_H
#define CONTROL_SHOW_METRICS_HTTP_H

#include "control/show/metrics.h"
#include "control/show/telemetry.h"

struct metrics_http_options {
    const char *address; /* IPv4 or IPv6, local */
    uint16_t port;       /* TCP */
    const struct metrics_table
        *tables;       /* a table NULL ends the list; those without such a table are left out */
    unsigned rows_max; /* of table `limited`; 0: the table is left out */
    const char *limited;
    const char *ready_table, *ready_column, *ready_value; /* ready: a row of the table has this value */
};

struct metrics_http;

/* Starts the server; telemetry and options must outlive it. NULL, with a line on stderr: failed. */
struct metrics_http *metrics_http_start(struct telemetry *telemetry,
                                        const struct metrics_http_options *options);

/* After telemetry_stop(); NULL has no effect. */
void metrics_http_stop(struct metrics_http *http);

#endif
