/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An object in Lua with state machines in it, as C sees it: calls of its methods and time go in, intents come
 * out. Methods that can have intents take `now` last and return a list of them; next_at() is when advance()
 * is to be called next.
 */
#ifndef CONTROL_LUA_LUA_OBJECT_H
#define CONTROL_LUA_LUA_OBJECT_H

#include "control/lua/lua_intent.h"

#include <lua.h>
#include <stdint.h>

struct lua_object {
    lua_State *L;    /* NULL: there is no object */
    int ref;         /* in the registry */
    const char *who; /* in logs */
    const struct lua_intents *intents;
};

/* Puts new() of a module under the configuration on top of the stack; the other arguments are pushed after
 * that. */
void lua_object_push_new(lua_State *L, const char *module);

/* Calls it, with so many arguments, and keeps the object that it returns. `who`: static; intents: as long as
 * the object. The state stays the caller's. */
void lua_object_init(struct lua_object *o, const struct lua_intents *intents, const char *who, int arguments);
void lua_object_fini(struct lua_object *o);

/* Pushes a method and the object; the arguments follow. */
void lua_object_push(const struct lua_object *o, const char *method);

/* Calls the method whose arguments, so many, were pushed; its results stay on the stack. */
void lua_object_ask(const struct lua_object *o, int arguments, int results);

/* Calls the method whose arguments but the last, `now`, were pushed, and has the intents carried out. */
void lua_object_call(const struct lua_object *o, int arguments, int64_t now);

/* Lets timers expire that are due. */
void lua_object_advance(const struct lua_object *o, int64_t now);

/* When the next timer expires; MOMENT_NEVER: no timer runs, or there is no object. */
int64_t lua_object_next_ns(const struct lua_object *o);

#endif
