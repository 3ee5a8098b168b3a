/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the fields of a table in Lua, and of the members of a struct in C that they are read into. */
#ifndef CONTROL_LUA_LUA_FIELDS_H
#define CONTROL_LUA_LUA_FIELDS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The C type of a field's member. */
enum lua_field_kind {
    LUA_FIELD_BOOL,     /* bool; absent: false */
    LUA_FIELD_IS_THERE, /* bool: whether the field is there */
    LUA_FIELD_U8,
    LUA_FIELD_U16,
    LUA_FIELD_U32,
    LUA_FIELD_U64,
    LUA_FIELD_I32,
    LUA_FIELD_TEXT,     /* const char *, until emit() returns; absent: NULL */
    LUA_FIELD_OCTETS,   /* struct lua_field_octets */
    LUA_FIELD_ADDRESS,  /* struct lua_field_address */
    LUA_FIELD_ELEMENTS, /* struct bssgp_elements, from the checked tables of lua/node/radio.lua */
};

struct lua_field_octets {
    const char *bytes; /* until emit() returns */
    size_t count;
};

/* An IP address of either version. */
struct lua_field_address {
    uint8_t octets[16];
    size_t count; /* 4 or 16; 0: absent */
};

struct lua_field {
    const char *key; /* NULL: the end of the list */
    uint16_t offset; /* of the member */
    uint8_t kind;    /* enum lua_field_kind */
    int32_t absent;  /* the value of an absent integer */
    bool is_needed;  /* an intent without it is refused */
};

/*
 * Reads fields of the intent on top of the stack into a struct. NULL; or the key of the first field that is
 * needed and absent, has another type, or a value that the member cannot hold: the intent must be refused
 * then.
 */
const char *lua_fields_read(lua_State *L, const struct lua_field *fields, void *out);

#endif
