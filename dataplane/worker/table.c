/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/table.h"

#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <stdio.h>

struct rte_hash *table_new(const char *name, const char *what, uint32_t entries)
{
    char full[RTE_HASH_NAMESIZE];
    snprintf(full, sizeof(full), "%s.%s", name, what);
    struct rte_hash_parameters params = {
        .name = full,
        /* Room for every entry, even if buckets fill unevenly. */
        .entries = entries + entries / 4 + 64,
        .key_len = sizeof(struct table_key),
        .hash_func = rte_hash_crc,
        .socket_id = SOCKET_ID_ANY,
        .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
    };
    return rte_hash_create(&params);
}

int table_add(struct rte_hash *table, const struct table_key *key, uint32_t index)
{
    if (rte_hash_lookup(table, key) >= 0)
        return -1;
    return table_replace(table, key, index);
}

int table_replace(struct rte_hash *table, const struct table_key *key, uint32_t index)
{
    return rte_hash_add_key_data(table, key, (void *)(uintptr_t)index) == 0 ? 0 : -1;
}

void table_del(struct rte_hash *table, const struct table_key *key)
{
    rte_hash_del_key(table, key);
}

uint32_t table_get(const struct rte_hash *table, const struct table_key *key)
{
    void *data;
    return rte_hash_lookup_data(table, key, &data) >= 0 ? (uint32_t)(uintptr_t)data : TABLE_NONE;
}

void table_get_bulk(const struct rte_hash *table, const struct table_key **keys, unsigned count,
                    uint32_t *indices)
{
    void *data[RTE_HASH_LOOKUP_BULK_MAX];
    uint64_t hits = 0;

    rte_hash_lookup_bulk_data(table, (const void **)keys, count, &hits, data);
    for (unsigned i = 0; i < count; i++)
        indices[i] = hits >> i & 1 ? (uint32_t)(uintptr_t)data[i] : TABLE_NONE;
}
