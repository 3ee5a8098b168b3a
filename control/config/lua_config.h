/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a configuration file through lua/schema/config.lua: sandboxed, checked by its schema. */
#ifndef CONTROL_CONFIG_LUA_CONFIG_H
#define CONTROL_CONFIG_LUA_CONFIG_H

#include "control/config/node_config.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/* Reads a configuration into a Lua state, as text or as its checked table, and prints errors and warnings to
 * stderr. */

/* Pushes the text of a file; false, with a line on stderr and nothing pushed, when it cannot be read. */
bool lua_text_push(lua_State *L, const char *path);

/* As lua_text_push(), of a regular file only: a reader of a FIFO without a writer would wait for ever. */
bool lua_text_push_regular(lua_State *L, const char *path);

#define LUA_TEXT_KIND 16

/* The kind of a file by lua/schema/config.lua: "node", "scenario", "bss" or "study"; "": no kind, or the text
 * fails to run without a scenario's random numbers. False, with a line on stderr: the file cannot be read. */
bool lua_text_kind(lua_State *L, const char *path, char kind[LUA_TEXT_KIND]);

/* Pushes the table of a file, checked by lua/KIND/schema.lua. False, with lines on stderr and nothing pushed:
 * it is wrong. */
bool lua_text_load_config(lua_State *L, const char *path, const char *kind);

#define LUA_TEXT_LINES 20 /* printed of a list */

/* Prints the first LUA_TEXT_LINES of the list of lines on top of the stack to stderr, `kind` before each, and
 * how many more there are; pops it. */
void lua_text_print_lines(lua_State *L, const char *kind);

/* The modules in C that lua/ requires: codecs, ciphers, AQM schemes. For lua_host_new(). */

extern const luaL_Reg lua_modules[];

/*
 * Loads a node configuration. True: *config is filled in (free it with node_config_free()), and the checked
 * table is on top of the stack for the Lua control plane. False: the errors were printed to stderr, a line
 * each, and nothing is pushed. Warnings are printed too.
 */
bool lua_config_load_node(lua_State *L, const char *path, struct node_config *config);

/* Reads the keys of a node's configuration that only a live node uses. */

/* Fills in config->live from a checked node on top of the stack, which stays there. */
void lua_config_live_read(lua_State *L, struct node_config *config);

#endif
