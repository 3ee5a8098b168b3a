/* SPDX-License-Identifier: BSD-3-Clause */
/* A Lua state with the program's own modules: `require` finds those embedded from lua/ and those in C that
 * the state was made with, and no file. */
#ifndef CONTROL_LUA_LUA_HOST_H
#define CONTROL_LUA_LUA_HOST_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

/* A new state, NULL without memory; at most 1 GiB of memory are its own. `modules` are those in C, by the
 * name that `require` takes; the last row is all NULL. */
lua_State *lua_host_new(const luaL_Reg *modules);

/* Closes it; NULL is allowed. */
void lua_host_free(lua_State *L);

/*
 * For a state that others wait for: its garbage waits until there is time for it. From then on
 * lua_host_tidy() does some of that, a few microseconds, when there is nothing else to do; false: it is not
 * worth while. lua_host_hurry() is called while there is: when too much waits, Lua collects as it goes.
 */
void lua_host_defer(lua_State *L);
bool lua_host_tidy(lua_State *L);
void lua_host_hurry(lua_State *L);

/*
 * Calls what stands on the stack as lua_pcall() does. A failure here is a defect of ours or a lack of memory,
 * never the operator's: it is printed with a traceback and ends the program.
 */
void lua_host_call(lua_State *L, int arguments, int results);

/* Pushes a module's table. */
void lua_host_require(lua_State *L, const char *module);

#endif
