/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the text of a configuration into a Lua state, and prints its errors and warnings to stderr. */
#ifndef CONTROL_CONFIG_LUA_TEXT_H
#define CONTROL_CONFIG_LUA_TEXT_H

#include <lua.h>
#include <stdbool.h>

/* Pushes the text of a file; false, with a line on stderr and nothing pushed, when it cannot be read. */
bool lua_text_push(lua_State *L, const char *path);

/* As lua_text_push(), of a regular file only: a reader of a FIFO without a writer would wait for ever. */
bool lua_text_push_regular(lua_State *L, const char *path);

#define LUA_TEXT_LINES 20 /* printed of a list */

/* Prints the first LUA_TEXT_LINES of the list of lines on top of the stack to stderr, `kind` before each, and
 * how many more there are; pops it. */
void lua_text_print_lines(lua_State *L, const char *kind);

#endif
