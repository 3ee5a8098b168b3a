/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_aqm.h"

#include "dataplane/aqm/aqm_registry.h"

#include <lauxlib.h>

static void set_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, key);
}

static void set_number(lua_State *L, const char *key, int64_t number)
{
    lua_pushinteger(L, number);
    lua_setfield(L, -2, key);
}

static void set_words(lua_State *L, const struct aqm_param *param)
{
    char word[64];
    lua_newtable(L);
    for (int64_t i = 0; aqm_param_word(param, i, word, sizeof(word)); i++) {
        lua_pushstring(L, word);
        lua_seti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "words");
}

static void push_param(lua_State *L, const struct aqm_param *param)
{
    lua_newtable(L);
    set_text(L, "name", param->name);
    set_text(L, "kind", aqm_param_kind_name(param->kind));
    set_text(L, "doc", param->doc);
    set_number(L, "min", param->min);
    set_number(L, "max", param->max);
    set_number(L, "initial", param->initial);
    if (param->kind == AQM_CHOICE)
        set_words(L, param);
}

void lua_aqm_push(lua_State *L, const struct aqm_ops *ops)
{
    lua_newtable(L);
    set_text(L, "name", ops->name);
    set_text(L, "title", ops->title);
    set_text(L, "summary", ops->summary);
    set_text(L, "source", ops->source);
    set_text(L, "axis", ops->axis == AQM_AXIS_AGE ? "age" : "backlog");
    lua_newtable(L);
    for (uint32_t i = 0; i < ops->param_count; i++) {
        push_param(L, &ops->params[i]);
        lua_seti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "params");
}

void lua_aqm_push_all(lua_State *L, const struct aqm_registry *registry)
{
    lua_newtable(L);
    for (unsigned i = 0; i < registry->count; i++) {
        lua_aqm_push(L, registry->schemes[i]);
        lua_seti(L, -2, i + 1);
    }
}

static int schemes(lua_State *L)
{
    struct aqm_registry registry;
    aqm_registry_init(&registry);
    lua_aqm_push_all(L, &registry);
    return 1;
}

int luaopen_gbflow_aqm(lua_State *L)
{
    static const luaL_Reg functions[] = {{"schemes", schemes}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
