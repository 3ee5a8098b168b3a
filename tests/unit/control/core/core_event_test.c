/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: their methods, and what arguments and answers are in Lua and C. */
#include "tests/unit/unit.h"

#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/lua_core.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_object.h"

#include <lauxlib.h>
#include <string.h>

#define CONFIG "tests/unit/control/sessions/phones_node.lua"

/* A wrong name in events.def fails here. */
TEST(each_event_is_a_method_of_its_object)
{
    static const struct {
        const char *name, *method;
        enum core_object object;
    } rows[] = {
#define EVENT(object, method, ...)     {#object "_" #method, #method, CORE_OBJECT_##object},
#define EVENT_SET(object, method, ...) {#object "_" #method, #method, CORE_OBJECT_##object},
#define EVENT_ASK(object, method, ...) {#object "_" #method, #method, CORE_OBJECT_##object},
#include "control/core/events.def"
    };
    struct node_config config;
    struct core core = {.config = &config};
    lua_State *L = lua_host_new(lua_modules);
    assert_true(lua_config_load_node(L, CONFIG, &config));
    lua_intents_init(&core.intents, L, NULL, NULL);
    for (enum core_object object = 0; object < CORE_OBJECTS; object++)
        lua_core_make(&core, object);
    for (size_t i = 0; i < COUNT(rows); i++) {
        lua_object_push(&core.objects[rows[i].object], rows[i].method);
        if (!lua_isfunction(L, -2))
            fail_msg("events.def: %s: its object has no such method", rows[i].name);
        lua_pop(L, 2);
    }
    node_config_free(&config);
    lua_host_free(L);
}

/* --- arguments and answers --- */

struct item {
    uint8_t number;
    const char *text;
    bool is_kept;
};

static const struct lua_field item_fields[] = {LUA_FIELD_NEEDED(U8, struct item, number, "number"),
                                               LUA_FIELD_AS(TEXT, struct item, text, "text"),
                                               LUA_FIELD_AS(BOOL, struct item, is_kept, "kept"),
                                               {0}};

static const char *const mirror =
    "local function text(value)\n"
    "  if type(value) ~= 'table' then return tostring(value) end\n"
    "  local keys, out = {}, {}\n"
    "  for key in pairs(value) do keys[#keys + 1] = key end\n"
    "  table.sort(keys)\n"
    "  for i, key in ipairs(keys) do out[i] = key .. '=' .. text(value[key]) end\n"
    "  return '{' .. table.concat(out, ' ') .. '}'\n"
    "end\n"
    "return { list = function() return { all = { { number = 1 }, { number = 2, text = 'two', kept = true } } "
    "} end,\n"
    "  sum = function(_, a, b, now) return a + b + now end, none = function() end,\n"
    "  truth = function(_, a) return a end,\n"
    "  seen = function(_, ...)\n"
    "    local out = table.pack(...)\n"
    "    for i = 1, out.n do out[i] = text(out[i]) end\n"
    "    return { text = table.concat(out, ' ', 1, out.n) }\n"
    "  end }\n";

struct rig {
    lua_State *L;
    struct lua_intents intents;
    struct lua_object object;
};

static void open(struct rig *rig)
{
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    lua_intents_init(&rig->intents, rig->L, NULL, NULL);
    assert_int_equal(luaL_loadstring(rig->L, mirror), LUA_OK);
    lua_object_init(&rig->object, &rig->intents, "mirror", 0);
}

static void close(struct rig *rig)
{
    assert_int_equal(lua_gettop(rig->L), 0);
    lua_host_free(rig->L);
}

#define CALL(method, ...) (&(struct lua_call){method, (const struct lua_arg[]){__VA_ARGS__, {0}}, 7})

TEST_IN(arguments, struct rig, rig, open(rig), close(rig))
{
    static const struct item items[] = {{1, NULL, false}, {2, "two", true}};
    struct item seen = {0};
    lua_State *other = lua_newthread(rig->L);
    assert_int_equal(luaL_dostring(other, "return { a = { 'x', { b = 5 } } }"), LUA_OK);
    assert_true(lua_object_read(&rig->object,
                                CALL("seen", LUA_ARG(-3), LUA_ARG("word"), LUA_ARG((const char *)NULL),
                                     LUA_BOOL(1), LUA_OCTETS("ab", 1), LUA_OCTETS(NULL, 0),
                                     LUA_RECORD(item_fields, &items[0]), LUA_LIST(item_fields, items, 2),
                                     LUA_AT(other, "a.2"), LUA_AT(other, "a.2.b"), LUA_AT(other, "c.d")),
                                item_fields, &seen));
    assert_string_equal(
        seen.text,
        "-3 word nil true a nil {number=1} {1={number=1} 2={kept=true number=2 text=two}} {b=5} 5 false 7");
    lua_pop(rig->L, 1);
}

TEST_IN(answers, struct rig, rig, open(rig), close(rig))
{
    assert_int_equal(lua_object_answer(&rig->object, CALL("sum", LUA_ARG(1), LUA_ARG(2)), -1), 10);
    assert_int_equal(lua_object_answer(&rig->object, CALL("truth", LUA_BOOL(1)), -1), 1);
    assert_int_equal(lua_object_answer(&rig->object, CALL("truth", LUA_BOOL(0)), -1), 0);
    assert_int_equal(lua_object_answer(&rig->object, CALL("none", LUA_ARG(1)), -1), -1);
    assert_int_equal(lua_object_answer(&rig->object, CALL("not_there", LUA_ARG(1)), -1), -1);
}

static void note(void *arg, const void *row)
{
    const struct item *item = row;
    char *said = arg;
    sprintf(said + strlen(said), "%u %s %d;", item->number, item->text, item->is_kept);
}

TEST_IN(lists, struct rig, rig, open(rig), close(rig))
{
    char said[64] = "";
    struct item row = {.text = "-"};
    struct lua_list list = {"all", item_fields, &row, sizeof(row), note, said};
    lua_object_each(&rig->object, CALL("list", LUA_ARG(0)), &list);
    assert_string_equal(said, "1 - 0;2 two 1;");
    lua_object_each(&rig->object, CALL("none", LUA_ARG(0)), &list);
    lua_object_each(&rig->object, CALL("not_there", LUA_ARG(0)), &list);
    assert_string_equal(said, "1 - 0;2 two 1;");
}

UNIT_MAIN(NULL, NULL)
