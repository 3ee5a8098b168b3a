/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/lookup.h"
#include "dataplane/context/context.h"

#include "dataplane/base/address.h"
#include "dataplane/base/bigmem.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/base/teid.h"

#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct rte_hash *lookup_table_new(const char *name, const char *what, uint32_t entries)
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

int lookup_table_add(struct rte_hash *table, const struct table_key *key, uint32_t index)
{
    if (rte_hash_lookup(table, key) >= 0)
        return -1;
    return lookup_table_replace(table, key, index);
}

int lookup_table_replace(struct rte_hash *table, const struct table_key *key, uint32_t index)
{
    return rte_hash_add_key_data(table, key, (void *)(uintptr_t)index) == 0 ? 0 : -1;
}

void lookup_table_del(struct rte_hash *table, const struct table_key *key)
{
    rte_hash_del_key(table, key);
}

uint32_t lookup_table_get(const struct rte_hash *table, const struct table_key *key)
{
    void *data;
    return rte_hash_lookup_data(table, key, &data) >= 0 ? (uint32_t)(uintptr_t)data : TABLE_NONE;
}

void lookup_table_get_bulk(const struct rte_hash *table, const struct table_key **keys, unsigned count,
                           uint32_t *indices)
{
    void *data[RTE_HASH_LOOKUP_BULK_MAX];
    uint64_t hits = 0;

    rte_hash_lookup_bulk_data(table, (const void **)keys, count, &hits, data);
    for (unsigned i = 0; i < count; i++)
        indices[i] = hits >> i & 1 ? (uint32_t)(uintptr_t)data[i] : TABLE_NONE;
}

static_assert(sizeof(struct table_key) == ADDRESS_IPV6_OCTETS, "one key");

static bool lookup_ipv6_new(struct addresses *a, const char *name)
{
    a->places = lookup_table_new(name, "ipv6", ADDRESSES_MAX);
    a->list = rte_zmalloc(name, ADDRESSES_MAX * sizeof(*a->list), 0);
    return a->places && a->list;
}

static void lookup_ipv6_free(struct addresses *a)
{
    rte_hash_free(a->places);
    rte_free(a->list);
    *a = (struct addresses){0};
}

static struct table_key key_of(const uint8_t *octets)
{
    struct table_key key;
    memcpy(&key, octets, sizeof(key));
    return key;
}

int lookup_ipv6_put(struct addresses *a, uint32_t place, const uint8_t octets[ADDRESS_IPV6_OCTETS])
{
    struct table_key key = key_of(octets);
    uint32_t known = lookup_table_get(a->places, &key);
    if (known != TABLE_NONE)
        return known == place ? 0 : -1;
    if (place >= ADDRESSES_MAX || lookup_ipv6_octets(a, address_of_place(place)) ||
        lookup_table_add(a->places, &key, place) < 0)
        return -1;
    memcpy(a->list[place], octets, ADDRESS_IPV6_OCTETS);
    a->count++;
    return 0;
}

uint32_t lookup_ipv6_get(const struct addresses *a, const uint8_t octets[ADDRESS_IPV6_OCTETS])
{
    if (a->count == 0)
        return ADDRESS_NONE;
    struct table_key key = key_of(octets);
    uint32_t place = lookup_table_get(a->places, &key);
    return place == TABLE_NONE ? ADDRESS_NONE : address_of_place(place);
}

const uint8_t *lookup_ipv6_octets(const struct addresses *a, uint32_t address)
{
    static const uint8_t none[ADDRESS_IPV6_OCTETS];
    uint32_t place = address_place(address);
    if (!address_is_ipv6(address) || place >= ADDRESSES_MAX ||
        memcmp(a->list[place], none, sizeof(none)) == 0)
        return NULL;
    return a->list[place];
}

#define CHANGING_TLLIS 64 /* plus one mobile in four: as many can have two TLLIs at a time */

bool lookup_new(struct lookup *l, const char *name, const struct context_limits *limits)
{
    *l = (struct lookup){0};
    l->endpoints = lookup_table_new(name, "nsvc", limits->nsvcs);
    if (l->endpoints && lookup_ipv6_new(&l->ipv6, name) && u64_map_new(&l->remotes, limits->pdps) &&
        u64_map_new(&l->bss, limits->nsvcs) &&
        u64_map_new(&l->mobiles, limits->mobiles + limits->mobiles / 4 + CHANGING_TLLIS))
        return true;
    lookup_free(l);
    return false;
}

void lookup_free(struct lookup *l)
{
    u64_map_free(&l->bss);
    u64_map_free(&l->remotes);
    u64_map_free(&l->mobiles);
    lookup_ipv6_free(&l->ipv6);
    rte_hash_free(l->endpoints);
    *l = (struct lookup){0};
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
    addresses->marks |= lookup_mark(ip);
    return 0;
}

static void remove_address(struct lookup_addresses *addresses, uint32_t i)
{
    addresses->list[i] = addresses->list[--addresses->count];
    addresses->marks = 0;
    for (i = 0; i < addresses->count; i++)
        addresses->marks |= lookup_mark(addresses->list[i].ip);
}

void lookup_address_del(struct lookup_addresses *addresses, uint32_t ip)
{
    for (uint32_t i = 0; i < addresses->count; i++) {
        if (addresses->list[i].ip != ip)
            continue;
        if (--addresses->list[i].users == 0)
            remove_address(addresses, i);
        return;
    }
}

bool lookup_ms_add(struct lookup *l, const struct ms *ms, uint32_t index, uint16_t nse)
{
    if (!lookup_tlli_add(l, nse, ms->tlli, index))
        return false;
    if (!ms->has_tlli_old || lookup_tlli_add(l, nse, ms->tlli_old, index))
        return true;
    lookup_tlli_del(l, nse, ms->tlli, index);
    return false;
}

void lookup_ms_del(struct lookup *l, const struct ms *ms, uint32_t index, uint16_t nse)
{
    lookup_tlli_del(l, nse, ms->tlli, index);
    if (ms->has_tlli_old)
        lookup_tlli_del(l, nse, ms->tlli_old, index);
}

void lookup_ms_add_old(struct lookup *l, struct ms *ms, uint32_t index, uint16_t nse, uint32_t tlli)
{
    if (!lookup_tlli_add(l, nse, tlli, index))
        return;
    ms->tlli_old = tlli;
    ms->has_tlli_old = true;
}

void lookup_bss_add(struct lookup *l, uint32_t ip)
{
    uint32_t users = u64_map_get(&l->bss, ip);
    u64_map_put(&l->bss, ip, users == U64_MAP_NONE ? 1 : users + 1);
}

void lookup_bss_del(struct lookup *l, uint32_t ip)
{
    uint32_t users = u64_map_get(&l->bss, ip);
    if (users == 1)
        u64_map_del(&l->bss, ip, 1);
    else if (users != U64_MAP_NONE)
        u64_map_put(&l->bss, ip, users - 1);
}
