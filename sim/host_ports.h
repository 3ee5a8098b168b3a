/* SPDX-License-Identifier: BSD-3-Clause */
/* Who on a host waits for what: TCP listeners, UDP ports, echo identifiers. */
#ifndef SIM_HOST_PORTS_H
#define SIM_HOST_PORTS_H

#include "sim/host.h"

/* remote 0: any. proto is the IP protocol; port is an identifier for echo. */
struct host_ports_key {
    uint32_t remote;
    uint16_t port;
    uint8_t proto;
};

struct host_ports_row {
    struct host_ports_key key;
    struct host_listener listener; /* TCP */
    host_receive *receive;         /* the others */
    void *arg;
    struct host_ports_row *next; /* of its bucket, or of those that are free */
};

struct host_ports {
    struct host_ports_row *rows, *free_rows;
    struct host_ports_row **buckets;
    uint32_t mask;
};

bool host_ports_new(struct host_ports *ports, uint32_t max);
void host_ports_free(struct host_ports *ports);

/* A new row with this key, the rest for the caller to fill; NULL: there is one, or no room. */
struct host_ports_row *host_ports_put(struct host_ports *ports, struct host_ports_key key);

/* Takes the row with exactly this key away. */
void host_ports_drop(struct host_ports *ports, struct host_ports_key key);

/* The row for a packet: of its remote address, else of any; NULL if none. */
struct host_ports_row *host_ports_get(struct host_ports *ports, struct host_ports_key key);

#endif
