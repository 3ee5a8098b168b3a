/* SPDX-License-Identifier: BSD-3-Clause */
/* The AQM schemes that a configuration may name, files among them, for lua/node/aqm.lua. */
#ifndef CONTROL_CONFIG_LUA_AQM_CHOICES_H
#define CONTROL_CONFIG_LUA_AQM_CHOICES_H

#include <lua.h>

/*
 * Opens the module: pushes a table and returns 1. kind is "scheme", "plugin" or "lua"; name: of the scheme,
 * of the plug-in's file, or the path of the Lua file.
 *   find(kind, name)           the scheme as of lua_aqm_push(), or nil and the reason; for a plug-in while
 *                              none may be loaded (plugin_folder.h): { is_unread = true, params = {} }
 *   check(kind, name, values)  nil, or the error in the values, which are in the order of the parameters
 */
int luaopen_gbflow_aqm_choices(lua_State *L);

#endif
