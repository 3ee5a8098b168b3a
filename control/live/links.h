/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The links of a live node: who its ports' neighbours are, which of them leads where, and what the workers
 * have to know of that: the next hop of each NS-VC, and of each address on Gn that they send to.
 */
#ifndef CONTROL_LIVE_LINKS_H
#define CONTROL_LIVE_LINKS_H

#include "control/live/neighbour.h"
#include "control/core/node.h"

#define LIVE_LINKS_DESTINATIONS 1024 /* on Gn */

struct live_links;

struct live_links_side {
    struct live_links *links;
    enum msg_port port;
    const struct live_config_port *config;
    struct neighbour neighbours;
};

struct live_links_destination {
    uint32_t ip;
    struct neighbour_ip hop;
};

struct live_links {
    struct node *node;
    int64_t now;
    struct live_links_side sides[MSG_PORTS];
    uint32_t destination_count;
    struct live_links_destination destinations[LIVE_LINKS_DESTINATIONS];
};

/* Begins with what the configuration says; the core tells it what it hears from now on. The node outlives it.
 */
void live_links_init(struct live_links *links, struct node *node, int64_t now);

/* Looks for an address on Gn from now on. */
void live_links_want(struct live_links *links, uint32_t ip);

/* A context of a configuration, maybe a newer one than the node's, is there: its address of ours is answered
 * for, its GGSN looked for. */
void live_links_add_context(struct live_links *links, const struct node_config *config,
                            const struct node_config_context *context);

/* Looks for the next hop of each NS-VC that has none. */
void live_links_want_nsvcs(struct live_links *links);

/* What is due; returns when the next is. */
int64_t live_links_step(struct live_links *links, int64_t now);

#endif
