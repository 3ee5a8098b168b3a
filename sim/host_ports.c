/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host_ports.h"

#include <stdio.h>
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
static bool host_ports_grow(struct host_ports *ports)
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
    if (*link_to(ports, key) || ports->count == ports->max ||
        (ports->count > ports->mask && !host_ports_grow(ports)))
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

bool host_connections_new(struct host_connections *c, uint32_t max)
{
    *c = (struct host_connections){
        .buckets = calloc(FIRST_BUCKETS, sizeof(*c->buckets)),
        .mask = FIRST_BUCKETS - 1,
        .max = max,
    };
    return c->buckets != NULL;
}

void host_connections_free(struct host_connections *c)
{
    while (c->all) {
        struct host_connection *connection = c->all;
        c->all = connection->owned;
        tcp_fini(&connection->tcp);
        free(connection);
    }
    free(c->buckets);
    *c = (struct host_connections){0};
}

static uint32_t hash_of(const struct tcp_address *a)
{
    return (a->remote ^ (uint32_t)a->remote_port << 16 ^ a->local_port) * UINT32_C(2654435769) >> 8;
}

static struct host_connection **host_connections_link_to(struct host_connections *c,
                                                         const struct tcp_address *a)
{
    struct host_connection **link = &c->buckets[hash_of(a) & c->mask];
    for (; *link; link = &(*link)->next) {
        const struct tcp_address *b = &(*link)->tcp.address;
        if (a->remote == b->remote && a->remote_port == b->remote_port && a->local_port == b->local_port)
            break;
    }
    return link;
}

struct host_connection *host_connections_take(struct host_connections *c)
{
    struct host_connection *connection = c->free_ones;
    if (c->count == c->max)
        return NULL;
    if (connection) {
        c->free_ones = connection->next;
    } else {
        connection = calloc(1, sizeof(*connection));
        if (!connection)
            return NULL;
        connection->owned = c->all;
        c->all = connection;
    }
    connection->next = NULL;
    c->count++;
    return connection;
}

static void push(struct host_connections *c, struct host_connection *connection)
{
    struct host_connection **bucket = &c->buckets[hash_of(&connection->tcp.address) & c->mask];
    connection->next = *bucket;
    *bucket = connection;
}

static void host_connections_grow(struct host_connections *c)
{
    struct host_connections old = *c;
    c->mask = 2 * old.mask + 1;
    c->buckets = calloc((size_t)c->mask + 1, sizeof(*c->buckets));
    if (!c->buckets) {
        fprintf(stderr, "gbflow: out of memory for TCP connections\n");
        exit(1);
    }
    for (uint32_t i = 0; i <= old.mask; i++) {
        while (old.buckets[i]) {
            struct host_connection *connection = old.buckets[i];
            old.buckets[i] = connection->next;
            push(c, connection);
        }
    }
    free(old.buckets);
}

void host_connections_link(struct host_connections *c, struct host_connection *connection)
{
    if (c->linked > c->mask)
        host_connections_grow(c);
    push(c, connection);
    c->linked++;
}

void host_connections_drop(struct host_connections *c, struct host_connection *connection)
{
    struct host_connection **link = host_connections_link_to(c, &connection->tcp.address);
    if (*link == connection) {
        *link = connection->next;
        c->linked--;
    }
    tcp_fini(&connection->tcp);
    connection->next = c->free_ones;
    c->free_ones = connection;
    c->count--;
}

struct host_connection *host_connections_get(struct host_connections *c, const struct tcp_address *address)
{
    return *host_connections_link_to(c, address);
}
