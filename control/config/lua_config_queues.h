/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads queues, flow control and link rates from the checked table of a node's configuration
 * (lua/node/schema_queues.lua). */
#ifndef CONTROL_CONFIG_LUA_CONFIG_QUEUES_H
#define CONTROL_CONFIG_LUA_CONFIG_QUEUES_H

#include "control/config/node_config.h"

#include <lua.h>

/* Reads `gb` of the NSE on top of the stack, which stays there. */
void lua_config_queues_link(lua_State *L, struct sched_link_rate *link);

/* Reads `flow_control` of the cell or node on top of the stack. */
void lua_config_queues_policy(lua_State *L, struct gb_policy *policy);

/* Reads `queues` and `flow_control` of the node on top of the stack into its policy and limits. Its other
 * limits must have been read before. */
void lua_config_queues_read(lua_State *L, struct node_config *config);

#endif
