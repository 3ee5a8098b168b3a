/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The links of a live node: finds the MAC addresses of next hops on both ports, and sends to the workers the
 * next hop of each NS-VC and of each address on Gn to which they send.
 */
#ifndef CONTROL_LIVE_LINKS_H
#define CONTROL_LIVE_LINKS_H

#include "control/core/node.h"
#include "control/live/destinations.h"
#include "control/live/neighbour.h"
#include "dataplane/ports/device.h"

#include <stdbool.h>

/* The two DPDK devices of a live node, with a queue for each worker. */

struct live_ports {
    struct device gn, gb;
    unsigned open_count; /* 0; 1: Gn; 2: both */
    int64_t nudge_ns;    /* of device_nudge() */
};

/*
 * Makes and starts the devices, with mbufs of the node; writes their MAC addresses to the configuration where
 * it has none. False, with a line on stderr: one of them failed.
 */
bool live_ports_open(struct live_ports *ports, struct node *node);

/* Nudges the devices that need it, when it is due. Returns the next deadline; MOMENT_NEVER: none needs it. */
int64_t live_ports_step(struct live_ports *ports, int64_t now);

/* Stops and closes the open devices; no worker may be in a step. */
void live_ports_close(struct live_ports *ports);

/* Fills in the ports of each worker: the queues with the worker's number. */
void live_ports_deal(const struct live_ports *ports, unsigned workers, struct node_ports *out);

struct live_links;

struct live_links_side {
    struct live_links *links;
    enum msg_port port;
    const struct live_config_port *config;
    struct neighbour neighbours;
};

struct live_links {
    struct node *node;
    int64_t now;
    struct live_links_side sides[MSG_PORTS];
    int64_t age_ns;                   /* of the next search for old destinations */
    struct destinations destinations; /* on Gn */
};

/* Starts with the addresses, routes and neighbours of the configuration, and registers with the core for
 * frames. The node must outlive the links. */
void live_links_init(struct live_links *links, struct node *node, int64_t now);

/* Adds the addresses of a context of a configuration, which may be newer than the node's: answers ARP and
 * Neighbour Discovery for the SGSN's, resolves the next hop of the GGSN's. */
void live_links_add_context(struct live_links *links, const struct node_config *config,
                            const struct node_config_context *context);

/* Resolves the next hop of each NS-VC without one. */
void live_links_want_nsvcs(struct live_links *links);

/* Sends the requests that are due; returns the next deadline. */
int64_t live_links_step(struct live_links *links, int64_t now);

#endif
