/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the AQM schemes of a checked configuration (lua/node/aqm.lua). */
#ifndef CONTROL_CONFIG_LUA_CONFIG_AQM_H
#define CONTROL_CONFIG_LUA_CONFIG_AQM_H

#include "control/config/node_config.h"

#include <lua.h>

/* Reads `aqm` of the `queues` on top of the stack, and of its classes, into the policy. */
void lua_config_aqm_read(lua_State *L, struct node_config *config);

#endif
