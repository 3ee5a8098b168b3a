/* SPDX-License-Identifier: BSD-3-Clause */
/* A Lua state with the program's own modules: `require` finds the modules embedded from lua/ and those in C
 * given to lua_host_new(), and reads no file. */
#ifndef CONTROL_LUA_LUA_HOST_H
#define CONTROL_LUA_LUA_HOST_H

#include "control/lua/lua_table.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls the supervision of paths to GGSNs in Lua (lua/gn/paths.lua): its inputs are Echo Responses and time,
 * its outputs intents. */

struct lua_paths {
    struct lua_object object;
};

/* The state and counters of a path. */
struct lua_paths_state {
    char state[8]; /* "off": not supervised; "unknown": nothing heard yet; "up"; "down" */
    uint64_t requests, repeats, answers, losses;
};

/* Makes the object of the checked configuration on top of the stack, and pops that. */
void lua_paths_init(struct lua_paths *paths, const struct lua_intents *intents);
void lua_paths_fini(struct lua_paths *paths);

/* A path, `name` in logs, has got its first context, or lost its last one. */
void lua_paths_add(struct lua_paths *paths, uint32_t path, const char *name, int64_t now);
void lua_paths_del(struct lua_paths *paths, uint32_t path, int64_t now);

/* The Echo Request with this number was answered. */
void lua_paths_answered(struct lua_paths *paths, uint32_t path, uint16_t seq, int64_t now);

void lua_paths_get(const struct lua_paths *paths, uint32_t path, struct lua_paths_state *out);

/*
 * Memory of a Lua state, with a limit. The control plane makes and frees a dozen small objects for each PDU;
 * their blocks are from free lists by size, whose memory is released with the state only. Larger blocks are
 * from the C library. Configurations have ciphering keys: a larger block is wiped when it is freed, the
 * lists' memory with the state.
 *
 *     used_octets = slabs + larger blocks <= limit_octets + spare_octets
 */

#define LUA_MEMORY_STEP_OCTETS  16
#define LUA_MEMORY_SMALL_OCTETS 1024 /* the longest block from a list */
#define LUA_MEMORY_CLASSES      (LUA_MEMORY_SMALL_OCTETS / LUA_MEMORY_STEP_OCTETS)

struct lua_memory_slab;

struct lua_memory {
    size_t used_octets, limit_octets;
    size_t spare_octets; /* beyond the limit, while no protected call runs: an error there cannot be caught */
    struct lua_memory_slab *slabs;
    uint8_t *at; /* the part of the latest slab that was never allocated, left_octets long */
    size_t left_octets;
    void *free[LUA_MEMORY_CLASSES]; /* each block begins with a pointer to the next */
};

void lua_memory_init(struct lua_memory *memory, size_t limit_octets);

/* Frees the slabs; the state must be closed. */
void lua_memory_fini(struct lua_memory *memory);

/* A lua_Alloc; memory is a struct lua_memory. */
void *lua_memory_allocate(void *memory, void *block, size_t old_octets, size_t new_octets);

/*
 * Lack of memory while a configuration is read: it ends the program at its start, but only the reload in a
 * running node, where the reading runs under a guard.
 */

/* Runs work in this thread. False: it was left by lua_guard_leave(); what it had allocated and not yet stored
 * in arg is lost. Guards do not nest. */
bool lua_guard_run(void (*work)(void *arg), void *arg);

/* No memory for a part of the configuration, which is named: prints that and leaves the work, or ends the
 * program with status 1. */
_Noreturn void lua_guard_no_memory(const char *what);

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
 * lua_host_tidy() while it is idle, which collects for a few microseconds (false: too little garbage), and
 * lua_host_hurry() while it is busy, which does so beyond a limit of garbage. It returns how much of the time
 * of other work such steps should take, in percent; 0: no step is needed.
 */
void lua_host_defer(lua_State *L);
bool lua_host_tidy(lua_State *L);
unsigned lua_host_hurry(lua_State *L);

/* From now on a lua_host_try() of this thread that takes more processor time fails. False, with errno: the
 * kernel has no timer. */
bool lua_host_watch(lua_State *L, int64_t limit_ns);

/* Calls the function on the stack as lua_pcall() does. False: an error, and in place of the results its text
 * with a traceback is on the stack. */
bool lua_host_try(lua_State *L, int arguments, int results);

/* The same at the start and for a configuration, where an error is a defect of gbflow: it is printed with a
 * traceback and ends the program. */
void lua_host_call(lua_State *L, int arguments, int results);

/* Pushes a module's table. */
void lua_host_require(lua_State *L, const char *module);

#endif
