/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a node's configuration file through lua/schema/config.lua: sandboxed, checked by its schema. */
#ifndef CONTROL_CONFIG_LUA_CONFIG_H
#define CONTROL_CONFIG_LUA_CONFIG_H

#include "control/config/node_config.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/* The modules in C that lua/ requires: codecs, ciphers, AQM schemes. For lua_host_new(). */
extern const luaL_Reg lua_modules[];

/*
 * Loads a node configuration. True: *config is filled in (free it with node_config_free()), and the checked
 * table is on top of the stack for the Lua control plane. False: the errors were printed to stderr, a line
 * each, and nothing is pushed. Warnings are printed too.
 */
bool lua_config_load_node(lua_State *L, const char *path, struct node_config *config);

#endif
