/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intents: tables in which state machines in Lua return the actions to be carried out, { op = "...", fields
 * }. The caller has a row per op, with a list of the fields to read into a struct of its own.
 */
#ifndef CONTROL_LUA_LUA_INTENT_H
#define CONTROL_LUA_LUA_INTENT_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/* The C type of a field's member. */
enum lua_intent_kind {
    LUA_INTENT_BOOL,     /* bool; absent: false */
    LUA_INTENT_IS_THERE, /* bool: whether the field is there */
    LUA_INTENT_U8,
    LUA_INTENT_U16,
    LUA_INTENT_U32,
    LUA_INTENT_U64,
    LUA_INTENT_I32,
    LUA_INTENT_TEXT,     /* const char *, until emit() returns; absent: NULL */
    LUA_INTENT_OCTETS,   /* struct lua_intent_octets */
    LUA_INTENT_ADDRESS,  /* struct lua_intent_address */
    LUA_INTENT_ELEMENTS, /* struct bssgp_elements, from the checked tables of lua/node/radio.lua */
};

struct lua_intent_octets {
    const char *bytes; /* until emit() returns */
    size_t count;
};

/* An IP address of either version. */
struct lua_intent_address {
    uint8_t octets[16];
    size_t count; /* 4 or 16; 0: absent */
};

struct lua_intent_field {
    const char *key; /* NULL: the end of the list */
    uint16_t offset; /* of the member */
    uint8_t kind;    /* enum lua_intent_kind */
    int32_t absent;  /* the value of an absent integer */
    bool is_needed;  /* an intent without it is refused */
};

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

/*
 * Reads fields of the intent on top of the stack into a struct. NULL; or the key of the first field that is
 * needed and absent, has another type, or a value that the member cannot hold: the intent must be refused
 * then.
 */
const char *lua_intent_read(lua_State *L, const struct lua_intent_field *fields, void *out);

/*
 * Records of the state machines in Lua: what they have to know again after a restart of control
 * (lua/base/records.lua), as octets by object and key. They are outside of Lua, so that an error in Lua
 * leaves them as they were before the event. Records may have ciphering keys: their memory is wiped.
 *
 *     octets = sum of all records with their keys and headers <= limit_octets
 */

struct lua_record {
    TAILQ_ENTRY(lua_record) all; /* in the order in which they were put */
    struct lua_record *next;     /* of its bucket */
    const char *who;             /* lua_object.who of the object that wrote it */
    const char *key;             /* behind the octets, in the same memory */
    size_t count;
    uint8_t octets[];
};

struct lua_records {
    TAILQ_HEAD(core_record_list, lua_record) list;
    struct lua_record **buckets;     /* mask + 1; NULL: none yet */
    struct lua_record **old_buckets; /* old_mask + 1, those below `moved` are empty; NULL: all have moved */
    uint32_t mask, old_mask, moved, count;
    size_t octets, limit_octets;
    uint64_t lost; /* records without room; the older one of the same key is deleted then */
};

void lua_records_init(struct lua_records *records, size_t limit_octets);
void lua_records_free(struct lua_records *records);

/* Moves all records of another one to an uninitialized one; the other one is empty then. */
void lua_records_move(struct lua_records *to, struct lua_records *from);

/* Replaces the record of an object (who: static, compared as a pointer) and a key. False: no memory, or
 * beyond the limit; counted, and there is no record of the key. */
bool lua_records_put(struct lua_records *records, const char *who, const char *key, const void *octets,
                     size_t count);

/* No effect if there is none. */
void lua_records_del(struct lua_records *records, const char *who, const char *key);

/* NULL: there is none. */
const struct lua_record *lua_records_get(const struct lua_records *records, const char *who, const char *key);

#endif
