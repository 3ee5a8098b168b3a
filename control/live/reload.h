/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies a changed configuration to a running node by messages to the workers. Unchanged parts are not
 * affected. */
#ifndef CONTROL_LIVE_RELOAD_H
#define CONTROL_LIVE_RELOAD_H

struct live;

/*
 * Reads the configuration file again and applies all differences, or none if the file has an error or a
 * change that a running node cannot make. Prints the result to stderr.
 */
void live_reload(struct live *live);

#endif
