/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text of a record (lua/base/records.lua): a tag for each value, then its octets. "t" and "f" are booleans,
 * "i" an integer of 8 octets and "s" a string behind its length of 4, both little-endian; "{" begins a table
 * of keys and values, and "}" ends it. Integer keys come first, and keys ascend. The first pass counts
 * octets, the second one writes them.
 */
#include "control/lua/lua_wire.h"

#include <lauxlib.h>
#include <string.h>

#define DEPTH_MOST 8
#define KEYS_FEW   64 /* of a table whose keys need no memory of their own */

enum { INTEGER_OCTETS = 9, STRING_OCTETS = 5 }; /* with the tag; without the string */

struct key {
    const char *text; /* NULL: an integer */
    size_t octets;
    lua_Integer integer;
};

struct writer {
    char *at;
};

/* --- keys --- */

static int lua_record_compare(const struct key *x, const struct key *y)
{
    if (!x->text || !y->text)
        return x->text ? 1 : y->text ? -1 : (x->integer > y->integer) - (x->integer < y->integer);
    size_t octets = x->octets < y->octets ? x->octets : y->octets;
    int order = memcmp(x->text, y->text, octets);
    return order != 0 ? order : (x->octets > y->octets) - (x->octets < y->octets);
}

/* Sorts the key at i into those before it, which are sorted: records have few keys. */
static void insert(struct key *keys, size_t i)
{
    struct key key = keys[i];
    for (; i > 0 && lua_record_compare(&keys[i - 1], &key) > 0; i--)
        keys[i] = keys[i - 1];
    keys[i] = key;
}

/* The key on top of the stack; its table keeps the text alive. */
static struct key key_of(lua_State *L)
{
    struct key key = {0};
    if (lua_type(L, -1) == LUA_TSTRING)
        key.text = lua_tolstring(L, -1, &key.octets);
    else if (lua_isinteger(L, -1))
        key.integer = lua_tointeger(L, -1);
    else
        luaL_error(L, "a record cannot have a key that is a %s", luaL_typename(L, -1));
    return key;
}

static void push_key(lua_State *L, const struct key *key)
{
    if (key->text)
        lua_pushlstring(L, key->text, key->octets);
    else
        lua_pushinteger(L, key->integer);
}

static size_t count_keys(lua_State *L, int table)
{
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
        count++;
    return count;
}

static void sorted_keys(lua_State *L, int table, struct key *keys)
{
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, table);) {
        lua_pop(L, 1);
        keys[count++] = key_of(L);
    }
    for (size_t i = 1; i < count; i++)
        insert(keys, i);
}

/* --- octets --- */

static size_t octets_of_table(lua_State *L, int table, unsigned depth);

/* Of the value on top of the stack. */
static size_t lua_record_octets_of(lua_State *L, unsigned depth)
{
    switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN:
        return 1;
    case LUA_TSTRING:
        return STRING_OCTETS + (size_t)lua_rawlen(L, -1);
    case LUA_TTABLE:
        return octets_of_table(L, lua_gettop(L), depth);
    default:
        if (!lua_isinteger(L, -1))
            luaL_error(L, "a record cannot have a %s", luaL_typename(L, -1));
        return INTEGER_OCTETS;
    }
}

static size_t octets_of_table(lua_State *L, int table, unsigned depth)
{
    size_t octets = 2;
    if (depth >= DEPTH_MOST)
        luaL_error(L, "a record is too deep");
    luaL_checkstack(L, 4, "a record");
    for (lua_pushnil(L); lua_next(L, table);) {
        octets += lua_record_octets_of(L, depth + 1);
        lua_pop(L, 1);
        struct key key = key_of(L);
        octets += key.text ? STRING_OCTETS + key.octets : INTEGER_OCTETS;
    }
    return octets;
}

/* --- writing --- */

static void put_little(struct writer *writer, uint64_t value, unsigned octets)
{
    for (unsigned i = 0; i < octets; i++)
        *writer->at++ = (char)(value >> 8 * i);
}

static void put_integer(struct writer *writer, lua_Integer value)
{
    *writer->at++ = 'i';
    put_little(writer, (uint64_t)value, 8);
}

