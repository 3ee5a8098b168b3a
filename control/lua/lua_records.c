/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_records.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_BUCKETS 64
#define MOVED_BUCKETS 4 /* for each record that is put, while the table grows */

void lua_records_init(struct lua_records *records, size_t limit_octets)
{
    *records = (struct lua_records){.limit_octets = limit_octets};
    TAILQ_INIT(&records->list);
}

static size_t octets_of(const struct lua_record *record)
{
    return sizeof(*record) + record->count + strlen(record->key) + 1;
}

static void release(struct lua_record *record)
{
    explicit_bzero(record, octets_of(record));
    free(record);
}

void lua_records_free(struct lua_records *records)
{
    struct lua_record *record = TAILQ_FIRST(&records->list);
    while (record) {
        struct lua_record *next = TAILQ_NEXT(record, all);
        release(record);
        record = next;
    }
    free(records->buckets);
    free(records->old_buckets);
    lua_records_init(records, records->limit_octets);
}

void lua_records_move(struct lua_records *to, struct lua_records *from)
{
    uint64_t lost = from->lost;
    *to = *from;
    to->lost = 0;
    TAILQ_INIT(&to->list);
    TAILQ_CONCAT(&to->list, &from->list, all);
    lua_records_init(from, from->limit_octets);
    from->lost = lost;
}

/* --- buckets --- */

static uint32_t hash_of(const char *who, const char *key)
{
    uint32_t hash = 2166136261u ^ (uint32_t)(uintptr_t)who; /* FNV-1a */
    for (; *key; key++)
        hash = (hash ^ (uint8_t)*key) * 16777619u;
    return hash;
}

static struct lua_record **bucket_of(const struct lua_records *records, const char *who, const char *key)
{
    uint32_t hash = hash_of(who, key), old = hash & records->old_mask;
    return records->old_buckets && old >= records->moved ? &records->old_buckets[old]
                                                         : &records->buckets[hash & records->mask];
}

static void enter(struct lua_records *records, struct lua_record *record)
{
    struct lua_record **bucket = bucket_of(records, record->who, record->key);
    record->next = *bucket;
    *bucket = record;
}

/* All at once would take 30 ms with 131 072 records. */
static void move_some(struct lua_records *records)
{
    for (unsigned i = 0; records->old_buckets && i < MOVED_BUCKETS; i++) {
        struct lua_record *record = records->old_buckets[records->moved++];
        while (record) {
            struct lua_record *next = record->next;
            enter(records, record);
            record = next;
        }
        if (records->moved > records->old_mask) {
            free(records->old_buckets);
            records->old_buckets = NULL;
        }
    }
}

/* Without memory for more buckets the ones that there are become longer. */
static void lua_records_grow(struct lua_records *records)
{
    uint32_t count = records->buckets ? 2 * (records->mask + 1) : LEAST_BUCKETS;
    struct lua_record **buckets = calloc(count, sizeof(*buckets));
    if (!buckets)
        return;
    records->old_buckets = records->buckets;
    records->old_mask = records->mask;
    records->moved = 0;
    records->buckets = buckets;
    records->mask = count - 1;
}

/* The pointer to a record in its bucket. */
static struct lua_record **lua_records_find(const struct lua_records *records, const char *who,
                                            const char *key)
{
    struct lua_record **at = records->buckets ? bucket_of(records, who, key) : NULL;
    while (at && *at && ((*at)->who != who || strcmp((*at)->key, key) != 0))
        at = &(*at)->next;
    return at && *at ? at : NULL;
}

/* --- records --- */

static struct lua_record *lua_records_make(const struct lua_records *records, const char *key, size_t count)
{
    size_t chars = strlen(key) + 1, octets = sizeof(struct lua_record) + count + chars;
    struct lua_record *record = records->octets + octets <= records->limit_octets ? calloc(1, octets) : NULL;
    if (!record)
        return NULL;
    record->count = count;
    record->key = memcpy(record->octets + count, key, chars);
    return record;
}

bool lua_records_put(struct lua_records *records, const char *who, const char *key, const void *octets,
                     size_t count)
{
    lua_records_del(records, who, key);
    move_some(records);
    if (!records->buckets || (!records->old_buckets && records->count > records->mask))
        lua_records_grow(records);
    struct lua_record *record = records->buckets ? lua_records_make(records, key, count) : NULL;
    if (!record) {
        records->lost++;
        return false;
    }
    record->who = who;
    memcpy(record->octets, octets, count);
    TAILQ_INSERT_TAIL(&records->list, record, all);
    enter(records, record);
    records->count++;
    records->octets += octets_of(record);
    return true;
}

void lua_records_del(struct lua_records *records, const char *who, const char *key)
{
    struct lua_record **at = lua_records_find(records, who, key);
    if (!at)
        return;
    struct lua_record *record = *at;
    *at = record->next;
    TAILQ_REMOVE(&records->list, record, all);
    records->count--;
    records->octets -= octets_of(record);
    release(record);
}

const struct lua_record *lua_records_get(const struct lua_records *records, const char *who, const char *key)
{
    struct lua_record **at = lua_records_find(records, who, key);
    return at ? *at : NULL;
}
