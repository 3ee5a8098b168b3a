/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capabilities that can be left out, in `gbflow doctor` and `gbflow check`: the rows of capabilities.def. A
 * capability has a folder of its own below app/, with both functions; its commands are rows of app/main.c,
 * its options of other commands lines there.
 */
#ifndef APP_CAPABILITIES_H
#define APP_CAPABILITIES_H

#include <stdbool.h>
#include <stdint.h>

struct findings;
struct node_config;

/* Adds their findings about the machine, behind those that each node needs, in the order of the rows. */
void capabilities_examine(struct findings *d);

/* Checks the files that a node's configuration, of the file config_path, names for them, and counts their
 * associations. False, with lines on stderr: one is wrong. */
bool capabilities_check(const struct node_config *config, const char *config_path, int64_t *associations);

#endif
