/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/lua_scenario.h"

#include "control/config/lua_aqm_script.h"
#include "control/config/lua_config.h"
#include "control/config/lua_config_node.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "app/run/lua_scenario_read.h"

#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* read(file): the text of a file below the scenario's folder, which is the first upvalue; nil, with a line on
   stderr. The second one is the scenario_config that keeps it, or NULL. */
static int read_module(lua_State *L)
{
    struct scenario_config *config = lua_touserdata(L, lua_upvalueindex(2));
    const char *file = luaL_checkstring(L, 1);
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s", lua_tostring(L, lua_upvalueindex(1)), file);
    if (!lua_text_push_regular(L, path))
        return 0;
    if (config) {
        struct scenario_config_module *module =
            lua_table_append(&config->modules, &config->module_count, sizeof(*module));
        module->file = strdup(file);
        module->text = strdup(lua_tostring(L, -1));
    }
    return 1;
}

static void push_reader(lua_State *L, const char *path, struct scenario_config *config)
{
    char folder[PATH_MAX];
    scenario_config_folder(path, folder);
    lua_pushstring(L, folder);
    lua_pushlightuserdata(L, config);
    lua_pushcclosure(L, read_module, 2);
}

static void push_options(lua_State *L, const struct lua_scenario_options *options)
{
    lua_createtable(L, 0, 3);
    lua_pushinteger(L, (lua_Integer)options->seed);
    lua_setfield(L, -2, "seed");
    lua_createtable(L, (int)options->set_count, 0);
    for (uint32_t i = 0; i < options->set_count; i++) {
        lua_createtable(L, 0, 2);
        lua_pushstring(L, options->sets[i].path);
        lua_setfield(L, -2, "path");
        lua_pushstring(L, options->sets[i].value);
        lua_setfield(L, -2, "value");
        lua_seti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "sets");
}

/* Pushes a function of the module. */
static void push_function(lua_State *L, const char *name)
{
    lua_host_require(L, "scenario.read");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* Replaces (value, lines) on the stack by the value, or pops both when the value is nil; prints the lines. */
static bool take_result(lua_State *L, const char *kind)
{
    if (!lua_isnil(L, -2)) {
        lua_text_print_lines(L, kind);
        return true;
    }
    lua_text_print_lines(L, "");
    lua_pop(L, 1);
    return false;
}

/* Pushes the checked scenario; config gets its text, NULL without memory, and those of its modules. */
static bool push_scenario(lua_State *L, const char *path, const struct lua_scenario_options *options,
                          struct scenario_config *config)
{
    push_function(L, "load");
    if (!lua_text_push(L, path)) {
        lua_pop(L, 1);
        return false;
    }
    config->text = strdup(lua_tostring(L, -1));
    lua_pushstring(L, path);
    push_options(L, options);
    push_reader(L, path, config);
    lua_setfield(L, -2, "read");
    return lua_budget_call(L, 3, 2, path) && take_result(L, "warning: ");
}

/* Pushes the checked node of the scenario on top of the stack. */
static bool push_node(lua_State *L, const char *path)
{
    push_function(L, "node");
    lua_pushvalue(L, -2);
    return lua_budget_call(L, 1, 2, path) && take_result(L, "warning: ");
}

bool lua_scenario_load(lua_State *L, const char *path, const struct lua_scenario_options *options,
                       struct scenario_config *config)
{
    *config = (struct scenario_config){0};
    if (!push_scenario(L, path, options, config)) {
        scenario_config_free(config);
        return false;
    }
    if (!push_node(L, path)) {
        lua_pop(L, 1);
        scenario_config_free(config);
        return false;
    }
    lua_config_node(L, &config->node);
    lua_insert(L, -2);
    lua_scenario_read(L, config);
    lua_pop(L, 1);
    if (!scenario_config_read_traces(config, path)) {
        lua_pop(L, 1);
        scenario_config_free(config);
        return false;
    }
    return true;
}

int lua_scenario_detect(lua_State *L, const char *path)
{
    push_function(L, "is_one");
    if (!lua_text_push(L, path)) {
        lua_pop(L, 1);
        return -1;
    }
    lua_pushstring(L, path);
    push_reader(L, path, NULL);
    if (!lua_budget_call(L, 3, 1, path))
        return -1;
    bool is_one = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_one;
}
