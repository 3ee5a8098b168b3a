/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_fields.h"

#include "control/lua/lua_elements.h"
#include "control/lua/lua_guard.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/bytes.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#define PPM_PER_PERCENT 10000

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

static bool put_integer(lua_State *L, const struct lua_field *field, void *at)
{
    static const struct {
        lua_Integer min, max;
    } ranges[] = {
        [LUA_FIELD_U8] = {0, UINT8_MAX},          [LUA_FIELD_U16] = {0, UINT16_MAX},
        [LUA_FIELD_U32] = {0, UINT32_MAX},        [LUA_FIELD_U64] = {0, LUA_MAXINTEGER},
        [LUA_FIELD_I32] = {INT32_MIN, INT32_MAX}, [LUA_FIELD_I64] = {LUA_MININTEGER, LUA_MAXINTEGER},
    };
    const uint8_t kind = field->kind;
    int is_integer;
    lua_Integer value = lua_tointegerx(L, -1, &is_integer);
    if (lua_type(L, -1) != LUA_TNUMBER || !is_integer || value < ranges[kind].min || value > ranges[kind].max)
        return false;
    store(kind, value, at);
    return true;
}

static bool put_bool(lua_State *L, const struct lua_field *unused_field, void *at)
{
    *(bool *)at = lua_toboolean(L, -1);
    return lua_isboolean(L, -1);
}

static bool put_is_there(lua_State *L, const struct lua_field *unused_field, void *at)
{
    *(bool *)at = true;
    return true;
}

/* The intent's table keeps the text alive. A text with a NUL in it would be cut. */
static bool put_text(lua_State *L, const struct lua_field *unused_field, void *at)
{
    size_t octets;
    if (lua_type(L, -1) != LUA_TSTRING)
        return false;
    const char *text = *(const char **)at = lua_tolstring(L, -1, &octets);
    return strlen(text) == octets;
}

static bool put_octets(lua_State *L, const struct lua_field *unused_field, void *at)
{
    struct lua_field_octets *octets = at;
    if (lua_type(L, -1) != LUA_TSTRING)
        return false;
    octets->bytes = lua_tolstring(L, -1, &octets->count);
    return true;
}

static bool put_address(lua_State *L, const struct lua_field *unused_field, void *at)
{
    struct lua_field_address *address = at;
    address->count =
        lua_type(L, -1) == LUA_TSTRING ? lua_table_text_ip(lua_tostring(L, -1), address->octets) : 0;
    return address->count > 0;
}

static bool put_elements(lua_State *L, const struct lua_field *unused_field, void *at)
{
    return lua_istable(L, -1) && lua_elements_of(L, at);
}

static bool put_real(lua_State *L, const struct lua_field *unused_field, void *at)
{
    *(double *)at = lua_tonumber(L, -1);
    return lua_isnumber(L, -1);
}

static bool put_chars(lua_State *L, const struct lua_field *field, void *at)
{
    const char *text = lua_tostring(L, -1);
    snprintf(at, field->octets, "%s", text ? text : "");
    return text;
}

static bool put_copy(lua_State *L, const struct lua_field *unused_field, void *at)
{
    const char *text = lua_tostring(L, -1);
    if (!(*(char **)at = strdup(text)))
        lua_guard_no_memory("the configuration");
    return true;
}

static bool put_word(lua_State *L, const struct lua_field *field, void *at)
{
    const char *text = lua_tostring(L, -1);
    for (unsigned i = 0; text && field->words[i]; i++) {
        if (strcmp(field->words[i], text) != 0)
            continue;
        if (field->octets == sizeof(uint8_t))
            *(uint8_t *)at = (uint8_t)i;
        else
            *(unsigned *)at = i;
        return true;
    }
    return false;
}

static bool put_is_word(lua_State *L, const struct lua_field *field, void *at)
{
    const char *text = lua_tostring(L, -1);
    *(bool *)at = text && strcmp(text, field->words[0]) == 0;
    return text;
}

static bool put_not(lua_State *L, const struct lua_field *unused_field, void *at)
{
    *(bool *)at = !lua_toboolean(L, -1);
    return lua_isboolean(L, -1);
}

static bool put_percent(lua_State *L, const struct lua_field *unused_field, void *at)
{
    *(uint32_t *)at = (uint32_t)(lua_tointeger(L, -1) / PPM_PER_PERCENT);
    return lua_isinteger(L, -1);
}

static bool put_ipv4(lua_State *L, const struct lua_field *unused_field, void *at)
{
    uint8_t octets[16];
    const char *text = lua_tostring(L, -1);
    bool is_good = text && lua_table_text_ip(text, octets) == 4;
    *(uint32_t *)at = is_good ? bytes_get_u32(octets) : 0;
    return is_good;
}

static bool put_mac(lua_State *L, const struct lua_field *unused_field, void *at)
{
    uint8_t *mac = at;
    const char *text = lua_tostring(L, -1);
    return text && sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", &mac[0], &mac[1], &mac[2], &mac[3],
                          &mac[4], &mac[5]) == 6;
}

