/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/addresses.h"

#include "dataplane/worker/table.h"

#include <rte_hash.h>
#include <rte_malloc.h>
#include <string.h>

static_assert(sizeof(struct table_key) == ADDRESS_IPV6_OCTETS, "one key");

bool addresses_new(struct addresses *a, const char *name)
{
    a->places = table_new(name, "ipv6", ADDRESSES_MAX);
    a->list = rte_zmalloc(name, ADDRESSES_MAX * sizeof(*a->list), 0);
    return a->places && a->list;
}

void addresses_free(struct addresses *a)
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

int addresses_put(struct addresses *a, uint32_t place, const uint8_t octets[ADDRESS_IPV6_OCTETS])
{
    struct table_key key = key_of(octets);
    uint32_t known = table_get(a->places, &key);
    if (known != TABLE_NONE)
        return known == place ? 0 : -1;
    if (place >= ADDRESSES_MAX || addresses_octets(a, address_of_place(place)) ||
        table_add(a->places, &key, place) < 0)
        return -1;
    memcpy(a->list[place], octets, ADDRESS_IPV6_OCTETS);
    a->count++;
    return 0;
}

uint32_t addresses_get(const struct addresses *a, const uint8_t octets[ADDRESS_IPV6_OCTETS])
{
    if (a->count == 0)
        return ADDRESS_NONE;
    struct table_key key = key_of(octets);
    uint32_t place = table_get(a->places, &key);
    return place == TABLE_NONE ? ADDRESS_NONE : address_of_place(place);
}

const uint8_t *addresses_octets(const struct addresses *a, uint32_t address)
{
    static const uint8_t none[ADDRESS_IPV6_OCTETS];
    uint32_t place = address_place(address);
    if (!address_is_ipv6(address) || place >= ADDRESSES_MAX ||
        memcmp(a->list[place], none, sizeof(none)) == 0)
        return NULL;
    return a->list[place];
}
