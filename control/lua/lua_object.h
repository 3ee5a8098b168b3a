/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An object in Lua with state machines: its inputs are method calls and time, its outputs intents. Methods
 * that can have intents take `now` as the last argument and return a list of intents; next_at() returns when
 * advance() is to be called next.
 */
#ifndef CONTROL_LUA_LUA_OBJECT_H
#define CONTROL_LUA_LUA_OBJECT_H

#include "control/lua/lua_fields.h"
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

/* An argument of a call. Texts and octets NULL: nil. */
struct lua_arg {
    enum {
        LUA_ARG_END,
        LUA_ARG_INTEGER,
        LUA_ARG_BOOL,
        LUA_ARG_TEXT,
        LUA_ARG_OCTETS,
        LUA_ARG_RECORD, /* the table that fields, `with`, make of a struct */
        LUA_ARG_LIST,   /* the list of tables that fields, `with`, make of an array of structs */
        LUA_ARG_OF,     /* the field `with` of the table at a place of the object's stack; NULL: that table */
        LUA_ARG_AT, /* the value at a path of keys, "a.2.b", of the table on top of another state, `with` */
    } kind;
    intptr_t value; /* the integer, or the pointer */
    size_t count;   /* of octets, or of structs */
    void *with;
    size_t octets; /* of a struct */
};

/* clang-format off */
#define LUA_ARG(value)                                                                                       \
    ((struct lua_arg){_Generic((value), bool: LUA_ARG_BOOL, char *: LUA_ARG_TEXT, const char *: LUA_ARG_TEXT,  \
                               default: LUA_ARG_INTEGER), (intptr_t)(value), 0, NULL, 0})
/* clang-format on */
/* An expression that is int in C, such as a comparison. */
#define LUA_BOOL(value) ((struct lua_arg){LUA_ARG_BOOL, (bool)(value), 0, NULL, 0})
#define LUA_MAYBE(value, is_there)                                                                           \
    ((struct lua_arg){(is_there) ? LUA_ARG_INTEGER : LUA_ARG_TEXT, (is_there) ? (intptr_t)(value) : 0, 0,    \
                      NULL, 0})
#define LUA_OCTETS(octets, count) ((struct lua_arg){LUA_ARG_OCTETS, (intptr_t)(octets), count, NULL, 0})
#define LUA_RECORD(fields, record)                                                                           \
    ((struct lua_arg){LUA_ARG_RECORD, (intptr_t)(record), 0, (void *)(fields), 0})
#define LUA_OF(place, key) ((struct lua_arg){LUA_ARG_OF, place, 0, key, 0})
#define LUA_AT(L, path)    ((struct lua_arg){LUA_ARG_AT, (intptr_t)(path), 0, L, 0})
#define LUA_LIST(fields, array, count)                                                                       \
    ((struct lua_arg){LUA_ARG_LIST, (intptr_t)(array), count, (void *)(fields), sizeof((array)[0])})

/* A call of a method. `now` is given as the last argument, behind those of the list, which LUA_ARG_END ends.
 */
struct lua_call {
    const char *method;
    const struct lua_arg *arguments;
    int64_t now;
};

/* Carries out the intents that the method returns. After an error there are none. */
void lua_object_tell(const struct lua_object *o, const struct lua_call *call);

/* Of a method that returns nothing. */
void lua_object_set(const struct lua_object *o, const struct lua_call *call);

/* The integer that the method returns, or 1 or 0 for true or false; otherwise: it returns another value, or
 * has failed. */
int64_t lua_object_answer(const struct lua_object *o, const struct lua_call *call, int64_t otherwise);

/* Reads the table that the method returns into a struct, as lua_fields_load(). False: it returns none. Texts
 * hold until the next call of Lua. */
bool lua_object_read(const struct lua_object *o, const struct lua_call *call, const struct lua_field *fields,
                     void *out);

#define LUA_LIST_OCTETS 1024 /* of a row, at most */

/* How the tables of a list are read: each by `fields` into `row`, which is as it was before. */
struct lua_list {
    const char *key; /* of the list in the table that the method returns; NULL: that is the list */
    const struct lua_field *fields;
    void *row;
    size_t octets;
    void (*each)(void *arg, const void *row); /* texts hold until it returns */
    void *arg;
};

/* Reads the list that the method returns; none: no call of each(). */
void lua_object_each(const struct lua_object *o, const struct lua_call *call, const struct lua_list *list);

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

/* When the next timer expires; MOMENT_NEVER: no timer runs, or there is no object. */
int64_t lua_object_next_ns(const struct lua_object *o);

#endif