static bool put_u32s(lua_State *L, const struct lua_field *field, void *at)
{
    uint32_t *numbers = at;
    for (unsigned i = 0; i < field->octets / sizeof(*numbers) && i < lua_rawlen(L, -1); i++) {
        lua_rawgeti(L, -1, i + 1);
        numbers[i] = (uint32_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    return lua_istable(L, -1);
}

static bool (*const put[])(lua_State *L, const struct lua_field *field, void *at) = {
    [LUA_FIELD_I64] = put_integer,   [LUA_FIELD_REAL] = put_real,       [LUA_FIELD_CHARS] = put_chars,
    [LUA_FIELD_COPY] = put_copy,     [LUA_FIELD_WORD] = put_word,       [LUA_FIELD_IS_WORD] = put_is_word,
    [LUA_FIELD_NOT] = put_not,       [LUA_FIELD_PERCENT] = put_percent, [LUA_FIELD_IPV4] = put_ipv4,
    [LUA_FIELD_MAC] = put_mac,       [LUA_FIELD_BOOL] = put_bool,       [LUA_FIELD_IS_THERE] = put_is_there,
    [LUA_FIELD_U8] = put_integer,    [LUA_FIELD_U16] = put_integer,     [LUA_FIELD_U32] = put_integer,
    [LUA_FIELD_U64] = put_integer,   [LUA_FIELD_I32] = put_integer,     [LUA_FIELD_TEXT] = put_text,
    [LUA_FIELD_OCTETS] = put_octets, [LUA_FIELD_ADDRESS] = put_address, [LUA_FIELD_ELEMENTS] = put_elements,
    [LUA_FIELD_U32S] = put_u32s,
};

static bool read_field(lua_State *L, const struct lua_field *field, void *at)
{
    bool is_integer = put[field->kind] == put_integer;
    if (lua_getfield(L, -1, field->key) != LUA_TNIL) {
        bool is_good = put[field->kind](L, field, at);
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

static void load_field(lua_State *L, const struct lua_field *field, void *at)
{
    lua_table_push_at(L, field->key);
    if (put[field->kind] == put_integer)
        store(field->kind, lua_isnil(L, -1) ? field->absent : lua_tointeger(L, -1), at);
    else if (!lua_isnil(L, -1))
        put[field->kind](L, field, at);
    else if (field->kind == LUA_FIELD_NOT)
        *(bool *)at = true;
    lua_pop(L, 1);
}

void lua_fields_load(lua_State *L, const struct lua_field *fields, void *out)
{
    for (const struct lua_field *field = fields; field->key; field++)
        load_field(L, field, (char *)out + field->offset);
}

/* --- writing --- */

static lua_Integer lua_fields_integer(uint8_t kind, const void *at)
{
    switch (kind) {
    case LUA_FIELD_BOOL:
        return *(const bool *)at;
    case LUA_FIELD_U8:
        return *(const uint8_t *)at;
    case LUA_FIELD_U16:
        return *(const uint16_t *)at;
    case LUA_FIELD_U32:
        return *(const uint32_t *)at;
    case LUA_FIELD_I32:
        return *(const int32_t *)at;
    default:
        return *(const int64_t *)at;
    }
}

static bool push_number(lua_State *L, const struct lua_field *field, lua_Integer value)
{
    if (!field->is_needed && value == field->absent)
        return false;
    if (field->kind == LUA_FIELD_BOOL)
        lua_pushboolean(L, value != 0);
    else
        lua_pushinteger(L, value);
    return true;
}

/* False: it is the value of an absent field, and nothing is pushed. */
static bool push_member(lua_State *L, const struct lua_field *field, const void *at)
{
    if (field->kind == LUA_FIELD_CHARS)
        return lua_pushstring(L, at);
    if (field->kind == LUA_FIELD_TEXT)
        return *(const char *const *)at && lua_pushstring(L, *(const char *const *)at);
    const struct lua_field_octets *octets = at;
    if (field->kind == LUA_FIELD_OCTETS)
        return octets->bytes && lua_pushlstring(L, octets->bytes, octets->count);
    return push_number(L, field, lua_fields_integer(field->kind, at));
}

/* Sets a field of the table below the value on top; "a.b": b of its table a, made if it is new. */
static void set_at(lua_State *L, const char *key)
{
    const char *dot = strchr(key, '.');
    if (!dot) {
        lua_setfield(L, -2, key);
        return;
    }
    lua_pushlstring(L, key, (size_t)(dot - key));
    lua_pushvalue(L, -1);
    if (lua_gettable(L, -4) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
    }
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, dot + 1);
    lua_settable(L, -4);
    lua_pop(L, 1);
}

void lua_fields_push(lua_State *L, const struct lua_field *fields, const void *in)
{
    int count = 0;
    while (fields[count].key)
        count++;
    lua_createtable(L, 0, count);
    for (const struct lua_field *field = fields; field->key; field++)
        if (push_member(L, field, (const char *)in + field->offset))
            set_at(L, field->key);
}
