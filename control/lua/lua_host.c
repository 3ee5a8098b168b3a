/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_host.h"

#include "control/lua/lua_guard.h"
#include "control/lua/lua_memory.h"
#include "control/lua/lua_watchdog.h"
#include "lua/lua_embedded.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The memory limit of a state: enough for a control plane with a million mobiles that have a bucket each. */
#define MEMORY_MAX_OCTETS ((size_t)1 << 30)

/* Arguments and intents are pushed and read outside of protected calls, where an error cannot be caught; what
 * these need besides the limit. */
#define SPARE_OCTETS ((size_t)4 << 20)

/* Garbage is collected in many small steps. Lua's defaults (100, 13) make a step of 51 200 units of work,
 * which takes milliseconds with a heap larger than the cache: 8 ms with 4000 mobiles. These values make steps
 * of 288 units; since a table of any size is one unit, they take 0.25 ms with 4000 mobiles, 0.5 ms with 20
 * 000. A cycle lasts until new objects are 0.15 times the heap. */
#define GC_STEP_PERCENT     8
#define GC_STEP_LOG2_OCTETS 9

/* With deferred collection: a cycle begins in idle time when the heap is 1.5 times as large as after the
 * latest cycle. In busy time it begins when the heap is 3 times as large, or larger by GARBAGE_KB, or by a
 * quarter of what the limit leaves: at the limit Lua collects everything at once, and a large block finds no
 * room among the small ones. */
#define BEGIN(kept_kb) ((kept_kb) + (kept_kb) / 2 + 1024)
#define HURRY(kept_kb) (3 * (kept_kb) + 8192)
#define GARBAGE_KB     32768 /* in busy time: Lua doubles its table of strings at once, garbage included */

struct host {
    struct lua_memory memory;
    struct lua_watchdog watchdog;
    int kept_kb;    /* after the latest cycle */
    unsigned depth; /* of protected calls */
    bool is_tidying, is_hurried;
};

static struct host *host_of(lua_State *L)
{
    void *memory;
    lua_getallocf(L, &memory);
    return memory; /* its first member */
}

static int search_embedded(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    for (size_t i = 0; i < lua_embedded_count; i++) {
        const struct lua_embedded_module *module = &lua_embedded_modules[i];
        if (strcmp(module->name, name) != 0)
            continue;
        lua_pushfstring(L, "@lua/%s.lua", luaL_gsub(L, name, ".", "/"));
        if (luaL_loadbufferx(L, module->text, module->octets, lua_tostring(L, -1), "t") != LUA_OK)
            return lua_error(L);
        return 1;
    }
    lua_pushfstring(L, "no module '%s' in the program", name);
    return 1;
}

/* Makes `require` search preloaded and embedded modules only. */
static void set_searchers(lua_State *L)
{
    lua_getglobal(L, "package");
    lua_createtable(L, 2, 0);
    lua_getfield(L, -2, "searchers");
    lua_geti(L, -1, 1);
    lua_seti(L, -3, 1);
    lua_pop(L, 1);
    lua_pushcfunction(L, search_embedded);
    lua_seti(L, -2, 2);
    lua_setfield(L, -2, "searchers");
    lua_pop(L, 1);
}

static void preload(lua_State *L, const luaL_Reg *modules)
{
    for (const luaL_Reg *module = modules; module->name; module++) {
        luaL_requiref(L, module->name, module->func, 0);
        lua_pop(L, 1);
    }
}

lua_State *lua_host_new(const luaL_Reg *modules)
{
    struct host *host = calloc(1, sizeof(*host));
    if (!host)
        return NULL;
    lua_memory_init(&host->memory, MEMORY_MAX_OCTETS);
    host->memory.spare_octets = SPARE_OCTETS;
    lua_State *L = lua_newstate(lua_memory_allocate, &host->memory);
    if (!L) {
        lua_memory_fini(&host->memory);
        free(host);
        return NULL;
    }
    luaL_openlibs(L);
    lua_gc(L, LUA_GCINC, 0, GC_STEP_PERCENT, GC_STEP_LOG2_OCTETS);
    set_searchers(L);
    preload(L, modules);
    return L;
}

void lua_host_free(lua_State *L)
{
    if (!L)
        return;
    struct host *host = host_of(L);
    lua_watchdog_stop(&host->watchdog);
    lua_close(L);
    lua_memory_fini(&host->memory);
    free(host);
}

size_t lua_host_limit(lua_State *L, size_t octets)
{
    struct lua_memory *memory = &host_of(L)->memory;
    size_t previous = memory->limit_octets;
    memory->limit_octets = octets;
    return previous;
}

size_t lua_host_octets(lua_State *L)
{
    return host_of(L)->memory.used_octets;
}

bool lua_host_watch(lua_State *L, int64_t limit_ns)
{
    return lua_watchdog_start(&host_of(L)->watchdog, L, limit_ns);
}

/* --- garbage --- */

void lua_host_defer(lua_State *L)
{
    struct host *host = host_of(L);
    host->kept_kb = lua_gc(L, LUA_GCCOUNT);
    lua_gc(L, LUA_GCSTOP);
}

void lua_host_hurry(lua_State *L)
{
    struct host *host = host_of(L);
    int limit_kb = (int)(host->memory.limit_octets >> 10), part_kb = (limit_kb - host->kept_kb) / 4;
    int most_kb = part_kb < 0 ? 0 : part_kb < GARBAGE_KB ? part_kb : GARBAGE_KB;
    int hurry_kb = HURRY(host->kept_kb), near_kb = host->kept_kb + most_kb;
    if (host->is_hurried || lua_gc(L, LUA_GCCOUNT) < (hurry_kb < near_kb ? hurry_kb : near_kb))
        return;
    host->is_hurried = true;
    lua_gc(L, LUA_GCRESTART);
}

bool lua_host_tidy(lua_State *L)
{
    struct host *host = host_of(L);
    if (!host->is_tidying && !host->is_hurried && lua_gc(L, LUA_GCCOUNT) < BEGIN(host->kept_kb))
        return false;
    if (host->is_hurried)
        lua_gc(L, LUA_GCSTOP);
    host->is_hurried = false;
    host->is_tidying = lua_gc(L, LUA_GCSTEP, 0) == 0;
    if (!host->is_tidying)
        host->kept_kb = lua_gc(L, LUA_GCCOUNT);
    return true;
}

/* Errors without memory have a text of Lua's, and no memory for a traceback. */
static int add_traceback(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING)
        luaL_traceback(L, L, lua_tostring(L, 1), 1);
    else
        luaL_traceback(L, L, "an error without a text", 1);
    return 1;
}

bool lua_host_try(lua_State *L, int arguments, int results)
{
    struct host *host = host_of(L);
    int handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, add_traceback);
    lua_insert(L, handler);
    unsigned depth = host->depth++;
    if (depth == 0)
        lua_watchdog_begin(&host->watchdog);
    host->memory.spare_octets = 0;
    bool is_good = lua_pcall(L, arguments, results, handler) == LUA_OK;
    host->depth = depth;
    if (depth == 0) {
        host->memory.spare_octets = SPARE_OCTETS;
        lua_watchdog_end(&host->watchdog);
    }
    lua_remove(L, handler);
    return is_good;
}

void lua_host_call(lua_State *L, int arguments, int results)
{
    if (lua_host_try(L, arguments, results))
        return;
    fprintf(stderr, "gbflow: defect in the Lua control plane: %s\n", luaL_tolstring(L, -1, NULL));
    lua_guard_leave();
    abort();
}

void lua_host_require(lua_State *L, const char *module)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_host_call(L, 1, 1);
}
