/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of Lua objects: replaced, deleted, found among many, moved, and bounded. */
#include "control/lua/lua_intent.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

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
TEST(beyond_the_limit)
{
    static char large[ROOM];
    struct lua_records r;
    lua_records_init(&r, ROOM);
    assert_true(put(&r, gb, "a", "one"));
    assert_false(lua_records_put(&r, gb, "a", large, sizeof(large)));
    assert_null(lua_records_get(&r, gb, "a"));
    assert_int_equal(r.lost, 1);
    assert_int_equal(r.octets, 0);
    unsigned count = 0;
    for (char key[16]; snprintf(key, sizeof(key), "%u", count), put(&r, gb, key, "0123456789");)
        count++;
    assert_in_range(count, ROOM / 128, ROOM / 32);
    assert_true(r.octets <= ROOM);
    lua_records_free(&r);
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

UNIT_MAIN(NULL, NULL)
