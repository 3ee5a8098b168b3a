/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks a running node for a table and prints it: the other end of telemetry.h. */
#ifndef CONTROL_SHOW_H
#define CONTROL_SHOW_H

#include <stdbool.h>

struct show_options {
    const char *what, *prefix;
    bool is_json;
};

/* Whether nodes have a table of that name. */
/* Orders something of a running node by its command. False, with a line on stderr: it was not done. */
bool show_order(const char *prefix, const char *what, const char *parameters);

bool show_is_table(const char *what);

/* False, with a line on stderr, when no node answers. */
bool show_table(const struct show_options *options);

#endif
