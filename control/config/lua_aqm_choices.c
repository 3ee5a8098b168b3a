/* SPDX-License-Identifier: BSD-3-Clause */
/* AQM schemes and their parameters as a Lua module, for schemas. */

#include "control/config/aqm_choices.h"
#include "control/config/lua_aqm.h"
#include "control/config/plugin_folder.h"
#include "dataplane/aqm/aqm_setup.h"

#include <lauxlib.h>
#include <string.h>

/* The scheme of (kind, name) on the stack; or NULL, with nil and the reason pushed. */
static const struct aqm_ops *lua_aqm_choices_find(lua_State *L, struct aqm_choices *choices)
{
    char message[256] = "cannot be loaded";
    const char *kind = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
    const struct aqm_ops *ops =
        choices ? aqm_choices_find(choices, kind, name, message, sizeof(message)) : NULL;
    if (!ops) {
        lua_pushnil(L);
        lua_pushstring(L, message);
    }
    return ops;
}

/* A plug-in that is not loaded: its place is checked, its parameters are unknown. */
static int find_unread(lua_State *L)
{
    char path[PLUGIN_FOLDER_PATH_CHARS], message[256];
    if (!plugin_folder_find(luaL_checkstring(L, 2), path, message, sizeof(message))) {
        lua_pushnil(L);
        lua_pushstring(L, message);
        return 2;
    }
    lua_createtable(L, 0, 2);
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "is_unread");
    lua_newtable(L);
    lua_setfield(L, -2, "params");
    return 1;
}

/* find(kind, name) -> the scheme, or nil and the reason. */
static int find_scheme(lua_State *L)
{
    if (strcmp(luaL_checkstring(L, 1), "plugin") == 0 && !plugin_folder_is_allowed())
        return find_unread(L);
    struct aqm_choices *choices = aqm_choices_new();
    const struct aqm_ops *ops = lua_aqm_choices_find(L, choices);
    if (ops)
        lua_aqm_push(L, ops);
    aqm_choices_free(choices);
    return ops ? 1 : 2;
}

static void read_list(lua_State *L, int at, uint32_t count, int64_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        lua_geti(L, at, (lua_Integer)i + 1);
        values[i] = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
}

/* check(kind, name, values) -> nil, or the error in the combination of the values. */
static int check(lua_State *L)
{
    struct aqm_choices *choices = aqm_choices_new();
    const struct aqm_ops *ops = lua_aqm_choices_find(L, choices);
    int64_t values[AQM_MAX_PARAMS];
    char message[256];
    if (ops) {
        read_list(L, 3, ops->param_count, values);
        struct aqm_choice choice = {.ops = ops, .values = values};
        struct aqm_setup *setup = aqm_setup_new(&choice, message, sizeof(message));
        if (setup)
            lua_pushnil(L);
        else
            lua_pushstring(L, message);
        aqm_setup_free(setup);
    }
    aqm_choices_free(choices);
    return 1;
}

/* names() -> the names of the schemes that need no file. */
static int names(lua_State *L)
{
    struct aqm_choices *choices = aqm_choices_new();
    uint32_t count = choices ? choices->registry.count : 0;
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushstring(L, choices->registry.schemes[i]->name);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    aqm_choices_free(choices);
    return 1;
}

int luaopen_gbflow_aqm_choices(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"find", find_scheme}, {"check", check}, {"names", names}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
