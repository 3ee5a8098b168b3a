/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_records.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_BUCKETS 64

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
    lua_records_init(records, records->limit_octets);
}

void lua_records_move(struct lua_records *to, struct lua_records *from)
{
    lua_records_init(to, from->limit_octets);
    TAILQ_CONCAT(&to->list, &from->list, all);
    to->buckets = from->buckets;
    to->mask = from->mask;
    to->count = from->count;
    to->octets = from->octets;
    from->buckets = NULL;
    from->mask = from->count = 0;
    from->octets = 0;
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
    return &records->buckets[hash_of(who, key) & records->mask];
}

static void enter(struct lua_records *records, struct lua_record *record)
{
    struct lua_record **bucket = bucket_of(records, record->who, record->key);
    record->next = *bucket;
    *bucket = record;
}

/* Without memory for more buckets the ones that there are become longer. */
static void grow(struct lua_records *records)
{
    uint32_t count = records->buckets ? 2 * (records->mask + 1) : LEAST_BUCKETS;
    struct lua_record **buckets = calloc(count, sizeof(*buckets)), *record;
    if (!buckets)
        return;
    free(records->buckets);
    records->buckets = buckets;
    records->mask = count - 1;
    TAILQ_FOREACH(record, &records->list, all)
    enter(records, record);
}

/* The pointer to a record in its bucket. */
static struct lua_record **find(const struct lua_records *records, const char *who, const char *key)
{
    struct lua_record **at = records->buckets ? bucket_of(records, who, key) : NULL;
    while (at && *at && ((*at)->who != who || strcmp((*at)->key, key) != 0))
        at = &(*at)->next;
    return at && *at ? at : NULL;
}

/* --- records --- */

static struct lua_record *make(const struct lua_records *records, const char *key, size_t count)
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
    if (!records->buckets || records->count > records->mask)
        grow(records);
    struct lua_record *record = records->buckets ? make(records, key, count) : NULL;
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
    struct lua_record **at = find(records, who, key);
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
    struct lua_record **at = find(records, who, key);
    return at ? *at : NULL;
}
