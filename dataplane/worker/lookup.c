/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/lookup.h"

#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <stdio.h>

#define CHANGING_TLLIS 64 /* and one mobile in four: so many have two TLLIs at a time */

struct rte_hash *lookup_table(const char *name, const char *what, uint32_t entries)
{
    char full[RTE_HASH_NAMESIZE];
    snprintf(full, sizeof(full), "%s.%s", name, what);
    struct rte_hash_parameters params = {
        .name = full,
        /* Room for every entry even when buckets fill unevenly. */
        .entries = entries + entries / 4 + 64,
        .key_len = sizeof(struct lookup_key),
        .hash_func = rte_hash_crc,
        .socket_id = SOCKET_ID_ANY,
        .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
    };
    return rte_hash_create(&params);
}

bool lookup_new(struct lookup *l, const char *name, const struct context_limits *limits)
{
    *l = (struct lookup){0};
    l->endpoints = lookup_table(name, "nsvc", limits->nsvcs);
    if (l->endpoints && addresses_new(&l->ipv6, name) && u64_map_new(&l->remotes, limits->pdps) &&
        u64_map_new(&l->mobiles, limits->mobiles + limits->mobiles / 4 + CHANGING_TLLIS))
        return true;
    lookup_free(l);
    return false;
}

void lookup_free(struct lookup *l)
{
    u64_map_free(&l->remotes);
    u64_map_free(&l->mobiles);
    addresses_free(&l->ipv6);
    rte_hash_free(l->endpoints);
    *l = (struct lookup){0};
}

int lookup_add(struct rte_hash *table, const struct lookup_key *key, uint32_t index)
{
    if (rte_hash_lookup(table, key) >= 0)
        return -1;
    return lookup_replace(table, key, index);
}

int lookup_replace(struct rte_hash *table, const struct lookup_key *key, uint32_t index)
{
    return rte_hash_add_key_data(table, key, (void *)(uintptr_t)index) == 0 ? 0 : -1;
}

void lookup_del(struct rte_hash *table, const struct lookup_key *key)
{
    rte_hash_del_key(table, key);
}

uint32_t lookup_get(const struct rte_hash *table, const struct lookup_key *key)
{
    void *data;
    return rte_hash_lookup_data(table, key, &data) >= 0 ? (uint32_t)(uintptr_t)data : LOOKUP_NONE;
}

void lookup_get_bulk(const struct rte_hash *table, const struct lookup_key **keys, unsigned count,
                     uint32_t *indices)
{
    void *data[RTE_HASH_LOOKUP_BULK_MAX];
    uint64_t hits = 0;

    rte_hash_lookup_bulk_data(table, (const void **)keys, count, &hits, data);
    for (unsigned i = 0; i < count; i++)
        indices[i] = hits >> i & 1 ? (uint32_t)(uintptr_t)data[i] : LOOKUP_NONE;
}

int lookup_address_add(struct lookup_addresses *addresses, uint32_t ip)
{
    for (uint32_t i = 0; i < addresses->count; i++) {
        if (addresses->list[i].ip == ip) {
            addresses->list[i].users++;
            return 0;
        }
    }
    if (addresses->count == LOOKUP_ADDRESSES)
        return -1;
    addresses->list[addresses->count++] = (struct lookup_address){.ip = ip, .users = 1};
    return 0;
}

void lookup_address_del(struct lookup_addresses *addresses, uint32_t ip)
{
    for (uint32_t i = 0; i < addresses->count; i++) {
        if (addresses->list[i].ip != ip)
            continue;
        if (--addresses->list[i].users == 0)
            addresses->list[i] = addresses->list[--addresses->count];
        return;
    }
}
