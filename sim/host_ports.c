/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host_ports.h"

#include <stdlib.h>

#define FIRST_BUCKETS 4 /* a power of two */

bool host_ports_new(struct host_ports *ports, uint32_t max)
{
    *ports = (struct host_ports){
        .buckets = calloc(FIRST_BUCKETS, sizeof(*ports->buckets)),
        .mask = FIRST_BUCKETS - 1,
        .max = max,
    };
    return ports->buckets != NULL;
}

static struct host_ports_row *take_first(struct host_ports_row **bucket)
{
    struct host_ports_row *row = *bucket;
    *bucket = row->next;
    return row;
}

void host_ports_free(struct host_ports *ports)
{
    for (uint32_t i = 0; ports->buckets && i <= ports->mask; i++)
        while (ports->buckets[i])
            free(take_first(&ports->buckets[i]));
    free(ports->buckets);
    *ports = (struct host_ports){0};
}

static struct host_ports_row **bucket_of(struct host_ports *ports, struct host_ports_key key)
{
    uint32_t hash = (key.remote ^ (uint32_t)key.port << 16 ^ key.proto) * UINT32_C(2654435769);
    return &ports->buckets[(hash >> 8) & ports->mask];
}

/* The link that points to the row with this key, or to the end of its bucket. */
static struct host_ports_row **link_to(struct host_ports *ports, struct host_ports_key key)
{
    struct host_ports_row **link = bucket_of(ports, key);
    for (; *link; link = &(*link)->next) {
        const struct host_ports_key *other = &(*link)->key;
        if (other->remote == key.remote && other->port == key.port && other->proto == key.proto)
            break;
    }
    return link;
}

/* Doubles the buckets; false: no memory, unchanged. */
static bool grow(struct host_ports *ports)
{
    struct host_ports old = *ports;
    ports->mask = 2 * old.mask + 1;
    ports->buckets = calloc((size_t)ports->mask + 1, sizeof(*ports->buckets));
    if (!ports->buckets) {
        *ports = old;
        return false;
    }
    for (uint32_t i = 0; i <= old.mask; i++) {
        while (old.buckets[i]) {
            struct host_ports_row *row = take_first(&old.buckets[i]), **bucket = bucket_of(ports, row->key);
            row->next = *bucket;
            *bucket = row;
        }
    }
    free(old.buckets);
    return true;
}

struct host_ports_row *host_ports_put(struct host_ports *ports, struct host_ports_key key)
{
    if (*link_to(ports, key) || ports->count == ports->max || (ports->count > ports->mask && !grow(ports)))
        return NULL;
    struct host_ports_row **link = link_to(ports, key), *row = malloc(sizeof(*row));
    if (!row)
        return NULL;
    *row = (struct host_ports_row){.key = key};
    *link = row;
    ports->count++;
    return row;
}

void host_ports_drop(struct host_ports *ports, struct host_ports_key key)
{
    struct host_ports_row **link = link_to(ports, key);
    if (!*link)
        return;
    free(take_first(link));
    ports->count--;
}

struct host_ports_row *host_ports_get(struct host_ports *ports, struct host_ports_key key)
{
    struct host_ports_row *row = *link_to(ports, key);
    if (row)
        return row;
    key.remote = 0;
    return *link_to(ports, key);
}
