/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of the state machines in Lua: what they have to know again after a restart of control
 * (lua/base/records.lua), as octets by object and key. They are outside of Lua, so that an error in Lua
 * leaves them as they were before the event. Records may have ciphering keys: their memory is wiped.
 *
 *     octets = sum of all records with their keys and headers <= limit_octets
 */
#ifndef CONTROL_LUA_LUA_RECORDS_H
#define CONTROL_LUA_LUA_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

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
