/* SPDX-License-Identifier: BSD-3-Clause */
/* A changed configuration, applied to a running node by messages; what is not touched does not notice. */
#ifndef CONTROL_LIVE_RELOAD_H
#define CONTROL_LIVE_RELOAD_H

struct live;

/*
 * Reads the configuration file again and applies what is different: all of it, or nothing when it is wrong or
 * has a change that a running node cannot make. Either is said on stderr.
 */
void live_reload(struct live *live);

#endif
