/* SPDX-License-Identifier: BSD-3-Clause */
/* A Lua state with the program's own modules: `require` finds the modules embedded from lua/ and those in C
 * given to lua_host_new(), and reads no file. */
#ifndef CONTROL_LUA_LUA_HOST_H
#define CONTROL_LUA_LUA_HOST_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A new state with at most 1 GiB of memory; NULL: out of memory. `modules`: those in C, by the name that
 * `require` takes; the last row is all NULL. */
lua_State *lua_host_new(const luaL_Reg *modules);

/* Closes it; NULL is allowed. */
void lua_host_free(lua_State *L);

/* Sets the limit of memory; returns the previous one. */
size_t lua_host_limit(lua_State *L, size_t octets);

/* Allocates once what many mobiles need, 10 MiB, which Lua would enlarge and lessen in single calls of 10 ms.
 * It takes 50 ms. limit_octets: the limit of memory that will be set. */
void lua_host_prepare(lua_State *L, uint32_t mobiles, size_t limit_octets);

/* Octets of memory that the state has now, garbage included. */
size_t lua_host_octets(lua_State *L);

/*
 * For a state in an event loop: defers garbage collection to idle time. After lua_host_defer() the loop calls
 * lua_host_tidy() while it is idle, which collects for a few microseconds (false: too little garbage until
 * lua_host_look_ns(), MOMENT_NEVER: until the next call of Lua), and
 * lua_host_hurry() while it is busy, which does so beyond a limit of garbage. It returns how much of the time
 * of other work such steps should take, in percent; 0: no step is needed.
 */
void lua_host_defer(lua_State *L);
bool lua_host_tidy(lua_State *L, int64_t now);
int64_t lua_host_look_ns(lua_State *L);
unsigned lua_host_hurry(lua_State *L);

/* From now on a lua_host_try() of this thread that takes more processor time fails, with an error that has
 * `limit`, the limit's name. False, with errno: the kernel has no timer. */
bool lua_host_watch(lua_State *L, int64_t limit_ns, const char *limit);

/* Around a lua_pcall() that the same is to hold for. */
void lua_host_begin(lua_State *L);
void lua_host_end(lua_State *L);

/* Calls the function on the stack as lua_pcall() does. False: an error, and in place of the results its text
 * with a traceback is on the stack. */
bool lua_host_try(lua_State *L, int arguments, int results);

/* The same at the start and for a configuration, where an error is a defect of gbflow: it is printed with a
 * traceback and ends the program. */
void lua_host_call(lua_State *L, int arguments, int results);

/* random(limit) for Lua: an integer in 1 .. limit from the kernel, which no peer can predict. */
int lua_host_random(lua_State *L);

/* "Lua 5.4.4", static text. */
const char *lua_host_version(void);

/* Pushes a module's table. */
void lua_host_require(lua_State *L, const char *module);

#endif
