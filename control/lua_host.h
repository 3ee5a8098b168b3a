/* SPDX-License-Identifier: BSD-3-Clause */
/* A Lua state with the program's own modules: `require` finds those embedded from lua/ and the codecs, and no
 * file. */
#ifndef CONTROL_LUA_HOST_H
#define CONTROL_LUA_HOST_H

#include <lua.h>

/* A new state, NULL when there is no memory. What it may take is bounded. */
lua_State *lua_host_new(void);

/* Closes it; NULL is allowed. */
void lua_host_free(lua_State *L);

/*
 * Calls what stands on the stack as lua_pcall() does. A failure here is a defect of ours or a lack of memory,
 * never the operator's: it is printed with a traceback and ends the program.
 */
void lua_host_call(lua_State *L, int arguments, int results);

/* Pushes a module's table. */
void lua_host_require(lua_State *L, const char *module);

#endif
