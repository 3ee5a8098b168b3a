/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_object.h"

#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/moment.h"

#include <assert.h>
#include <lauxlib.h>
#include <string.h>

void lua_object_push_new(lua_State *L, const char *module)
{
    lua_host_require(L, module);
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_insert(L, -2);
}

void lua_object_init(struct lua_object *o, const struct lua_intents *intents, const char *who, int arguments)
{
    lua_State *L = intents->L;
    lua_host_call(L, arguments, 1);
    *o = (struct lua_object){.L = L, .ref = luaL_ref(L, LUA_REGISTRYINDEX), .who = who, .intents = intents};
}

void lua_object_fini(struct lua_object *o)
{
    if (o->L)
        luaL_unref(o->L, LUA_REGISTRYINDEX, o->ref);
}

void lua_object_push(const struct lua_object *o, const char *method)
{
    lua_rawgeti(o->L, LUA_REGISTRYINDEX, o->ref);
    lua_getfield(o->L, -1, method);
    lua_insert(o->L, -2);
}

/* The error's text is on top of the stack. */
static void tell(const struct lua_object *o)
{
    const struct lua_intents *intents = o->intents;
    bool is_text = lua_type(o->L, -1) == LUA_TSTRING;
    if (intents->fail)
        intents->fail(intents->arg, o, is_text ? lua_tostring(o->L, -1) : "an error without a text");
    lua_pop(o->L, 1);
}

/* Calls the method whose `arguments` arguments were pushed; its results, 0 or 1, stay on the stack. False: an
 * error, which was told; the result is an empty table then. */
static bool try_it(const struct lua_object *o, int arguments, int results)
{
    if (lua_host_try(o->L, arguments + 1, results))
        return true;
    tell(o);
    for (int i = 0; i < results; i++)
        lua_newtable(o->L);
    return false;
}

static void push_structs(lua_State *L, const struct lua_arg *arg)
{
    lua_createtable(L, (int)arg->count, 0);
    for (size_t i = 0; i < arg->count; i++) {
        lua_fields_push(L, arg->with, (const char *)arg->value + i * arg->octets);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_of(lua_State *L, const struct lua_arg *arg)
{
    if (arg->with)
        lua_getfield(L, (int)arg->value, arg->with);
    else
        lua_pushvalue(L, (int)arg->value);
}

static void push_argument(lua_State *L, const struct lua_arg *arg)
{
    const void *at = (const void *)arg->value;
    if (arg->kind == LUA_ARG_INTEGER)
        lua_pushinteger(L, arg->value);
    else if (arg->kind == LUA_ARG_BOOL)
        lua_pushboolean(L, arg->value != 0);
    else if (!at)
        lua_pushnil(L);
    else if (arg->kind == LUA_ARG_OF)
        push_of(L, arg);
    else if (arg->kind == LUA_ARG_TEXT)
        lua_pushstring(L, at);
    else if (arg->kind == LUA_ARG_OCTETS)
        lua_pushlstring(L, at, arg->count);
    else if (arg->kind == LUA_ARG_RECORD)
        lua_fields_push(L, arg->with, at);
    else if (arg->kind == LUA_ARG_LIST)
        push_structs(L, arg);
    else
        lua_table_copy_at(L, arg->with, at);
}

/* Pushes the method, the object and the arguments, and calls it. */
static bool call_it(const struct lua_object *o, const struct lua_call *call, int results)
{
    int count = 0;
    lua_object_push(o, call->method);
    for (; call->arguments[count].kind != LUA_ARG_END; count++)
        push_argument(o->L, &call->arguments[count]);
    lua_pushinteger(o->L, call->now);
    return try_it(o, count + 1, results);
}

void lua_object_tell(const struct lua_object *o, const struct lua_call *call)
{
    call_it(o, call, 1);
    lua_intents_take(o->intents, o);
    lua_pop(o->L, 1);
}

void lua_object_set(const struct lua_object *o, const struct lua_call *call)
{
    call_it(o, call, 0);
}

int64_t lua_object_answer(const struct lua_object *o, const struct lua_call *call, int64_t otherwise)
{
    call_it(o, call, 1);
    int64_t answer = lua_isinteger(o->L, -1)   ? lua_tointeger(o->L, -1)
                     : lua_isboolean(o->L, -1) ? lua_toboolean(o->L, -1)
                                               : otherwise;
    lua_pop(o->L, 1);
    return answer;
}

bool lua_object_read(const struct lua_object *o, const struct lua_call *call, const struct lua_field *fields,
                     void *out)
{
    bool is_there = call_it(o, call, 1) && lua_istable(o->L, -1);
    if (is_there)
        lua_fields_load(o->L, fields, out);
    lua_pop(o->L, 1);
    return is_there;
}

void lua_object_each(const struct lua_object *o, const struct lua_call *call, const struct lua_list *list)
{
    lua_State *L = o->L;
    int top = lua_gettop(L);
    char before[LUA_LIST_OCTETS];
    assert(list->octets <= sizeof(before));
    memcpy(before, list->row, list->octets);
    if (call_it(o, call, 1) && list->key && lua_istable(L, -1))
        lua_getfield(L, -1, list->key);
    lua_Integer rows = lua_istable(L, -1) ? luaL_len(L, -1) : 0;
    for (lua_Integer i = 1; i <= rows; i++) {
        lua_geti(L, -1, i);
        memcpy(list->row, before, list->octets);
        lua_fields_load(L, list->fields, list->row);
        list->each(list->arg, list->row);
        lua_pop(L, 1);
    }
    lua_settop(L, top);
}

void lua_object_advance(const struct lua_object *o, int64_t now)
{
    lua_object_tell(o, &(struct lua_call){"advance", (const struct lua_arg[]){{0}}, now});
}

void lua_object_keep_records(lua_State *L)
{
    lua_host_require(L, "base.records");
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "is_on");
    lua_pop(L, 1);
}

bool lua_object_set_trace(lua_State *L, const struct lua_object_trace *list, unsigned count)
{
    int top = lua_gettop(L);
    lua_getglobal(L, "require");
    lua_pushstring(L, "base.trace");
    bool is_good = lua_host_try(L, 1, 1);
    if (is_good) {
        lua_getfield(L, -1, "set");
        for (unsigned i = 0; i < count; i++) {
            lua_pushstring(L, list[i].word);
            lua_pushstring(L, list[i].categories);
        }
        is_good = lua_host_try(L, 2 * (int)count, 0);
    }
    lua_settop(L, top);
    return is_good;
}

void lua_object_adopt(const struct lua_object *o, const char *key, const void *octets, size_t count,
                      int64_t now)
{
    const struct lua_arg arguments[] = {LUA_ARG(key), LUA_OCTETS(octets, count), {0}};
    lua_object_tell(o, &(struct lua_call){"adopt", arguments, now});
}

void lua_object_adopted(const struct lua_object *o, int64_t now)
{
    lua_object_tell(o, &(struct lua_call){"adopted", (const struct lua_arg[]){{0}}, now});
}

int64_t lua_object_next_ns(const struct lua_object *o)
{
    if (!o->L)
        return MOMENT_NEVER;
    lua_object_push(o, "next_at");
    try_it(o, 0, 1);
    int64_t at = lua_isinteger(o->L, -1) ? lua_tointeger(o->L, -1) : MOMENT_NEVER;
    lua_pop(o->L, 1);
    return at;
}
