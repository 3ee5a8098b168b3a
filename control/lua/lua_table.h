/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the fields of a table on top of the Lua stack, which stays there. For tables that a schema has
 * checked. */
#ifndef CONTROL_LUA_LUA_TABLE_H
#define CONTROL_LUA_LUA_TABLE_H

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

/* Pushes the value at a path of keys, "a.2.b"; nil, or a value that is no table, if a key is absent. */
void lua_table_push_at(lua_State *L, const char *path);

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
/* The same of the value at a path of keys of the table on top of `from`; absent: false. */
void lua_table_copy_at(lua_State *to, lua_State *from, const char *path);

/* Grows *(void **)array by one zeroed element and returns that. Ends the program when memory is short. */
void *lua_table_append(void *array, uint32_t *count, size_t octets);

#endif
