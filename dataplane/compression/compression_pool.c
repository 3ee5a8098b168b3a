/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/compression/compression_pool.h"

#include "dataplane/compression/v42bis.h"
#include "dataplane/compression/vj.h"

#include <stdlib.h>

#define LINE_OCTETS ((size_t)64)

static size_t lines(size_t octets)
{
    return (octets + LINE_OCTETS - 1) / LINE_OCTETS * LINE_OCTETS;
}

static bool has_kind(const struct compression_settings *settings, enum compression_kind kind)
{
    return kind == COMPRESSION_RFC1144 ? settings->slots > 0 : settings->codewords > 0;
}

/* Octets of an entity's part that sends, or of the one that receives. */
static size_t end_octets(const struct compression_settings *settings, enum compression_kind kind, bool sends)
{
    if (kind == COMPRESSION_RFC1144)
        return lines(sends ? vj_compressor_octets(settings->slots) : vj_decompressor_octets(settings->slots));
    return settings->is_acknowledged ? lines(v42bis_octets(settings->codewords)) : 0;
}

static struct compression_entity *at(const struct compression_pool *pool, enum compression_kind kind,
                                     uint32_t i)
{
    return (struct compression_entity *)(void *)(pool->blocks[kind] + i * pool->block_octets[kind]);
}

static void divide(struct compression_entity *entity, const struct compression_settings *settings,
                   enum compression_kind kind)
{
    uint8_t *sender = (uint8_t *)entity + lines(sizeof(*entity));
    uint8_t *receiver = sender + end_octets(settings, kind, true);
    *entity = (struct compression_entity){.is_taken = true};
    if (kind == COMPRESSION_RFC1144) {
        entity->compressor = (struct vj_compressor *)(void *)sender;
        entity->decompressor = (struct vj_decompressor *)(void *)receiver;
    } else if (settings->is_acknowledged) {
        entity->has_dictionaries = true;
        entity->encoder = (struct v42bis *)(void *)sender;
        entity->decoder = (struct v42bis *)(void *)receiver;
    }
}

/* Memory that no entity has used is not touched. */
bool compression_pool_new(struct compression_pool *pool, const struct compression_settings *settings)
{
    *pool = (struct compression_pool){.settings = *settings, .count = 2 * settings->entities};
    for (unsigned kind = 0; kind < COMPRESSION_KINDS && settings->entities > 0; kind++) {
        if (!has_kind(settings, kind))
            continue;
        pool->block_octets[kind] = lines(sizeof(struct compression_entity)) +
                                   end_octets(settings, kind, true) + end_octets(settings, kind, false);
        pool->memory[kind] = calloc(1, pool->count * pool->block_octets[kind] + LINE_OCTETS);
        if (!pool->memory[kind])
            return false;
        pool->blocks[kind] = (uint8_t *)lines((uintptr_t)pool->memory[kind]);
    }
    return true;
}

void compression_pool_free(struct compression_pool *pool)
{
    for (unsigned kind = 0; kind < COMPRESSION_KINDS; kind++)
        free(pool->memory[kind]);
    *pool = (struct compression_pool){0};
}

/* The next free block from the cursor on, where the cursor stays; NULL. */
static struct compression_entity *next_free(struct compression_pool *pool, enum compression_kind kind)
{
    for (uint32_t i = 0; pool->blocks[kind] && i < pool->count; i++) {
        struct compression_entity *entity = at(pool, kind, pool->cursor[kind]);
        if (!__atomic_load_n(&entity->is_taken, __ATOMIC_ACQUIRE))
            return entity;
        pool->cursor[kind] = (pool->cursor[kind] + 1) % pool->count;
    }
    return NULL;
}

bool compression_pool_has(struct compression_pool *pool, enum compression_kind kind)
{
    return next_free(pool, kind) != NULL;
}

struct compression_entity *compression_pool_take(struct compression_pool *pool, enum compression_kind kind)
{
    struct compression_entity *entity = next_free(pool, kind);
    if (entity)
        divide(entity, &pool->settings, kind);
    return entity;
}

void compression_pool_return(struct compression_entity *entity)
{
    __atomic_store_n(&entity->is_taken, false, __ATOMIC_RELEASE);
}
