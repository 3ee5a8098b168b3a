/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_intent.h"

#include "control/lua/lua_elements.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_table.h"

#include <lauxlib.h>
#include <stdbool.h>

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
    lua_getfield(L, -1, "op");
    lua_rawget(L, ops);
    if (lua_isnil(L, -1)) {
        lua_getfield(L, -2, "op");
        luaL_error(L, "no row for the intent '%s'", lua_tostring(L, -1));
    }
    lua_Integer number = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return (unsigned)number;
}

void lua_intents_take(const struct lua_intents *intents, const struct lua_object *from)
{
    lua_State *L = from->L;
    int list = lua_gettop(L);
    lua_Unsigned count = lua_rawlen(L, list);
    lua_rawgeti(L, LUA_REGISTRYINDEX, intents->ops);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i);
        intents->emit(intents->arg, from, number_of(L, list + 1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* --- fields --- */

static void put_integer(lua_State *L, const struct lua_intent_field *field, void *at)
{
    lua_Integer value = lua_table_integer_or(L, field->key, field->absent);
    if (field->kind == LUA_INTENT_U8)
        *(uint8_t *)at = (uint8_t)value;
    else if (field->kind == LUA_INTENT_U16)
        *(uint16_t *)at = (uint16_t)value;
    else if (field->kind == LUA_INTENT_U32)
        *(uint32_t *)at = (uint32_t)value;
    else if (field->kind == LUA_INTENT_I32)
        *(int32_t *)at = (int32_t)value;
    else
        *(uint64_t *)at = (uint64_t)value;
}

static void put_bool(lua_State *L, const struct lua_intent_field *field, void *at)
{
    *(bool *)at = lua_table_boolean(L, field->key);
}

static void put_is_there(lua_State *L, const struct lua_intent_field *field, void *at)
{
    *(bool *)at = lua_getfield(L, -1, field->key) != LUA_TNIL;
    lua_pop(L, 1);
}

/* The intent's table keeps the text alive. */
static void put_text(lua_State *L, const struct lua_intent_field *field, void *at)
{
    lua_getfield(L, -1, field->key);
    *(const char **)at = lua_tostring(L, -1);
    lua_pop(L, 1);
}

static void put_octets(lua_State *L, const struct lua_intent_field *field, void *at)
{
    struct lua_intent_octets *octets = at;
    lua_getfield(L, -1, field->key);
    octets->bytes = lua_tolstring(L, -1, &octets->count);
    lua_pop(L, 1);
}

static void put_address(lua_State *L, const struct lua_intent_field *field, void *at)
{
    struct lua_intent_address *address = at;
    address->count = lua_table_ip(L, field->key, address->octets);
}

static void put_elements(lua_State *L, const struct lua_intent_field *field, void *at)
{
    lua_elements_read(L, at);
}

void lua_intent_read(lua_State *L, const struct lua_intent_field *fields, void *out)
{
    static void (*const put[])(lua_State * L, const struct lua_intent_field *field, void *at) = {
        [LUA_INTENT_BOOL] = put_bool,         [LUA_INTENT_IS_THERE] = put_is_there,
        [LUA_INTENT_U8] = put_integer,        [LUA_INTENT_U16] = put_integer,
        [LUA_INTENT_U32] = put_integer,       [LUA_INTENT_U64] = put_integer,
        [LUA_INTENT_I32] = put_integer,       [LUA_INTENT_TEXT] = put_text,
        [LUA_INTENT_OCTETS] = put_octets,     [LUA_INTENT_ADDRESS] = put_address,
        [LUA_INTENT_ELEMENTS] = put_elements,
    };
    for (const struct lua_intent_field *field = fields; field->key; field++)
        put[field->kind](L, field, (char *)out + field->offset);
}
