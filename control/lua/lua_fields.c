/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_fields.h"

#include "control/lua/lua_elements.h"
#include "control/lua/lua_table.h"

#include <lauxlib.h>
#include <string.h>

/* --- fields: each reader takes the value on top of the stack, which is not nil; false: it does not fit ---
 */

static void store(uint8_t kind, lua_Integer value, void *at)
{
    if (kind == LUA_FIELD_U8)
        *(uint8_t *)at = (uint8_t)value;
    else if (kind == LUA_FIELD_U16)
        *(uint16_t *)at = (uint16_t)value;
    else if (kind == LUA_FIELD_U32)
        *(uint32_t *)at = (uint32_t)value;
    else if (kind == LUA_FIELD_I32)
        *(int32_t *)at = (int32_t)value;
    else
        *(uint64_t *)at = (uint64_t)value;
}

static bool put_integer(lua_State *L, uint8_t kind, void *at)
{
    static const struct {
        lua_Integer min, max;
    } ranges[] = {
        [LUA_FIELD_U8] = {0, UINT8_MAX},          [LUA_FIELD_U16] = {0, UINT16_MAX},
        [LUA_FIELD_U32] = {0, UINT32_MAX},        [LUA_FIELD_U64] = {0, LUA_MAXINTEGER},
        [LUA_FIELD_I32] = {INT32_MIN, INT32_MAX},
    };
    int is_integer;
    lua_Integer value = lua_tointegerx(L, -1, &is_integer);
    if (lua_type(L, -1) != LUA_TNUMBER || !is_integer || value < ranges[kind].min || value > ranges[kind].max)
        return false;
    store(kind, value, at);
    return true;
}

static bool put_bool(lua_State *L, uint8_t unused_kind, void *at)
{
    *(bool *)at = lua_toboolean(L, -1);
    return lua_isboolean(L, -1);
}

static bool put_is_there(lua_State *L, uint8_t unused_kind, void *at)
{
    *(bool *)at = true;
    return true;
}

/* The intent's table keeps the text alive. A text with a NUL in it would be cut. */
static bool put_text(lua_State *L, uint8_t unused_kind, void *at)
{
    size_t octets;
    if (lua_type(L, -1) != LUA_TSTRING)
        return false;
    const char *text = *(const char **)at = lua_tolstring(L, -1, &octets);
    return strlen(text) == octets;
}

static bool put_octets(lua_State *L, uint8_t unused_kind, void *at)
{
    struct lua_field_octets *octets = at;
    if (lua_type(L, -1) != LUA_TSTRING)
        return false;
    octets->bytes = lua_tolstring(L, -1, &octets->count);
    return true;
}

static bool put_address(lua_State *L, uint8_t unused_kind, void *at)
{
    struct lua_field_address *address = at;
    address->count =
        lua_type(L, -1) == LUA_TSTRING ? lua_table_text_ip(lua_tostring(L, -1), address->octets) : 0;
    return address->count > 0;
}

static bool put_elements(lua_State *L, uint8_t unused_kind, void *at)
{
    return lua_istable(L, -1) && lua_elements_of(L, at);
}

static bool (*const put[])(lua_State *L, uint8_t kind, void *at) = {
    [LUA_FIELD_BOOL] = put_bool,       [LUA_FIELD_IS_THERE] = put_is_there, [LUA_FIELD_U8] = put_integer,
    [LUA_FIELD_U16] = put_integer,     [LUA_FIELD_U32] = put_integer,       [LUA_FIELD_U64] = put_integer,
    [LUA_FIELD_I32] = put_integer,     [LUA_FIELD_TEXT] = put_text,         [LUA_FIELD_OCTETS] = put_octets,
    [LUA_FIELD_ADDRESS] = put_address, [LUA_FIELD_ELEMENTS] = put_elements,
};

static bool read_field(lua_State *L, const struct lua_field *field, void *at)
{
    bool is_integer = put[field->kind] == put_integer;
    if (lua_getfield(L, -1, field->key) != LUA_TNIL) {
        bool is_good = put[field->kind](L, field->kind, at);
        lua_pop(L, 1);
        return is_good;
    }
    lua_pop(L, 1);
    if (is_integer)
        store(field->kind, field->absent, at);
    return !field->is_needed;
}

const char *lua_fields_read(lua_State *L, const struct lua_field *fields, void *out)
{
    for (const struct lua_field *field = fields; field->key; field++)
        if (!read_field(L, field, (char *)out + field->offset))
            return field->key;
    return NULL;
}
