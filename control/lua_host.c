/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua_host.h"

#include "control/lua_aqm.h"
#include "control/lua_aqm_choices.h"
#include "control/lua_crypto.h"
#include "control/lua_gtpc_wire.h"
#include "control/lua_llc_wire.h"
#include "control/lua_memory.h"
#include "control/lua_wire.h"
#include "lua/lua_embedded.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a configuration or the control plane may take at the most; a million mobiles with a bucket each
 * included. */
#define MEMORY_MAX_OCTETS ((size_t)1 << 30)

static int search_embedded(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    for (size_t i = 0; i < lua_embedded_count; i++) {
        const struct lua_embedded_module *module = &lua_embedded_modules[i];
        if (strcmp(module->name, name) != 0)
            continue;
        lua_pushfstring(L, "@lua/%s.lua", name);
        if (luaL_loadbufferx(L, module->text, module->octets, lua_tostring(L, -1), "t") != LUA_OK)
            return lua_error(L);
        return 1;
    }
    lua_pushfstring(L, "no module '%s' in the program", name);
    return 1;
}

/* Leaves preloaded modules and ours as the only places that `require` looks at. */
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

lua_State *lua_host_new(void)
{
    struct lua_memory *memory = malloc(sizeof(*memory));
    if (!memory)
        return NULL;
    lua_memory_init(memory, MEMORY_MAX_OCTETS);
    lua_State *L = lua_newstate(lua_memory_allocate, memory);
    if (!L) {
        lua_memory_fini(memory);
        free(memory);
        return NULL;
    }
    luaL_openlibs(L);
    set_searchers(L);
    luaL_requiref(L, "gbflow_wire", luaopen_gbflow_wire, 0);
    luaL_requiref(L, "gbflow_crypto", luaopen_gbflow_crypto, 0);
    luaL_requiref(L, "gbflow_gtpc", luaopen_gbflow_gtpc, 0);
    luaL_requiref(L, "gbflow_llc", luaopen_gbflow_llc, 0);
    luaL_requiref(L, "gbflow_aqm", luaopen_gbflow_aqm, 0);
    luaL_requiref(L, "gbflow_aqm_choices", luaopen_gbflow_aqm_choices, 0);
    lua_pop(L, 6);
    return L;
}

void lua_host_free(lua_State *L)
{
    void *memory;
    if (!L)
        return;
    lua_getallocf(L, &memory);
    lua_close(L);
    lua_memory_fini(memory);
    free(memory);
}

static int add_traceback(lua_State *L)
{
    luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return 1;
}

void lua_host_call(lua_State *L, int arguments, int results)
{
    int handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, add_traceback);
    lua_insert(L, handler);
    if (lua_pcall(L, arguments, results, handler) != LUA_OK) {
        fprintf(stderr, "gbflow: defect in the Lua control plane: %s\n", lua_tostring(L, -1));
        abort();
    }
    lua_remove(L, handler);
}

void lua_host_require(lua_State *L, const char *module)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_host_call(L, 1, 1);
}
