/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/lua_core.h"

#include "control/core/core.h"
#include "control/lua/lua_host.h"

#include <lauxlib.h>

/* A function whose upvalue is the core. */
static void push_function(lua_State *L, struct core *core, lua_CFunction function)
{
    lua_pushlightuserdata(L, core);
    lua_pushcclosure(L, function, 1);
}

static struct core *core_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* --- phones --- */

/* is_listed(imsi) */
static int is_listed(lua_State *L)
{
    const struct core_sessions *sessions = &core_of(L)->sessions;
    const char *imsi = luaL_checkstring(L, 1);
    lua_pushboolean(L, sessions->arg && sessions->is_listed(sessions->arg, imsi));
    return 1;
}

static int push_phones(lua_State *L, struct core *core)
{
    lua_host_require(L, "gbflow_phone");
    lua_pushcfunction(L, lua_gtpc_random);
    push_function(L, core, is_listed);
    return 3;
}

/* --- all of them --- */

/* push: pushes what new() gets besides the configuration, and returns how many these are. */
static const struct {
    const char *name, *module;
    int (*push)(lua_State *L, struct core *core);
} rows[CORE_OBJECTS] = {
#define OBJECT(object, module) [CORE_OBJECT_##object] = {#object, module, push_##object},
#include "control/core/events.def"
};

void lua_core_make(struct core *core, enum core_object object)
{
    lua_State *L = core->intents.L;
    lua_pushvalue(L, -1);
    lua_object_push_new(L, rows[object].module);
    int more = rows[object].push(L, core);
    lua_object_init(&core->objects[object], &core->intents, rows[object].name, 1 + more);
}

void lua_core_drop(struct core *core, enum core_object object)
{
    lua_object_fini(&core->objects[object]);
    core->objects[object] = (struct lua_object){0};
}
