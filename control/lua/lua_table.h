/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the fields of a table on top of the Lua stack, which stays there. For tables that a schema has
 * checked. */
#ifndef CONTROL_LUA_LUA_TABLE_H
#define CONTROL_LUA_LUA_TABLE_H

#include "control/lua/lua_intent.h"
#include "dataplane/wire/bssgp.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole number; absent: 0. */
lua_Integer lua_table_integer(lua_State *L, const char *key);

lua_Integer lua_table_integer_or(lua_State *L, const char *key, lua_Integer absent);

/* Absent: false. */
bool lua_table_boolean(lua_State *L, const char *key);

/* Copies a text, cut to cap - 1 octets; absent: "". */
void lua_table_text(lua_State *L, const char *key, char *out, size_t cap);

/* A copy of a text that is there, the caller's to free(). */
char *lua_table_string(lua_State *L, const char *key);

/* IPv4 address that is there, in host order. */
uint32_t lua_table_address(lua_State *L, const char *key);

/* IP address of either version; returns its octets, 4 or 16, 0: it is not there. */
size_t lua_table_ip(lua_State *L, const char *key, uint8_t octets[16]);

/* Octets of the address, 4 or 16; 0: the text is not an IP address. */
size_t lua_table_text_ip(const char *text, uint8_t octets[16]);

/* IPv6 address; false: it is not there. */
bool lua_table_ipv6(lua_State *L, const char *key, uint8_t octets[16]);

/* Pushes the table of that name; false: absent, and nothing is pushed. */
bool lua_table_enter(lua_State *L, const char *key);

typedef void (*lua_table_each_fn)(lua_State *L, void *arg, uint32_t parent);

/* Calls fn with each item of a list, which then is on top of the stack. No list: no call. */
void lua_table_each(lua_State *L, const char *key, lua_table_each_fn fn, void *arg, uint32_t parent);

/* Set a field of the table on top of the stack. text NULL: no field. */
void lua_table_set_integer(lua_State *L, const char *key, lua_Integer value);
void lua_table_set_boolean(lua_State *L, const char *key, bool value);
void lua_table_set_text(lua_State *L, const char *key, const char *text);

/* Copies the value on top of a stack, made of tables, texts, numbers and booleans, to the stack of another
 * state. The tables are a tree of few levels. */
void lua_table_copy(lua_State *to, lua_State *from);

/* Grows *(void **)array by one zeroed element and returns that. Ends the program when memory is short. */
void *lua_table_append(void *array, uint32_t *count, size_t octets);

/*
 * An object in Lua with state machines: its inputs are method calls and time, its outputs intents. Methods
 * that can have intents take `now` as the last argument and return a list of intents; next_at() returns when
 * advance() is to be called next.
 */

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

/* Calls the method whose arguments were pushed except the last, `now`, and carries out the intents. After an
 * error there are none. */
void lua_object_call(const struct lua_object *o, int arguments, int64_t now);

/* Runs the timers that are due. */
void lua_object_advance(const struct lua_object *o, int64_t now);

/* From now on the objects of a state give records. */
void lua_object_keep_records(lua_State *L);

/* After a restart of control: gives a new object a record that one before it has written
 * (lua/base/records.lua); then the end of the records. */
void lua_object_adopt(const struct lua_object *o, const char *key, const void *octets, size_t count,
                      int64_t now);
void lua_object_adopted(const struct lua_object *o, int64_t now);

/* Whether the object has the context or mobile of this number. */
bool lua_object_has(const struct lua_object *o, uint64_t number);

/* When the next timer expires; MOMENT_NEVER: no timer runs, or there is no object. */
int64_t lua_object_next_ns(const struct lua_object *o);

/* The optional elements of a mobile's DL-UNITDATA (TS 48.018 clause 10.2.1), from the checked tables of
 * lua/node/radio.lua. */

/* Reads the table on top of the stack, which stays there; false: the values do not fit. */
bool lua_elements_of(lua_State *L, struct bssgp_elements *out);

/* Reads `elements` of the table on top of the stack, which stays there; absent: *out is empty. */
void lua_elements_read(lua_State *L, struct bssgp_elements *out);

#endif
