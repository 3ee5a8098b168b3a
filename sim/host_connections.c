/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host_connections.h"

#include <stdlib.h>

bool host_connections_new(struct host_connections *c, uint32_t max)
{
    uint32_t buckets = 1;
    while (buckets < max)
        buckets *= 2;
    *c = (struct host_connections){
        .buckets = calloc(buckets, sizeof(*c->buckets)),
        .mask = buckets - 1,
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

static struct host_connection **link_to(struct host_connections *c, const struct tcp_address *a)
{
    uint32_t hash = (a->remote ^ (uint32_t)a->remote_port << 16 ^ a->local_port) * UINT32_C(2654435769);
    struct host_connection **link = &c->buckets[(hash >> 8) & c->mask];
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

void host_connections_link(struct host_connections *c, struct host_connection *connection)
{
    struct host_connection **link = link_to(c, &connection->tcp.address);
    connection->next = *link;
    *link = connection;
}

void host_connections_drop(struct host_connections *c, struct host_connection *connection)
{
    struct host_connection **link = link_to(c, &connection->tcp.address);
    if (*link == connection)
        *link = connection->next;
    tcp_fini(&connection->tcp);
    connection->next = c->free_ones;
    c->free_ones = connection;
    c->count--;
}

struct host_connection *host_connections_get(struct host_connections *c, const struct tcp_address *address)
{
    return *link_to(c, address);
}
