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
    LUA_FIELD_I64,
    LUA_FIELD_REAL,     /* double; absent: 0 */
    LUA_FIELD_TEXT,     /* const char *, until emit() returns; absent: NULL */
    LUA_FIELD_OCTETS,   /* struct lua_field_octets */
    LUA_FIELD_ADDRESS,  /* struct lua_field_address */
    LUA_FIELD_CHARS,    /* char[], cut to its size; absent: as it was, like those below */
    LUA_FIELD_COPY,     /* char *, the caller's to free() */
    LUA_FIELD_WORD,     /* an enum or uint8_t: the place of a text among `words`; another text: as it was */
    LUA_FIELD_IS_WORD,  /* bool: whether a text is words[0] */
    LUA_FIELD_NOT,      /* bool: the opposite of a boolean; absent: true */
    LUA_FIELD_PERCENT,  /* uint32_t, of a ratio in ppm */
    LUA_FIELD_IPV4,     /* uint32_t, host order */
    LUA_FIELD_MAC,      /* uint8_t[6] */
    LUA_FIELD_U32S,     /* uint32_t[], of a list, cut to its size */
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
    const char *key;          /* "a.b": b of the table a; NULL: the end of the list */
    uint16_t offset;          /* of the member */
    uint8_t kind;             /* enum lua_field_kind */
    int32_t absent;           /* the value of an absent integer */
    bool is_needed;           /* an intent without it is refused */
    uint16_t octets;          /* of the member; needed for texts and words */
    const char *const *words; /* NULL ends them */
};

/* Rows without limits, for tables that a schema has checked: the kind is that of the member's type, or named.
 */
#define LUA_FIELD_AS(KIND, type, member, key)                                                                \
    {                                                                                                        \
        key, offsetof(type, member), LUA_FIELD_##KIND, 0, false, sizeof(((type *)0)->member), NULL           \
    }
#define LUA_FIELD_NEEDED(KIND, type, member, key)                                                            \
    {                                                                                                        \
        key, offsetof(type, member), LUA_FIELD_##KIND, 0, true, sizeof(((type *)0)->member), NULL            \
    }
#define LUA_FIELD_OF(type, member, key)                                                                        \
    {                                                                                                          \
        key, offsetof(type, member),                                                                         \
            _Generic(((type *)0)->member, bool                                                               \
                     : LUA_FIELD_BOOL, uint8_t                                                               \
                     : LUA_FIELD_U8, uint16_t                                                                \
                     : LUA_FIELD_U16, uint32_t                                                               \
                     : LUA_FIELD_U32, uint64_t                                                               \
                     : LUA_FIELD_U64, int                                                                    \
                     : LUA_FIELD_I32, int64_t                                                                \
                     : LUA_FIELD_I64, double                                                                 \
                     : LUA_FIELD_REAL, char *                                                                \
                     : LUA_FIELD_CHARS),                                                                     \
            0, false, sizeof(((type *)0)->member), NULL \
    }
#define LUA_FIELD_OR(KIND, type, member, key, absent)                                                        \
    {                                                                                                        \
        key, offsetof(type, member), LUA_FIELD_##KIND, absent, false, 0, NULL                                \
    }
#define LUA_FIELD_WORDS(KIND, type, member, key, ...)                                                        \
    {                                                                                                        \
        key, offsetof(type, member), LUA_FIELD_##KIND, 0, false, sizeof(((type *)0)->member),                \
            (const char *const[])                                                                            \
        {                                                                                                    \
            __VA_ARGS__, NULL                                                                                \
        }                                                                                                    \
    }

/*
 * Reads fields of the intent on top of the stack into a struct. NULL; or the key of the first field that is
 * needed and absent, has another type, or a value that the member cannot hold: the intent must be refused
 * then.
 */
const char *lua_fields_read(lua_State *L, const struct lua_field *fields, void *out);

/* The same of a table that a schema has checked: integers are cut to the member's size, nothing is refused.
 * Ends the program when memory is short. */
void lua_fields_load(lua_State *L, const struct lua_field *fields, void *out);

/* The reverse: pushes a table with the fields of a struct, of booleans, integers, texts and octets. A field
 * that is not needed is left out if its member has the value of an absent one. */
void lua_fields_push(lua_State *L, const struct lua_field *fields, const void *in);

#endif
