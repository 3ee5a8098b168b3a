/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies changed queue limits, lifetimes, weights and budgets to a running node. */
#ifndef CONTROL_LIVE_RELOAD_LIMITS_H
#define CONTROL_LIVE_RELOAD_LIMITS_H

struct live;
struct node_config;

/* Requests all of them at all workers, and enters them in the node's configuration. Limits above those of the
 * start, for which memory was allocated, have been rejected before. */
void live_reload_limits_apply(struct live *live, const struct node_config *config);

#endif
