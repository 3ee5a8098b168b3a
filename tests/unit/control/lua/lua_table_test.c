/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that go from one Lua state to another. */
#include "control/lua/lua_table.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "tests/unit/unit.h"

#include <lauxlib.h>

/* A text of the value on top of the stack: keys in order, with the types of numbers. */
static const char show[] =
    "local function show(v)\n"
    "  if type(v) ~= 'table' then return ('%s %q'):format(math.type(v) or type(v), v) end\n"
    "  local out = {}\n"
    "  for key, item in pairs(v) do out[#out + 1] = show(key) .. '=' .. show(item) end\n"
    "  table.sort(out)\n"
    "  return '{' .. table.concat(out, ',') .. '}'\n"
    "end\n"
    "return show(...)";

static const char *shown(lua_State *L)
{
    assert_int_equal(luaL_loadstring(L, show), LUA_OK);
    lua_pushvalue(L, -2);
    assert_int_equal(lua_pcall(L, 1, 1, 0), LUA_OK);
    return lua_tostring(L, -1);
}

TEST(copied)
{
    static const char *const values[] = {
        "return {}",
        "return 7",
        "return 'a\\0b'",
        "return { nsei = 101, rate = 0.5, is_on = true, is_off = false, name = 'a\\0b' }",
        "return { { 1, 2, { 3 } }, [3] = { cells = { { bvci = 2 }, { bvci = 3 } } }, [2.5] = 1 << 62 }",
    };
    lua_State *from = lua_host_new(lua_modules), *to = lua_host_new(lua_modules);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        assert_int_equal(luaL_dostring(from, values[i]), LUA_OK);
        lua_table_copy(to, from);
        assert_int_equal(lua_gettop(from), 1);
        assert_int_equal(lua_gettop(to), 1);
        assert_string_equal(shown(to), shown(from));
        lua_settop(from, 0);
        lua_settop(to, 0);
    }
    lua_host_free(from);
    lua_host_free(to);
}

UNIT_MAIN(NULL, NULL)
