/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host_connections.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_BUCKETS 4 /* a power of two */

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

static struct host_connection **link_to(struct host_connections *c, const struct tcp_address *a)
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

static void grow(struct host_connections *c)
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
        grow(c);
    push(c, connection);
    c->linked++;
}

void host_connections_drop(struct host_connections *c, struct host_connection *connection)
{
    struct host_connection **link = link_to(c, &connection->tcp.address);
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
    return *link_to(c, address);
}
