/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_paths.h"

#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/moment.h"

#include <lauxlib.h>
#include <string.h>

void lua_paths_init(struct lua_paths *paths, lua_State *L, lua_paths_emit emit, void *arg)
{
    *paths = (struct lua_paths){.L = L, .emit = emit, .arg = arg};
    lua_host_require(L, "gn.paths");
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_host_call(L, 1, 1);
    paths->object = luaL_ref(L, LUA_REGISTRYINDEX);
}

void lua_paths_fini(struct lua_paths *paths)
{
    luaL_unref(paths->L, LUA_REGISTRYINDEX, paths->object);
}

/* --- intents --- */

static enum lua_paths_op op_of(lua_State *L)
{
    static const char *const names[] = {
        [LUA_PATHS_ECHO] = "echo", [LUA_PATHS_LOSE] = "lose", [LUA_PATHS_LOG] = "log"};
    char name[16];
    lua_table_text(L, "op", name, sizeof(name));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return (enum lua_paths_op)i;
    luaL_error(L, "the host knows no intent '%s'", name);
    return LUA_PATHS_LOG;
}

/* A text of the intent on top of the stack, whose table keeps it alive. */
static const char *text_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

static struct lua_paths_intent read_intent(lua_State *L)
{
    return (struct lua_paths_intent){
        .op = op_of(L),
        .path = (uint32_t)lua_table_integer(L, "path"),
        .seq = (uint16_t)lua_table_integer(L, "seq"),
        .level = text_of(L, "level"),
        .text = text_of(L, "text"),
    };
}

/* --- calls --- */

static void push_method(const struct lua_paths *paths, const char *method)
{
    lua_rawgeti(paths->L, LUA_REGISTRYINDEX, paths->object);
    lua_getfield(paths->L, -1, method);
    lua_insert(paths->L, -2);
}

/* Calls the method whose arguments but the last, `now`, are on the stack, and hands out the intents. */
static void call(struct lua_paths *paths, int arguments, int64_t now)
{
    lua_State *L = paths->L;
    lua_pushinteger(L, now);
    lua_host_call(L, arguments + 2, 1);
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        struct lua_paths_intent intent = read_intent(L);
        paths->emit(paths->arg, &intent);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

void lua_paths_add(struct lua_paths *paths, uint32_t path, const char *name, int64_t now)
{
    push_method(paths, "add");
    lua_pushinteger(paths->L, path);
    lua_pushstring(paths->L, name);
    call(paths, 2, now);
}

void lua_paths_del(struct lua_paths *paths, uint32_t path, int64_t now)
{
    push_method(paths, "del");
    lua_pushinteger(paths->L, path);
    call(paths, 1, now);
}

void lua_paths_answered(struct lua_paths *paths, uint32_t path, uint16_t seq, int64_t now)
{
    push_method(paths, "answered");
    lua_pushinteger(paths->L, path);
    lua_pushinteger(paths->L, seq);
    call(paths, 2, now);
}

void lua_paths_advance(struct lua_paths *paths, int64_t now)
{
    push_method(paths, "advance");
    call(paths, 0, now);
}

int64_t lua_paths_next_ns(const struct lua_paths *paths)
{
    push_method(paths, "next_at");
    lua_host_call(paths->L, 1, 1);
    int64_t at = lua_isnil(paths->L, -1) ? MOMENT_NEVER : lua_tointeger(paths->L, -1);
    lua_pop(paths->L, 1);
    return at;
}

void lua_paths_get(const struct lua_paths *paths, uint32_t path, struct lua_paths_state *out)
{
    lua_State *L = paths->L;
    push_method(paths, "state");
    lua_pushinteger(L, path);
    lua_host_call(L, 2, 1);
    lua_table_text(L, "state", out->state, sizeof(out->state));
    out->requests = (uint64_t)lua_table_integer(L, "requests");
    out->repeats = (uint64_t)lua_table_integer(L, "repeats");
    out->answers = (uint64_t)lua_table_integer(L, "answers");
    out->losses = (uint64_t)lua_table_integer(L, "losses");
    lua_pop(L, 1);
}
