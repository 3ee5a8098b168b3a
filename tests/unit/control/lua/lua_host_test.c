/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_host.h"
#include "control/config/lua_config.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <lauxlib.h>
#include <string.h>

#define OBJECTS    20000
#define STEPS_MOST 1000000
#define WATCHED_NS 40000000 /* tests only; a configuration has 100 ms at least */

static void make_garbage(lua_State *L, unsigned objects)
{
    for (unsigned i = 0; i < objects; i++) {
        lua_createtable(L, 8, 8);
        lua_pop(L, 1);
    }
}

static unsigned tidy(lua_State *L)
{
    unsigned steps = 0;
    while (lua_host_tidy(L) && steps < STEPS_MOST)
        steps++;
    return steps;
}

/* What is deferred waits; tidying takes many small steps, ends, and leaves what is in use. */
TEST(garbage_waits_for_time)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_int_equal(luaL_dostring(L, "kept = {} for i = 1, 20000 do kept[i] = { i } end"), LUA_OK);
    lua_gc(L, LUA_GCCOLLECT);
    lua_host_defer(L);
    int kept_kb = lua_gc(L, LUA_GCCOUNT);
    assert_int_equal(tidy(L), 0);
    make_garbage(L, OBJECTS);
    int full_kb = lua_gc(L, LUA_GCCOUNT);
    assert_true(full_kb > 2 * kept_kb);
    assert_in_range(tidy(L), 100, STEPS_MOST - 1);
    assert_in_range(lua_gc(L, LUA_GCCOUNT), kept_kb - 1, kept_kb + kept_kb / 8 + 64);
    assert_int_equal(luaL_dostring(L, "assert(#kept == 20000 and kept[20000][1] == 20000)"), LUA_OK);
    assert_int_equal(tidy(L), 0);
    lua_host_free(L);
}

/* Where there is never time, memory stays bounded all the same. */
TEST(there_is_a_bound_without_time)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    lua_host_defer(L);
    int most_kb = 0;
    for (unsigned i = 0; i < 1000; i++) {
        make_garbage(L, 200);
        lua_host_hurry(L);
        int now_kb = lua_gc(L, LUA_GCCOUNT);
        most_kb = now_kb > most_kb ? now_kb : most_kb;
    }
    assert_in_range(most_kb, 1, 32 * 1024); /* of 100 MB */
    assert_in_range(tidy(L), 1, STEPS_MOST - 1);
    assert_in_range(lua_gc(L, LUA_GCCOUNT), 1, 2 * 1024);
    lua_host_free(L);
}

/* Blocks of garbage stay small ones: a large block needs room that they have never taken. */
TEST(garbage_leaves_room_for_large_blocks)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_int_equal(luaL_dostring(L, "kept = {} for i = 1, 20000 do kept[i] = { i } end"), LUA_OK);
    lua_gc(L, LUA_GCCOLLECT);
    lua_host_defer(L);
    size_t kept_octets = lua_host_octets(L);
    lua_host_limit(L, 4 * kept_octets);
    for (unsigned i = 0; i < 1000; i++) {
        make_garbage(L, 100);
        lua_host_hurry(L);
    }
    assert_in_range(lua_host_octets(L), kept_octets, 3 * kept_octets);
    assert_int_equal(luaL_dostring(L, "large = string.rep('x', 100000)"), LUA_OK);
    lua_host_free(L);
}

/* Text for lua_host_try(), and what the error's text has; NULL: none. */
static const struct {
    const char *text, *error;
} watched[] = {
    {"while true do end", "(limits.lua_call)"},
    {"local function f() return f() end f()", "(limits.lua_call)"},
    {"while true do pcall(function() while true do end end) end", "(limits.lua_call)"},
    {"local good = pcall(function() while true do end end) assert(not good)", NULL},
    {"for _ = 1, 1000 do string.rep('x', 100) end", NULL},
    {"error('other')", "other"},
};

TEST(calls_that_do_not_return_end)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_true(lua_host_watch(L, WATCHED_NS));
    for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++) {
        assert_int_equal(luaL_loadstring(L, watched[i].text), LUA_OK);
        bool is_good = lua_host_try(L, 0, 0);
        assert_int_equal(is_good, watched[i].error == NULL);
        if (!is_good)
            assert_non_null(strstr(lua_tostring(L, -1), watched[i].error));
        lua_settop(L, 0);
        assert_null(lua_gethook(L));
    }
    lua_host_free(L);
}

/* Each of many short calls is far from the limit; together they are beyond it. */
TEST(short_calls_are_never_ended)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_true(lua_host_watch(L, WATCHED_NS));
    for (unsigned i = 0; i < 400; i++) {
        assert_int_equal(luaL_loadstring(L, "for _ = 1, 100000 do end"), LUA_OK);
        assert_true(lua_host_try(L, 0, 0));
    }
    lua_host_free(L);
}

UNIT_MAIN(NULL, NULL)
