/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/lookup.h"

#include "dataplane/worker/table.h"

#include <rte_hash.h>

#define CHANGING_TLLIS 64 /* plus one mobile in four: as many can have two TLLIs at a time */

bool lookup_new(struct lookup *l, const char *name, const struct context_limits *limits)
{
    *l = (struct lookup){0};
    l->endpoints = table_new(name, "nsvc", limits->nsvcs);
    if (l->endpoints && addresses_new(&l->ipv6, name) && u64_map_new(&l->remotes, limits->pdps) &&
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
    addresses_free(&l->ipv6);
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
