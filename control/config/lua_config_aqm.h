/* SPDX-License-Identifier: BSD-3-Clause */
/* Which AQM schemes a checked configuration chooses (lua/node/aqm_schema.lua). */
#ifndef CONTROL_CONFIG_LUA_CONFIG_AQM_H
#define CONTROL_CONFIG_LUA_CONFIG_AQM_H

#include "control/config/node_config.h"

#include <lua.h>

/* The `aqm` of the `queues` on top of the stack, and those of its classes, into the policy. */
void lua_config_aqm_read(lua_State *L, struct node_config *config);

#endif
