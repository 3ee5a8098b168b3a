/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the program's Lua modules as coverage, by way of libFuzzer's extra counters. */
#ifndef TESTS_FUZZ_LUA_LINES_H
#define TESTS_FUZZ_LUA_LINES_H

#include "control/lua/lua_host.h"

/* Counts the lines that the state executes from now on, in builds with the address sanitizer: other builds
 * are for many executions, which this would halve. */
void lua_lines_count(lua_State *L);

#endif
