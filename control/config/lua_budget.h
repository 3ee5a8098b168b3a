/* SPDX-License-Identifier: BSD-3-Clause */
/* The budget: limits of the work that reading a configuration may take. */
#ifndef CONTROL_CONFIG_LUA_BUDGET_H
#define CONTROL_CONFIG_LUA_BUDGET_H

#include <lua.h>
#include <stdbool.h>

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
 * is over; begin_parse() and is_parse_over(): whether that of the parser is over since; parse_s: its seconds;
 * watch(thread, stride, held_kib, most_kib, check): calls check(steps) from the thread now and then, with the
 * instructions, by `stride`, and the KiB that it took since; and always when it holds more than most_kib.
 */
int luaopen_gbflow_budget(lua_State *L);

#endif
