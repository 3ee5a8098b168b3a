/* SPDX-License-Identifier: BSD-3-Clause */
/* The exporter: which tables of a node are metrics, and the HTTP server that answers with them. */
#ifndef CONTROL_LIVE_EXPORTER_H
#define CONTROL_LIVE_EXPORTER_H

struct live;
struct live_config;
struct metrics_http;

/* The server of metrics by this configuration, which has one. NULL, with a line on stderr: failed. */
struct metrics_http *live_exporter_start(struct live *live, const struct live_config *config);

#endif
