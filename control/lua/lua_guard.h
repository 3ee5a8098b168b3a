/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lack of memory while a configuration is read: it ends the program at its start, but only the reload in a
 * running node, where the reading runs under a guard.
 */
#ifndef CONTROL_LUA_LUA_GUARD_H
#define CONTROL_LUA_LUA_GUARD_H

#include <stdbool.h>

/* Runs work in this thread. False: it was left by lua_guard_leave(); what it had allocated and not yet stored
 * in arg is lost. Guards do not nest. */
bool lua_guard_run(void (*work)(void *arg), void *arg);

/* Leaves the work of lua_guard_run(); returns if there is none in this thread. */
void lua_guard_leave(void);

/* No memory for a part of the configuration, which is named: prints that and leaves the work, or ends the
 * program with status 1. */
_Noreturn void lua_guard_no_memory(const char *what);

#endif
