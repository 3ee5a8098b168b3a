/* SPDX-License-Identifier: BSD-3-Clause */
/* Configuration texts, of nodes and of scenarios, through the program's Lua into its structs; and a reload of
 * a node with each: what differs from a node that runs. */
#include "control/config/lua_config_node.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "app/run/lua_scenario.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/lua_lines.h"

#include <lauxlib.h>
#include <string.h>

enum { WORK = 50000, MEMORY_OCTETS = 8 * 1024 * 1024 };

static lua_State *lua;

/* A function of a checked node: nothing differs from itself, and what differs from another node is in one of
 * the two. */
static const char *const differ =
    "local diff, load = require('node.diff').diff, require('schema.config').load\n"
    "local running = assert(load([[return { gb = { address = '10.99.0.1' }, nses = { { nsei = 101,\n"
    "  nsvcs = { { nsvci = 11, address = '10.99.0.2' } }, cells = { { bvci = 1001, cell_id = { mcc = '001',\n"
    "  mnc = '01', lac = 1, rac = 1, ci = 1 } } } } }, mobiles = { cells = { 1001 } },\n"
    "  lifetime = { sgsn_max = '15 s' } }]], '', 'node'))\n"
    "local function is_there(list, places)\n"
    "  for _, i in ipairs(list) do assert(places[i], 'a place that the new node does not have') end\n"
    "end\n"
    "local function of(node)\n"
    "  local workers = {}\n"
    "  for _, nse in ipairs(node.nses) do workers[nse.nsei] = nse.worker end\n"
    "  return { workers = workers, limits = node.limits }\n"
    "end\n"
    "return function(node)\n"
    "  for name, value in pairs(diff(node, node, of(node))) do\n"
    "    assert(value == false or value == 0 or type(value) == 'table' and next(value) == nil,\n"
    "      name .. ' differs from itself')\n"
    "  end\n"
    "  for _, pair in ipairs { { running, node }, { node, running } } do\n"
    "    local d = diff(pair[1], pair[2], of(pair[1]))\n"
    "    is_there(d.added, pair[2].mobiles.list or {})\n"
    "    is_there(d.nses, pair[2].nses)\n"
    "    is_there(d.links, pair[2].nses)\n"
    "    for _, path in ipairs(d.refused) do assert(#path > 0) end\n"
    "  end\n"
    "end\n";

static int differ_ref;

/* Budgets that keep one input below a tenth of a second. */
static void start(void)
{
    lua = lua_host_new(lua_modules);
    FUZZ_CHECK(lua);
    lua_host_require(lua, "schema.sandbox");
    lua_getfield(lua, -1, "LIMITS");
    lua_pushinteger(lua, WORK);
    lua_setfield(lua, -2, "work");
    lua_pushinteger(lua, MEMORY_OCTETS);
    lua_setfield(lua, -2, "memory_octets");
    lua_settop(lua, 0);
    FUZZ_CHECK(luaL_loadstring(lua, differ) == LUA_OK);
    lua_host_call(lua, 0, 1);
    differ_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_lines_count(lua);
}

/* The checked node is on the stack. */
static void read_node(void)
{
    struct node_config node;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, differ_ref);
    lua_pushvalue(lua, 1);
    lua_host_call(lua, 1, 0);
    lua_config_node(lua, &node);
    node_config_free(&node);
}

/* Warnings or errors: a list of lines, each about the file. */
static void check_lines(int index, bool is_error)
{
    lua_Unsigned count = lua_rawlen(lua, index);
    FUZZ_CHECK(lua_istable(lua, index) && (count > 0 || !is_error));
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(lua, index, (lua_Integer)i);
        FUZZ_CHECK(lua_type(lua, -1) == LUA_TSTRING && lua_tostring(lua, -1)[0]);
        FUZZ_CHECK(!strchr(lua_tostring(lua, -1), '\n'));
        lua_pop(lua, 1);
    }
}

/* Pushes what module.function(text, "fuzz"[, option]) answers; true if that is a value. */
static bool load_text(const char *module, const uint8_t *text, size_t octets, const char *option)
{
    lua_settop(lua, 0);
    lua_host_require(lua, module);
    lua_getfield(lua, -1, "load");
    lua_remove(lua, -2);
    lua_pushlstring(lua, (const char *)text, octets);
    lua_pushliteral(lua, "fuzz");
    if (option)
        lua_pushstring(lua, option);
    lua_host_call(lua, option ? 3 : 2, 2);
    check_lines(2, lua_isnil(lua, 1));
    lua_settop(lua, 1);
    return !lua_isnil(lua, 1);
}

/* The checked scenario is on the stack: what it may say, its node may say. */
static void read_scenario(void)
{
    struct scenario_config scenario = {0};
    lua_host_require(lua, "scenario.read");
    lua_getfield(lua, -1, "nodes");
    lua_pushvalue(lua, 1);
    lua_host_call(lua, 1, 1);
    FUZZ_CHECK(lua_istable(lua, -1));
    lua_scenario_read_nodes(lua, &scenario);
    lua_settop(lua, 1);
    lua_scenario_read(lua, &scenario);
    scenario_config_free(&scenario);
}

static bool says(const uint8_t *text, size_t octets, const char *word)
{
    return memmem(text, octets, word, strlen(word)) != NULL;
}

/* A text with keys that one kind alone has is read as that kind; reading it as the other takes as long, and
 * comes to a list of unknown keys. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    bool is_node = says(bytes, len, "nses ="), is_scenario = says(bytes, len, "title =");
    if (!lua)
        start();
    if ((is_node || !is_scenario) && load_text("schema.config", bytes, len, "node"))
        read_node();
    if ((is_scenario || !is_node) && load_text("scenario.read", bytes, len, NULL))
        read_scenario();
    lua_settop(lua, 0);
    return 0;
}
