/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the lines of level debug of the state machines on and off (lua/base/trace.lua). */
#ifndef CONTROL_LUA_LUA_TRACE_H
#define CONTROL_LUA_LUA_TRACE_H

#include <lua.h>
#include <stdbool.h>

/* Lines of these categories, separated by blanks, that have this word, "": all of them. */
struct lua_trace_filter {
    const char *word, *categories;
};

/* None: off. False: out of memory; the filters are as they were. */
bool lua_trace_set(lua_State *L, const struct lua_trace_filter *filters, unsigned count);

#endif
