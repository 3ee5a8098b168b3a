/* SPDX-License-Identifier: BSD-3-Clause */
/* The budget: limits of the work that reading a configuration may take. */
#ifndef CONTROL_CONFIG_LUA_BUDGET_H
#define CONTROL_CONFIG_LUA_BUDGET_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Calls the function on the stack as lua_host_call() does, within the limits. False, with a line on stderr
 * that begins with `path`, and an empty stack above the function's place: a limit was exceeded. A call that
 * has not ended 6 s of processor time after its limit ends the program, with such a line and status 2.
 */
bool lua_budget_call(lua_State *L, int arguments, int results, const char *path);

/* From now on a reading that does not end at its limit does not end the process: for a node that runs. Its
 * texts have been read before, by another process with limits of its own (reader.h). */
void lua_budget_spare(void);

/* Sets the processor time of a reading; returns the former. For tests. */
int64_t lua_budget_limit(int64_t limit_ns);

/* Whether the latest reading passed its processor time. */
bool lua_budget_was_late(void);

/* From another thread, when the program ends: a reading in progress ends as if its processor time was over,
 * and so does each that begins later. */
void lua_budget_stop(void);

/*
 * Opens the module gbflow_budget: pushes a table and returns 1. It has is_over(): whether the processor time
 * is over; limit_s(): how much it is; begin_parse() and is_parse_over(): whether that of the parser is over
 * since; parse_s: its seconds; watch(thread, stride, held_kib, most_kib, check): calls check(steps) from the
 * thread now and then, with the instructions, by `stride`, and the KiB that it took since; and always when it
 * holds more than most_kib.
 */
int luaopen_gbflow_budget(lua_State *L);

#endif
