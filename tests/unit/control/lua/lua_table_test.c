/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that go from one Lua state to another. */
#include "tests/unit/unit.h"

#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_records.h"
#include "control/lua/lua_table.h"
#include "dataplane/wire/qos.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
    for (size_t i = 0; i < COUNT(values); i++) {
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

/* --- Records of Lua objects: replaced, deleted, found among many, moved, and bounded --- */

#define ROOM 4096
#define MANY 1000

static const char gb[] = "gb", llc[] = "llc";

static const char *text_of(const struct lua_records *r, const char *who, const char *key)
{
    static char text[64];
    const struct lua_record *record = lua_records_get(r, who, key);
    if (!record)
        return NULL;
    snprintf(text, sizeof(text), "%.*s", (int)record->count, (const char *)record->octets);
    return text;
}

static bool put(struct lua_records *r, const char *who, const char *key, const char *text)
{
    return lua_records_put(r, who, key, text, strlen(text));
}

TEST(by_object_and_key)
{
    struct lua_records r;
    lua_records_init(&r, ROOM);
    assert_null(lua_records_get(&r, gb, "a"));
    lua_records_del(&r, gb, "a");
    assert_true(put(&r, gb, "a", "one") && put(&r, llc, "a", "two") && put(&r, gb, "b", ""));
    assert_string_equal(text_of(&r, gb, "a"), "one");
    assert_string_equal(text_of(&r, llc, "a"), "two");
    assert_string_equal(text_of(&r, gb, "b"), "");
    size_t before = r.octets;
    assert_true(put(&r, gb, "a", "six"));
    assert_string_equal(text_of(&r, gb, "a"), "six");
    assert_int_equal(r.octets, before);
    assert_int_equal(r.count, 3);
    lua_records_del(&r, gb, "a");
    assert_null(lua_records_get(&r, gb, "a"));
    assert_string_equal(text_of(&r, llc, "a"), "two");
    lua_records_free(&r);
    assert_int_equal(r.octets + r.count, 0);
}

/* A record without room is lost, and so is the older one: no object adopts what does not hold any more. */
TEST_IN(beyond_the_limit, struct lua_records, r, lua_records_init(r, ROOM), lua_records_free(r))
{
    static char large[ROOM];
    assert_true(put(r, gb, "a", "one"));
    assert_false(lua_records_put(r, gb, "a", large, sizeof(large)));
    assert_null(lua_records_get(r, gb, "a"));
    assert_int_equal(r->lost, 1);
    assert_int_equal(r->octets, 0);
    unsigned count = 0;
    for (char key[16]; snprintf(key, sizeof(key), "%u", count), put(r, gb, key, "0123456789");)
        count++;
    assert_in_range(count, ROOM / 128, ROOM / 32);
    assert_true(r->octets <= ROOM);
}

TEST(many_are_moved)
{
    struct lua_records r, moved;
    char key[16], text[16];
    lua_records_init(&r, MANY * 128);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(key, sizeof(key), "ms/%u", i);
        snprintf(text, sizeof(text), "%u", i * i);
        assert_true(put(&r, gb, key, text));
    }
    lua_records_move(&moved, &r);
    assert_int_equal(r.count, 0);
    assert_null(lua_records_get(&r, gb, "ms/1"));
    assert_true(put(&r, gb, "ms/1", "new"));
    unsigned seen = 0;
    const struct lua_record *record;
    TAILQ_FOREACH(record, &moved.list, all)
    {
        snprintf(key, sizeof(key), "ms/%u", seen++);
        assert_string_equal(record->key, key);
    }
    assert_int_equal(seen, MANY);
    assert_string_equal(text_of(&moved, gb, "ms/999"), "998001");
    lua_records_free(&moved);
    lua_records_free(&r);
}

/* The profile that packet flows are created with (lua/gb/abqp.lua), read by the codec of quality of service.
 */

static struct qos profile_of(lua_State *L, enum qclass qclass)
{
    struct qos qos;
    size_t octets;
    lua_host_require(L, "gb.abqp");
    lua_getfield(L, -1, "of_class");
    lua_pushstring(L, n_pdu_qclass_name(qclass));
    lua_host_call(L, 1, 1);
    const uint8_t *bytes = (const uint8_t *)lua_tolstring(L, -1, &octets);
    assert_int_equal(octets, QOS_R99_OCTETS); /* the least that BSSGP takes */
    assert_int_equal(qos_decode(&qos, bytes, octets), QOS_R99_OCTETS);
    lua_pop(L, 2);
    return qos;
}

/* Every class of users' packets comes back as itself; signalling and short messages are the first interactive
 * one. */
TEST(is_of_its_class)
{
    lua_State *L = lua_host_new(lua_modules);
    for (int i = 0; i < QCLASS_COUNT; i++) {
        struct qos qos = profile_of(L, (enum qclass)i);
        assert_int_equal(qos_qclass(&qos), i < QCLASS_CONVERSATIONAL ? QCLASS_THP1 : i);
        assert_int_equal(qos.reliability_class, 3);
        assert_int_equal(qos.mean_class, 31);
        assert_int_equal(qos.max_sdu_octets, 1500);
        assert_int_equal(qos.max_rate_down_bps, 240000);
        assert_true(qos.delay_class >= 1 && qos.delay_class <= 4);
        assert_true(qos.precedence >= 1 && qos.precedence <= 3);
        assert_true(qos.delivery_order == 2 && qos.erroneous_sdu == 3);
    }
    lua_host_free(L);
}

/* A rate and a delay are asked for only where they mean something (TS 23.107 clause 6.4.3.3). */
TEST(guarantees)
{
    lua_State *L = lua_host_new(lua_modules);
    for (int i = QCLASS_CONVERSATIONAL; i < QCLASS_COUNT; i++) {
        struct qos qos = profile_of(L, (enum qclass)i);
        bool is_guaranteed = i <= QCLASS_STREAMING;
        assert_int_equal(qos.guaranteed_rate_down_bps, is_guaranteed ? 16000 : 0);
        assert_int_equal(qos.guaranteed_rate_up_bps, is_guaranteed ? 16000 : 0);
        assert_int_equal(qos.transfer_delay_ms, is_guaranteed ? 1000 : 0);
    }
    lua_host_free(L);
}

UNIT_MAIN(NULL, NULL)
