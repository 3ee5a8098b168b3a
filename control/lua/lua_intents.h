/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intents: tables in which state machines in Lua return the actions to be carried out, { op = "...", fields
 * }. The caller has a row per op, with a list of the fields (lua_fields.h) to read into a struct of its own.
 */
#ifndef CONTROL_LUA_LUA_INTENTS_H
#define CONTROL_LUA_LUA_INTENTS_H

#include <lua.h>
#include <stdint.h>

#define LUA_INTENT_NO_OP UINT32_MAX

struct lua_object;

/* Carries out an intent, which is on top of the stack of from->L; `op`: the number of its op.
 * LUA_INTENT_NO_OP: it is no table, or its op has no number; nothing can be read from it. */
typedef void (*lua_intent_emit)(void *arg, const struct lua_object *from, unsigned op);

/* A call of an object has failed: its results are lost. `text`: the error with a traceback. */
typedef void (*lua_intent_fail)(void *arg, const struct lua_object *from, const char *text);

struct lua_intents {
    lua_State *L;
    int ops; /* registry reference to the numbers of ops by name */
    lua_intent_emit emit;
    lua_intent_fail fail; /* NULL: errors are not reported */
    void *arg;
};

/* Makes an empty set of ops; `fail` is NULL. The caller keeps the Lua state. */
void lua_intents_init(struct lua_intents *intents, lua_State *L, lua_intent_emit emit, void *arg);
void lua_intents_fini(struct lua_intents *intents);

void lua_intents_name(struct lua_intents *intents, const char *op, unsigned number);

/* Calls emit() for each intent of the list on top of the stack, in order; once with LUA_INTENT_NO_OP if it is
 * no list. */
void lua_intents_take(const struct lua_intents *intents, const struct lua_object *from);

#endif
