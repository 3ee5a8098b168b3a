/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of an AQM scheme as text: parsed and printed by the checks in Lua. */
#include "control/config/lua_aqm.h"

#include "control/config/lua_config.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_host.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void push_function(lua_State *L, const char *name)
{
    lua_host_require(L, "node.aqm");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

static void print_messages(lua_State *L)
{
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        fprintf(stderr, "gbflow aqm: %s\n", lua_tostring(L, -1));
        lua_pop(L, 1);
    }
}

static void read_values(lua_State *L, uint32_t count, int64_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        lua_geti(L, -2, i + 1);
        values[i] = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
}

bool lua_aqm_text_parse(const struct aqm_ops *ops, char *const *settings, unsigned count, int64_t *values)
{
    lua_State *L = lua_host_new(lua_modules);
    if (!L)
        return false;
    push_function(L, "parse");
    lua_aqm_push(L, ops);
    lua_newtable(L);
    for (unsigned i = 0; i < count; i++) {
        lua_pushstring(L, settings[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_host_call(L, 2, 2);
    bool is_right = !lua_isnil(L, -2);
    if (is_right)
        read_values(L, ops->param_count, values);
    else
        print_messages(L);
    lua_host_free(L);
    return is_right;
}

char *lua_aqm_text_describe(const struct aqm_ops *ops)
{
    lua_State *L = lua_host_new(lua_modules);
    if (!L)
        return NULL;
    push_function(L, "describe");
    lua_aqm_push(L, ops);
    lua_host_call(L, 1, 1);
    char *text = strdup(lua_tostring(L, -1));
    lua_host_free(L);
    return text;
}

char *lua_aqm_text_document(const struct aqm_registry *registry)
{
    lua_State *L = lua_host_new(lua_modules);
    if (!L)
        return NULL;
    push_function(L, "document");
    lua_aqm_push_all(L, registry);
    lua_host_call(L, 1, 1);
    char *text = strdup(lua_tostring(L, -1));
    lua_host_free(L);
    return text;
}
