/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_intent.h"

#include "control/lua/lua_elements.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_table.h"

#include <lauxlib.h>
#include <string.h>

/* --- ops --- */

void lua_intents_init(struct lua_intents *intents, lua_State *L, lua_intent_emit emit, void *arg)
{
    lua_newtable(L);
    *intents = (struct lua_intents){.L = L, .ops = luaL_ref(L, LUA_REGISTRYINDEX), .emit = emit, .arg = arg};
}

void lua_intents_fini(struct lua_intents *intents)
{
    luaL_unref(intents->L, LUA_REGISTRYINDEX, intents->ops);
}

void lua_intents_name(struct lua_intents *intents, const char *op, unsigned number)
{
    lua_rawgeti(intents->L, LUA_REGISTRYINDEX, intents->ops);
    lua_pushinteger(intents->L, number);
    lua_setfield(intents->L, -2, op);
    lua_pop(intents->L, 1);
}

/* The number of the op of the intent on top of the stack; `ops`: stack index of the table of numbers. */
static unsigned number_of(lua_State *L, int ops)
{
    if (!lua_istable(L, -1))
        return LUA_INTENT_NO_OP;
    if (lua_getfield(L, -1, "op") == LUA_TNIL) {
        lua_pop(L, 1);
        return LUA_INTENT_NO_OP;
    }
    unsigned number = lua_rawget(L, ops) == LUA_TNUMBER ? (unsigned)lua_tointeger(L, -1) : LUA_INTENT_NO_OP;
    lua_pop(L, 1);
    return number;
}

void lua_intents_take(const struct lua_intents *intents, const struct lua_object *from)
{
    lua_State *L = from->L;
    int list = lua_gettop(L);
    if (!lua_istable(L, list)) {
        intents->emit(intents->arg, from, LUA_INTENT_NO_OP);
        return;
    }
    lua_Unsigned count = lua_rawlen(L, list);
    lua_rawgeti(L, LUA_REGISTRYINDEX, intents->ops);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i);
        intents->emit(intents->arg, from, number_of(L, list + 1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* --- fields: each reader takes the value on top of the stack, which is not nil; false: it does not fit ---
 */

static void store(uint8_t kind, lua_Integer value, void *at)
{
    if (kind == LUA_INTENT_U8)
        *(uint8_t *)at = (uint8_t)value;
    else if (kind == LUA_INTENT_U16)
        *(uint16_t *)at = (uint16_t)value;
    else if (kind == LUA_INTENT_U32)
        *(uint32_t *)at = (uint32_t)value;
    else if (kind == LUA_INTENT_I32)
        *(int32_t *)at = (int32_t)value;
    else
        *(uint64_t *)at = (uint64_t)value;
}

static bool put_integer(lua_State *L, uint8_t kind, void *at)
{
    static const struct {
        lua_Integer min, max;
    } ranges[] = {
        [LUA_INTENT_U8] = {0, UINT8_MAX},          [LUA_INTENT_U16] = {0, UINT16_MAX},
        [LUA_INTENT_U32] = {0, UINT32_MAX},        [LUA_INTENT_U64] = {0, LUA_MAXINTEGER},
        [LUA_INTENT_I32] = {INT32_MIN, INT32_MAX},
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
    struct lua_intent_octets *octets = at;
    if (lua_type(L, -1) != LUA_TSTRING)
        return false;
    octets->bytes = lua_tolstring(L, -1, &octets->count);
    return true;
}

static bool put_address(lua_State *L, uint8_t unused_kind, void *at)
{
    struct lua_intent_address *address = at;
    address->count =
        lua_type(L, -1) == LUA_TSTRING ? lua_table_text_ip(lua_tostring(L, -1), address->octets) : 0;
    return address->count > 0;
}

static bool put_elements(lua_State *L, uint8_t unused_kind, void *at)
{
    return lua_istable(L, -1) && lua_elements_of(L, at);
}

static bool (*const put[])(lua_State *L, uint8_t kind, void *at) = {
    [LUA_INTENT_BOOL] = put_bool,         [LUA_INTENT_IS_THERE] = put_is_there,
    [LUA_INTENT_U8] = put_integer,        [LUA_INTENT_U16] = put_integer,
    [LUA_INTENT_U32] = put_integer,       [LUA_INTENT_U64] = put_integer,
    [LUA_INTENT_I32] = put_integer,       [LUA_INTENT_TEXT] = put_text,
    [LUA_INTENT_OCTETS] = put_octets,     [LUA_INTENT_ADDRESS] = put_address,
    [LUA_INTENT_ELEMENTS] = put_elements,
};

static bool read_field(lua_State *L, const struct lua_intent_field *field, void *at)
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

const char *lua_intent_read(lua_State *L, const struct lua_intent_field *fields, void *out)
{
    for (const struct lua_intent_field *field = fields; field->key; field++)
        if (!read_field(L, field, (char *)out + field->offset))
            return field->key;
    return NULL;
}
