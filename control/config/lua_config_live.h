/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the keys of a node's configuration that only a live node uses. */
#ifndef CONTROL_CONFIG_LUA_CONFIG_LIVE_H
#define CONTROL_CONFIG_LUA_CONFIG_LIVE_H

#include "control/base/live_config.h"

#include <lua.h>

/* Fills in *live from a checked node on top of the stack, which stays there. */
void lua_config_live_read(lua_State *L, struct live_config *live);

#endif
