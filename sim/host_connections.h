/* SPDX-License-Identifier: BSD-3-Clause */
/* The TCP connections of a host by their addresses. Memory comes when one is opened and stays for the next.
 */
#ifndef SIM_HOST_CONNECTIONS_H
#define SIM_HOST_CONNECTIONS_H

#include "sim/timers.h"
#include "sim/tcp.h"

struct host_connection {
    struct timer timer; /* first */
    struct tcp tcp;
    struct host *host;
    struct host_connection *next;  /* of its bucket, or of those that are free */
    struct host_connection *owned; /* all that have memory */
};

struct host_connections {
    struct host_connection **buckets;
    struct host_connection *free_ones, *all;
    uint32_t mask, count, max;
};

bool host_connections_new(struct host_connections *c, uint32_t max);
void host_connections_free(struct host_connections *c);

/* Room for one more, not yet to be found; NULL: the limit, or no memory. */
struct host_connection *host_connections_take(struct host_connections *c);

/* From now on it is found by tcp.address. */
void host_connections_link(struct host_connections *c, struct host_connection *connection);

/* It is over; its memory is free for another one. */
void host_connections_drop(struct host_connections *c, struct host_connection *connection);

/* NULL if none has this address. */
struct host_connection *host_connections_get(struct host_connections *c, const struct tcp_address *address);

#endif
