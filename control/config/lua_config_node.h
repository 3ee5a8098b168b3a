/* SPDX-License-Identifier: BSD-3-Clause */
/* From the checked table of a node (lua/node/schema.lua) to struct node_config. */
#ifndef CONTROL_CONFIG_LUA_CONFIG_NODE_H
#define CONTROL_CONFIG_LUA_CONFIG_NODE_H

#include "control/config/node_config.h"

#include <lua.h>

/* Reads the table on top of the stack, which stays there. Ends the program when memory is short. */
void lua_config_node(lua_State *L, struct node_config *config);

/* Reads the values of LLC's acknowledged mode in the table on top of the stack. */
void lua_config_node_link_values(lua_State *L, struct link_values *values);

/* Reads the ciphering key of the mobile on top of the stack, if it has one. */
void lua_config_node_ciphering(lua_State *L, struct llc_cipher_params *cipher);

/* Reads the AQM schemes of a checked configuration (lua/node/aqm.lua). */

/* Reads `aqm` of the `queues` on top of the stack, and of its classes, into the policy. */
void lua_config_aqm_read(lua_State *L, struct node_config *config);

/* Reads the keys that only a live node uses into config->live, from the checked node on top of the stack,
 * which stays there. */
void lua_config_live_read(lua_State *L, struct node_config *config);

#endif
