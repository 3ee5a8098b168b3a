/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_intents.h"

#include "control/lua/lua_object.h"

#include <lauxlib.h>

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
static unsigned lua_intent_number_of(lua_State *L, int ops)
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
        intents->emit(intents->arg, from, lua_intent_number_of(L, list + 1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
