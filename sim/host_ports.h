/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports that a host serves: TCP listeners, UDP ports, echo identifiers. Memory grows with them. */
#ifndef SIM_HOST_PORTS_H
#define SIM_HOST_PORTS_H

#include "sim/host.h"
#include "sim/tcp.h"
#include "sim/timers.h"

/* remote 0: any. proto is the IP protocol; port is the echo identifier for ICMP. */
struct host_ports_key {
    uint32_t remote;
    uint16_t port;
    uint8_t proto;
};

struct host_ports_row {
    struct host_ports_key key;
    struct host_listener listener; /* TCP */
    host_receive *receive;         /* UDP, echo */
    void *arg;
    struct host_ports_row *next; /* in its bucket */
};

struct host_ports {
    struct host_ports_row **buckets;
    uint32_t mask, count, max;
};

bool host_ports_new(struct host_ports *ports, uint32_t max);
void host_ports_free(struct host_ports *ports);

/* A new row with this key, for the caller to fill; NULL: the key exists, no room, or no memory. */
struct host_ports_row *host_ports_put(struct host_ports *ports, struct host_ports_key key);

/* Removes the row with exactly this key. */
void host_ports_drop(struct host_ports *ports, struct host_ports_key key);

/* The row for a packet: that of its remote address, else that of any; NULL: neither exists. */
struct host_ports_row *host_ports_get(struct host_ports *ports, struct host_ports_key key);

/* The TCP connections of a host, by address. Memory is allocated when a connection opens, and reused; buckets
 * double with the connections. */

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
