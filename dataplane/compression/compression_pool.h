/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of entities of SNDCP's compression: the control core takes an entity, the thread that ends it
 * returns it. */
#ifndef DATAPLANE_COMPRESSION_COMPRESSION_POOL_H
#define DATAPLANE_COMPRESSION_COMPRESSION_POOL_H

#include "dataplane/compression/compression.h"

/* One thread takes entities, and asks whether it can. */
struct compression_pool {
    struct compression_settings settings;
    void *memory[COMPRESSION_KINDS];
    uint8_t *blocks[COMPRESSION_KINDS]; /* in it, by cache lines; NULL: not this kind */
    size_t block_octets[COMPRESSION_KINDS];
    uint32_t count; /* of blocks of a kind: twice as many as entities, as some are on the way back */
    uint32_t cursor[COMPRESSION_KINDS];
};

/* False: out of memory; compression_pool_free() is due all the same. */
bool compression_pool_new(struct compression_pool *pool, const struct compression_settings *settings);
void compression_pool_free(struct compression_pool *pool);

/* Whether compression_pool_take() has one. */
bool compression_pool_has(struct compression_pool *pool, enum compression_kind kind);

/* NULL: none is free. */
struct compression_entity *compression_pool_take(struct compression_pool *pool, enum compression_kind kind);

/* Any thread may return an entity, which is of no use to it afterwards. */
void compression_pool_return(struct compression_entity *entity);

#endif
