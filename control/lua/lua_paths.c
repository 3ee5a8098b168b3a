/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_paths.h"

#include "control/lua/lua_table.h"

#include <lauxlib.h>

void lua_paths_init(struct lua_paths *paths, const struct lua_intents *intents)
{
    lua_object_push_new(intents->L, "gn.paths");
    lua_object_init(&paths->object, intents, "gn", 1);
}

void lua_paths_fini(struct lua_paths *paths)
{
    lua_object_fini(&paths->object);
}

/* --- calls --- */

void lua_paths_add(struct lua_paths *paths, uint32_t path, const char *name, int64_t now)
{
    lua_object_send(&paths->object, now, "add", LUA_ARG(path), LUA_ARG(name));
}

void lua_paths_del(struct lua_paths *paths, uint32_t path, int64_t now)
{
    lua_object_send(&paths->object, now, "del", LUA_ARG(path));
}

void lua_paths_answered(struct lua_paths *paths, uint32_t path, uint16_t seq, int64_t now)
{
    lua_object_send(&paths->object, now, "answered", LUA_ARG(path), LUA_ARG(seq));
}

void lua_paths_get(const struct lua_paths *paths, uint32_t path, struct lua_paths_state *out)
{
    lua_State *L = paths->object.L;
    lua_object_push(&paths->object, "state");
    lua_pushinteger(L, path);
    lua_object_ask(&paths->object, 1, 1);
    lua_table_text(L, "state", out->state, sizeof(out->state));
    out->requests = (uint64_t)lua_table_integer(L, "requests");
    out->repeats = (uint64_t)lua_table_integer(L, "repeats");
    out->answers = (uint64_t)lua_table_integer(L, "answers");
    out->losses = (uint64_t)lua_table_integer(L, "losses");
    lua_pop(L, 1);
}
