/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits for reading a configuration: the order to end holds for all later readings, too. */
#include "control/config/lua_aqm_script.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "tests/unit/unit.h"

#include <lauxlib.h>

static bool call(lua_State *L, const char *text)
{
    assert_int_equal(luaL_loadstring(L, text), LUA_OK);
    return lua_budget_call(L, 0, 0, "the text");
}

TEST(stopped_for_ever)
{
    lua_State *L = lua_host_new(lua_modules);
    assert_true(call(L, "for i = 1, 1000000 do end"));
    assert_true(call(L, "assert(not require('gbflow_budget').is_over())"));
    assert_true(call(L, "local b = require('gbflow_budget') b.begin_parse() assert(not b.is_parse_over())"));
    lua_budget_stop();
    for (unsigned reading = 0; reading < 3; reading++)
        assert_false(call(L, "while true do end"));
    assert_true(call(L, "assert(require('gbflow_budget').is_over())")); /* too short for the hook */
    assert_true(call(L, "local b = require('gbflow_budget') b.begin_parse() assert(b.is_parse_over())"));
    assert_int_equal(lua_gettop(L), 0);
    lua_host_free(L);
}

UNIT_MAIN(NULL, NULL)
