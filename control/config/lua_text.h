/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a configuration into a Lua state, as text or as its checked table, and prints errors and warnings to
 * stderr. */
#ifndef CONTROL_CONFIG_LUA_TEXT_H
#define CONTROL_CONFIG_LUA_TEXT_H

#include <lua.h>
#include <stdbool.h>
#include <stdio.h>

/* Pushes the text of a file, without its byte order mark; a FIFO is read once, however often it is pushed.
 * False, with a line on stderr and nothing pushed, when it cannot be read. */
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

/* The same of an open file, which is closed; path: its name in lines. */
bool lua_text_load_opened(lua_State *L, const char *path, FILE *file, const char *kind);

#define LUA_TEXT_LINES 20 /* printed of a list */

/* Prints the first LUA_TEXT_LINES of the list of lines on top of the stack to stderr, `kind` before each, and
 * how many more there are; pops it. */
void lua_text_print_lines(lua_State *L, const char *kind);

#endif
