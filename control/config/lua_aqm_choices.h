/* SPDX-License-Identifier: BSD-3-Clause */
/* The AQM schemes that a configuration may name, files among them, for lua/node/aqm_schema.lua. */
#ifndef CONTROL_CONFIG_LUA_AQM_CHOICES_H
#define CONTROL_CONFIG_LUA_AQM_CHOICES_H

#include <lua.h>

/*
 * Opens the module: pushes a table and returns 1. kind is "scheme", "plugin" or "lua", name that or a path.
 *   find(kind, name)           the scheme as lua_aqm_push() has it, or nil and why there is none
 *   check(kind, name, values)  nil, or what is wrong with the values, in the order of its parameters
 */
int luaopen_gbflow_aqm_choices(lua_State *L);

#endif
