/* SPDX-License-Identifier: BSD-3-Clause */
/* The TCP connections of a host, by address. Memory is allocated when a connection opens, and reused; buckets
 * double with the connections. */
#ifndef SIM_HOST_CONNECTIONS_H
#define SIM_HOST_CONNECTIONS_H

#include "sim/timers.h"
#include "sim/tcp.h"

struct host_connection {
    struct timer timer; /* first */
    struct tcp tcp;
    struct host *host;
    struct host_connection *next;  /* in its bucket, or in the free list */
    struct host_connection *owned; /* list of all allocated ones */
};

struct host_connections {
    struct host_connection **buckets;
    struct host_connection *free_ones, *all;
    uint32_t mask, linked, count, max; /* linked: of `count`, those in buckets */
};

bool host_connections_new(struct host_connections *c, uint32_t max);
void host_connections_free(struct host_connections *c);

/* Takes a connection that is not linked yet; NULL: the limit is reached, or no memory. */
struct host_connection *host_connections_take(struct host_connections *c);

/* Enters a connection under tcp.address. Ends the program when memory is short. */
void host_connections_link(struct host_connections *c, struct host_connection *connection);

/* Removes a connection; its memory is reused. */
void host_connections_drop(struct host_connections *c, struct host_connection *connection);

/* NULL: no connection has this address. */
struct host_connection *host_connections_get(struct host_connections *c, const struct tcp_address *address);

#endif
