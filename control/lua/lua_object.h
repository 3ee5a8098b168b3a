/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An object in Lua with state machines: its inputs are method calls and time, its outputs intents. Methods
 * that can have intents take `now` as the last argument and return a list of intents; next_at() returns when
 * advance() is to be called next.
 */
#ifndef CONTROL_LUA_LUA_OBJECT_H
#define CONTROL_LUA_LUA_OBJECT_H

#include "control/lua/lua_intents.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_object {
    lua_State *L;    /* NULL: there is no object */
    int ref;         /* in the registry */
    const char *who; /* in logs */
    const struct lua_intents *intents;
};

/* Inserts new() of a module below the configuration on top of the stack; the caller pushes further arguments
 * then. */
void lua_object_push_new(lua_State *L, const char *module);

/* Calls new() with a number of arguments, and keeps the object that it returns. `who`: static; intents must
 * outlive the object. The caller keeps the Lua state. */
void lua_object_init(struct lua_object *o, const struct lua_intents *intents, const char *who, int arguments);
void lua_object_fini(struct lua_object *o);

/* Pushes a method and the object; the caller pushes the arguments then. */
void lua_object_push(const struct lua_object *o, const char *method);

/* Calls the method whose `arguments` arguments were pushed; its results, 0 or 1, stay on the stack. False: an
 * error, which was reported to intents->fail(); the result is an empty table then. */
bool lua_object_ask(const struct lua_object *o, int arguments, int results);

/* An argument of a call; text NULL: nil. */
struct lua_arg {
    enum { LUA_ARG_END, LUA_ARG_INTEGER, LUA_ARG_BOOL, LUA_ARG_TEXT, LUA_ARG_OCTETS } kind;
    intptr_t value; /* the integer, or the pointer */
    size_t count;   /* of octets */
};

/* clang-format off */
#define LUA_ARG(value)                                                                                       \
    {_Generic((value), bool: LUA_ARG_BOOL, char *: LUA_ARG_TEXT, const char *: LUA_ARG_TEXT,                 \
              default: LUA_ARG_INTEGER), (intptr_t)(value), 0}
/* clang-format on */
#define LUA_OCTETS(octets, count)                                                                            \
    {                                                                                                        \
        LUA_ARG_OCTETS, (intptr_t)(octets), count                                                            \
    }

/* lua_object_send(o, now, method, arguments...): calls a method and carries out its intents, as
 * lua_object_call(). lua_object_set(o, method, arguments...): one without result, as lua_object_ask(). */
#define lua_object_send(o, now, ...)                                                                         \
    lua_object_send_list(o, now, (const struct lua_arg[]){LUA_OBJECT_LIST(__VA_ARGS__)})
#define lua_object_set(o, ...) lua_object_set_list(o, (const struct lua_arg[]){LUA_OBJECT_LIST(__VA_ARGS__)})
#define LUA_OBJECT_LIST(method, ...)                                                                         \
    LUA_ARG(method), ##__VA_ARGS__,                                                                          \
    {                                                                                                        \
        0                                                                                                    \
    }
void lua_object_send_list(const struct lua_object *o, int64_t now, const struct lua_arg *list);
void lua_object_set_list(const struct lua_object *o, const struct lua_arg *list);

/* Calls the method whose arguments were pushed except the last, `now`, and carries out the intents. After an
 * error there are none. */
void lua_object_call(const struct lua_object *o, int arguments, int64_t now);

/* Runs the timers that are due. */
void lua_object_advance(const struct lua_object *o, int64_t now);

/* From now on the objects of a state give records. */
void lua_object_keep_records(lua_State *L);

/* Lines of level debug of these categories, separated by blanks, that have this word, "": all of them
 * (lua/base/trace.lua). */
struct lua_object_trace {
    const char *word, *categories;
};

/* The lines that the objects of a state give from now on. False: out of memory; they are as they were. */
bool lua_object_set_trace(lua_State *L, const struct lua_object_trace *list, unsigned count);

/* After a restart of control: gives a new object a record that one before it has written
 * (lua/base/records.lua); then the end of the records. */
void lua_object_adopt(const struct lua_object *o, const char *key, const void *octets, size_t count,
                      int64_t now);
void lua_object_adopted(const struct lua_object *o, int64_t now);

/* Whether the object has the context or mobile of this number. */
bool lua_object_has(const struct lua_object *o, uint64_t number);

/* When the next timer expires; MOMENT_NEVER: no timer runs, or there is no object. */
int64_t lua_object_next_ns(const struct lua_object *o);

#endif
