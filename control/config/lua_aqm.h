/* SPDX-License-Identifier: BSD-3-Clause */
/* AQM schemes in Lua: the parameters that a configuration may set, checked by lua/node/aqm.lua.
 */
#ifndef CONTROL_CONFIG_LUA_AQM_H
#define CONTROL_CONFIG_LUA_AQM_H

#include "dataplane/aqm/aqm_registry.h"

#include <lua.h>

/* Opens the module: pushes a table with schemes(), the list of built-in schemes, and returns 1. */
int luaopen_gbflow_aqm(lua_State *L);

/* Pushes one scheme as the table that lua/node/aqm.lua describes. */
void lua_aqm_push(lua_State *L, const struct aqm_ops *ops);

/* Pushes a list of all schemes in a registry. */
void lua_aqm_push_all(lua_State *L, const struct aqm_registry *registry);

/*
 * The values of a scheme's parameters from settings "name=value". False, with a line on stderr for each
 * mistake, when one is wrong. values has room for AQM_MAX_PARAMS.
 */
bool lua_aqm_text_parse(const struct aqm_ops *ops, char *const *settings, unsigned count, int64_t *values);

/* The text of `gbflow aqm show`; the caller's to free(). NULL: out of memory. */
char *lua_aqm_text_describe(const struct aqm_ops *ops);

/* The reference of all schemes in Markdown, likewise. */
char *lua_aqm_text_document(const struct aqm_registry *registry);

/* The AQM schemes that a configuration may name, files among them, for lua/node/aqm.lua. */

/*
 * Opens the module: pushes a table and returns 1. kind is "scheme", "plugin" or "lua"; name: of the scheme,
 * of the plug-in's file, or the path of the Lua file.
 *   find(kind, name)           the scheme as of lua_aqm_push(), or nil and the reason; for a plug-in while
 *                              none may be loaded (plugin_folder.h): { is_unread = true, params = {} }
 *   check(kind, name, values)  nil, or the error in the values, which are in the order of the parameters
 */
int luaopen_gbflow_aqm_choices(lua_State *L);

#endif
