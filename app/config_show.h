/* SPDX-License-Identifier: BSD-3-Clause */
/* The configuration of a running node in other forms than a table; and what a reload answers. */
#ifndef APP_CONFIG_SHOW_H
#define APP_CONFIG_SHOW_H

#include <stdbool.h>

struct json_t;
struct show_options;

/* Each prints and returns an exit status. */
int config_show_file(const struct show_options *options);
int config_show_difference(const struct show_options *options);

/* Whether the node's configuration is this file; else with a line on stderr. */
bool config_show_is_of(const char *path, const char *config);

/* Orders a reload, or only its comparison, and waits for its end. The exit status. */
int config_show_reload(const char *path, bool is_trial, bool is_json);

#endif
