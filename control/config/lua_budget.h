/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits for reading a configuration: its text in the sandbox (lua/schema/sandbox.lua, which has limits of
 * its own), the checks of its table, and the library functions that both call.
 */
#ifndef CONTROL_CONFIG_LUA_BUDGET_H
#define CONTROL_CONFIG_LUA_BUDGET_H

#include <lua.h>
#include <stdbool.h>

#define LUA_BUDGET_SECONDS       30 /* of the thread's processor time */
#define LUA_BUDGET_PARSE_SECONDS 2  /* likewise, of Lua's parser alone */
#define LUA_BUDGET_INSTRUCTIONS  INT64_C(20000000000)
#define LUA_BUDGET_OCTETS        ((size_t)640 << 20)

/*
 * Calls the function on the stack as lua_host_call() does, within the limits. False, with a line on stderr
 * that begins with `path`, and an empty stack above the function's place: a limit was exceeded. Any other
 * error ends the program as a defect.
 */
bool lua_budget_call(lua_State *L, int arguments, int results, const char *path);

/* From another thread, when the program ends: a reading in progress ends as if its processor time was over,
 * and so does each that begins later. */
void lua_budget_stop(void);

/*
 * Opens the module gbflow_budget: pushes a table and returns 1. It has is_over(): whether the processor time
 * is over; begin_parse() and is_parse_over(): whether that of the parser is over since; parse_s: its seconds.
 */
int luaopen_gbflow_budget(lua_State *L);

#endif
