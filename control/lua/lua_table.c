/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_table.h"

#include "control/lua/lua_guard.h"

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (!memory)
        lua_guard_no_memory("the configuration");
    return memory;
}

lua_Integer lua_table_integer(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    lua_Integer value = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

lua_Integer lua_table_integer_or(lua_State *L, const char *key, lua_Integer absent)
{
    lua_getfield(L, -1, key);
    lua_Integer value = lua_isnil(L, -1) ? absent : lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

bool lua_table_boolean(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

void lua_table_text(lua_State *L, const char *key, char *out, size_t cap)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    snprintf(out, cap, "%s", text ? text : "");
    lua_pop(L, 1);
}

char *lua_table_string(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    char *copy = checked(strdup(lua_tostring(L, -1)));
    lua_pop(L, 1);
    return copy;
}

uint32_t lua_table_address(lua_State *L, const char *key)
{
    char dotted[INET_ADDRSTRLEN];
    struct in_addr in = {0};
    lua_table_text(L, key, dotted, sizeof(dotted));
    int is_good = inet_pton(AF_INET, dotted, &in);
    assert(is_good == 1);
    (void)is_good;
    return ntohl(in.s_addr);
}

void lua_table_set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

void lua_table_set_boolean(lua_State *L, const char *key, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, key);
}

void lua_table_set_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, key);
}

bool lua_table_ipv6(lua_State *L, const char *key, uint8_t octets[16])
{
    lua_getfield(L, -1, key);
    bool is_there = lua_isstring(L, -1) && inet_pton(AF_INET6, lua_tostring(L, -1), octets) == 1;
    lua_pop(L, 1);
    return is_there;
}

size_t lua_table_text_ip(const char *text, uint8_t octets[16])
{
    if (inet_pton(AF_INET6, text, octets) == 1)
        return 16;
    return inet_pton(AF_INET, text, octets) == 1 ? 4 : 0;
}

size_t lua_table_ip(lua_State *L, const char *key, uint8_t octets[16])
{
    lua_getfield(L, -1, key);
    size_t count = lua_isstring(L, -1) ? lua_table_text_ip(lua_tostring(L, -1), octets) : 0;
    lua_pop(L, 1);
    return count;
}

bool lua_table_enter(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    if (lua_istable(L, -1))
        return true;
    lua_pop(L, 1);
    return false;
}

static void push_key(lua_State *L, const char *key, size_t chars)
{
    if (isdigit((unsigned char)key[0]))
        lua_pushinteger(L, strtol(key, NULL, 10));
    else
        lua_pushlstring(L, key, chars);
}

void lua_table_push_at(lua_State *L, const char *path)
{
    lua_pushvalue(L, -1);
    while (path && lua_istable(L, -1)) {
        const char *dot = strchr(path, '.');
        push_key(L, path, dot ? (size_t)(dot - path) : strlen(path));
        lua_gettable(L, -2);
        lua_remove(L, -2);
        path = dot ? dot + 1 : NULL;
    }
}

void lua_table_each(lua_State *L, const char *key, lua_table_each_fn fn, void *arg, uint32_t parent)
{
    if (!lua_table_enter(L, key))
        return;
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        fn(L, arg, parent);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void copy_items(lua_State *to, lua_State *from)
{
    lua_newtable(to);
    for (lua_pushnil(from); lua_next(from, -2); lua_pop(from, 1)) {
        lua_pushvalue(from, -2);
        lua_table_copy(to, from);
        lua_pop(from, 1);
        lua_table_copy(to, from);
        lua_rawset(to, -3);
    }
}

void lua_table_copy(lua_State *to, lua_State *from)
{
    luaL_checkstack(from, 4, "copy of a table");
    luaL_checkstack(to, 4, "copy of a table");
    if (lua_istable(from, -1)) {
        copy_items(to, from);
    } else if (lua_isinteger(from, -1)) {
        lua_pushinteger(to, lua_tointeger(from, -1));
    } else if (lua_type(from, -1) == LUA_TNUMBER) {
        lua_pushnumber(to, lua_tonumber(from, -1));
    } else if (lua_type(from, -1) == LUA_TSTRING) {
        size_t octets;
        const char *text = lua_tolstring(from, -1, &octets);
        lua_pushlstring(to, text, octets);
    } else {
        lua_pushboolean(to, lua_toboolean(from, -1));
    }
}

void lua_table_copy_at(lua_State *to, lua_State *from, const char *path)
{
    lua_table_push_at(from, path);
    lua_table_copy(to, from);
    lua_pop(from, 1);
}

void *lua_table_append(void *array, uint32_t *count, size_t octets)
{
    void **at = array;
    char *grown = *at;
    if ((*count & (*count - 1)) == 0) /* there is room up to the next power of two */
        grown = checked(reallocarray(*at, *count > 0 ? 2 * (size_t)*count : 1, octets));
    *at = grown;
    return memset(grown + octets * (*count)++, 0, octets);
}
