/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/machine.h"

#include "control/config/lua_config_node.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_object.h"
#include "tests/fuzz/lua_lines.h"

#include <string.h>

struct core machine_core;
machine_sees *machine_see;
struct node_config machine_node;

static lua_State *lua;
static int node_ref;

lua_State *machine_table;

static bool is_listed(void *unused_arg, const char *unused_imsi)
{
    return false;
}

lua_State *machine_state(const char *text, machine_sees *sees)
{
    machine_see = sees;
    if (lua)
        return lua;
    lua = lua_host_new(lua_modules);
    FUZZ_CHECK(lua != NULL);
    lua_host_require(lua, "schema.config");
    lua_getfield(lua, -1, "load");
    lua_pushstring(lua, text);
    lua_pushliteral(lua, "");
    lua_pushliteral(lua, "node");
    lua_host_call(lua, 3, 1);
    lua_config_node(lua, &machine_node);
    lua_pushvalue(lua, -1);
    node_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
    machine_table = lua_newthread(lua);
    luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_xmove(lua, machine_table, 1);
    lua_settop(lua, 0);
    machine_core.config = &machine_node;
    machine_core.sessions =
        (struct core_sessions){.arg = &machine_core, .act = core_machine_act, .is_listed = is_listed};
    core_intent_init(&machine_core, lua);
    lua_lines_count(lua);
    return lua;
}

void machine_begin(void)
{
    for (uint32_t i = 0; i < machine_node.nse_count; i++)
        machine_node.nses[i].is_gone = machine_node.nses[i].is_leaving = false;
    for (uint32_t i = 0; i < machine_node.cell_count; i++)
        machine_node.cells[i].is_gone = machine_node.cells[i].is_leaving = false;
    machine_core.refused = 0;
    machine_core.lua_errors = 0;
    lua_settop(lua, 0);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, node_ref);
}

/* A chunk is compiled once. */
static void push_chunk(const char *chunk)
{
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, chunk) == LUA_TNIL) {
        lua_pop(lua, 1);
        FUZZ_CHECK(luaL_loadstring(lua, chunk) == LUA_OK);
        lua_pushvalue(lua, -1);
        lua_rawsetp(lua, LUA_REGISTRYINDEX, chunk);
    }
}

void machine_choose(const char *chunk, unsigned chosen)
{
    push_chunk(chunk);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, node_ref);
    lua_pushinteger(lua, chosen);
    lua_host_call(lua, 2, 0);
}

size_t machine_make(const char *chunk, const int64_t *numbers, size_t count, uint8_t *out, size_t cap)
{
    size_t octets;
    push_chunk(chunk);
    for (size_t i = 0; i < count; i++)
        lua_pushinteger(lua, numbers[i]);
    lua_host_call(lua, (int)count, 1);
    const char *made = lua_tolstring(lua, -1, &octets);
    FUZZ_CHECK(made && octets <= cap);
    memcpy(out, made, octets);
    lua_pop(lua, 1);
    return octets;
}

int64_t machine_read(const char *chunk, const void *octets, size_t count)
{
    push_chunk(chunk);
    lua_pushlstring(lua, octets, count);
    lua_host_call(lua, 1, 1);
    int64_t number = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    return number;
}

void machine_check(const struct lua_object *object, const char *chunk)
{
    push_chunk(chunk);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, object->ref);
    lua_host_call(lua, 1, 0);
}

void machine_end(const struct lua_object *object, const char *chunk)
{
    FUZZ_CHECK(machine_core.refused == 0 && machine_core.lua_errors == 0 && lua_gettop(lua) == 0);
    machine_check(object, chunk);
}

/* Timers of one instant expire in bursts of twenty (lua/base/timers.lua). */
enum { MACHINE_BURSTS = 64 };

int64_t machine_wait(const struct lua_object *object, int64_t now, int64_t until, unsigned most)
{
    for (unsigned bursts = 0; most > 0; most--) {
        int64_t at = lua_object_next_ns(object);
        if (at > until)
            return until;
        now = at > now ? at : now;
        lua_object_advance(object, now);
        bursts = lua_object_next_ns(object) > now ? 0 : bursts + 1;
        FUZZ_CHECK(bursts < MACHINE_BURSTS);
    }
    return now;
}
