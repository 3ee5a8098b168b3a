/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a table of a running node over its telemetry socket and prints it: the client of telemetry.h. */
#ifndef CONTROL_LIVE_SHOW_H
#define CONTROL_LIVE_SHOW_H

#include <stdbool.h>

struct json_t;

struct show_options {
    const char *what, *prefix;
    bool is_json;
};

/* Sends a command to a running node. False, with a line on stderr: it failed. */
bool show_order(const char *prefix, const char *what, const char *parameters);

/* Whether nodes have a table of that name. */
bool show_is_table(const char *what);

/* A table's rows, behind two that name the columns and their kinds; the caller's. NULL, with a line on
 * stderr, when no node answers. */
struct json_t *show_rows(const char *prefix, const char *what);

/* False, with a line on stderr, when no node answers. */
bool show_table(const struct show_options *options);

#endif