static void put_string(struct writer *writer, const char *text, size_t octets)
{
    *writer->at++ = 's';
    put_little(writer, octets, 4);
    memcpy(writer->at, text, octets);
    writer->at += octets;
}

static void put_table(lua_State *L, int table, struct writer *writer);

/* The value on top of the stack. */
static void lua_record_put(lua_State *L, struct writer *writer)
{
    size_t octets;
    if (lua_isboolean(L, -1)) {
        *writer->at++ = lua_toboolean(L, -1) ? 't' : 'f';
    } else if (lua_isinteger(L, -1)) {
        put_integer(writer, lua_tointeger(L, -1));
    } else if (lua_istable(L, -1)) {
        put_table(L, lua_gettop(L), writer);
    } else {
        const char *text = lua_tolstring(L, -1, &octets);
        put_string(writer, text, octets);
    }
}

static void put_table(lua_State *L, int table, struct writer *writer)
{
    struct key few[KEYS_FEW], *keys = few;
    size_t count = count_keys(L, table);
    if (count > KEYS_FEW)
        keys = lua_newuserdatauv(L, count * sizeof(*keys), 0);
    sorted_keys(L, table, keys);
    *writer->at++ = '{';
    for (size_t i = 0; i < count; i++) {
        if (keys[i].text)
            put_string(writer, keys[i].text, keys[i].octets);
        else
            put_integer(writer, keys[i].integer);
        push_key(L, &keys[i]);
        lua_rawget(L, table);
        lua_record_put(L, writer);
        lua_pop(L, 1);
    }
    *writer->at++ = '}';
    lua_settop(L, table);
}

/* pack(value): text */
static int pack(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    size_t octets = lua_record_octets_of(L, 0);
    luaL_Buffer buffer;
    struct writer writer = {.at = luaL_buffinitsize(L, &buffer, octets)};
    lua_pushvalue(L, 1);
    lua_record_put(L, &writer);
    lua_pop(L, 1);
    luaL_pushresultsize(&buffer, octets);
    return 1;
}

/* --- reading --- */

struct reader {
    const char *at, *end;
};

static uint64_t take_little(lua_State *L, struct reader *reader, unsigned octets)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < octets)
        luaL_error(L, "a record is too short");
    for (unsigned i = 0; i < octets; i++)
        value |= (uint64_t)(uint8_t)*reader->at++ << 8 * i;
    return value;
}

static void take_string(lua_State *L, struct reader *reader)
{
    size_t octets = (size_t)take_little(L, reader, 4);
    if ((size_t)(reader->end - reader->at) < octets)
        luaL_error(L, "a record is too short");
    lua_pushlstring(L, reader->at, octets);
    reader->at += octets;
}

static void take_table(lua_State *L, struct reader *reader, unsigned depth);

/* Pushes the next value. */
static void lua_record_take(lua_State *L, struct reader *reader, unsigned depth)
{
    char tag = (char)take_little(L, reader, 1);
    if (tag == 't' || tag == 'f')
        lua_pushboolean(L, tag == 't');
    else if (tag == 'i')
        lua_pushinteger(L, (lua_Integer)take_little(L, reader, 8));
    else if (tag == 's')
        take_string(L, reader);
    else if (tag == '{' && depth < DEPTH_MOST)
        take_table(L, reader, depth + 1);
    else
        luaL_error(L, "a record has an unknown tag");
}

static void take_table(lua_State *L, struct reader *reader, unsigned depth)
{
    luaL_checkstack(L, 4, "a record");
    lua_newtable(L);
    while (reader->at < reader->end && *reader->at != '}') {
        lua_record_take(L, reader, depth);
        lua_record_take(L, reader, depth);
        lua_rawset(L, -3);
    }
    take_little(L, reader, 1);
}

/* unpack(text): value */
static int unpack(lua_State *L)
{
    size_t octets;
    const char *text = luaL_checklstring(L, 1, &octets);
    struct reader reader = {text, text + octets};
    lua_record_take(L, &reader, 0);
    if (reader.at != reader.end)
        luaL_error(L, "a record is too long");
    return 1;
}

int luaopen_gbflow_record(lua_State *L)
{
    static const luaL_Reg functions[] = {{"pack", pack}, {"unpack", unpack}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
