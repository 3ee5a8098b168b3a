/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host_ports.h"

#include <stdlib.h>

bool host_ports_new(struct host_ports *ports, uint32_t max)
{
    uint32_t buckets = 1;
    while (buckets < max)
        buckets *= 2;
    *ports = (struct host_ports){
        .rows = calloc(max ? max : 1, sizeof(*ports->rows)),
        .buckets = calloc(buckets, sizeof(*ports->buckets)),
        .mask = buckets - 1,
    };
    if (!ports->rows || !ports->buckets)
        return false;
    for (uint32_t i = 0; i < max; i++) {
        ports->rows[i].next = ports->free_rows;
        ports->free_rows = &ports->rows[i];
    }
    return true;
}

void host_ports_free(struct host_ports *ports)
{
    free(ports->rows);
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

struct host_ports_row *host_ports_put(struct host_ports *ports, struct host_ports_key key)
{
    struct host_ports_row **link = link_to(ports, key), *row = ports->free_rows;
    if (*link || !row)
        return NULL;
    ports->free_rows = row->next;
    *row = (struct host_ports_row){.key = key};
    *link = row;
    return row;
}

void host_ports_drop(struct host_ports *ports, struct host_ports_key key)
{
    struct host_ports_row **link = link_to(ports, key), *row = *link;
    if (!row)
        return;
    *link = row->next;
    row->next = ports->free_rows;
    ports->free_rows = row;
}

struct host_ports_row *host_ports_get(struct host_ports *ports, struct host_ports_key key)
{
    struct host_ports_row *row = *link_to(ports, key);
    if (row)
        return row;
    key.remote = 0;
    return *link_to(ports, key);
}
