/* SPDX-License-Identifier: BSD-3-Clause */
/* How much may wait in a running node, for how long, and who goes first: from a changed configuration. */
#ifndef CONTROL_LIVE_RELOAD_LIMITS_H
#define CONTROL_LIVE_RELOAD_LIMITS_H

struct live;
struct node_config;

/* Orders all of it from all workers, and takes it over. Limits of what memory was taken for stay those of the
 * start: more than that has been refused. */
void live_reload_limits_apply(struct live *live, const struct node_config *config);

#endif
