/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of the ports: finds the MAC addresses of next hops on both ports, and sends to the workers the
 * next hop of each NS-VC and of each address on Gn to which they send. */
#ifndef CONTROL_LIVE_LINKS_H
#define CONTROL_LIVE_LINKS_H

#include "control/esp/associations.h"
#include "control/sessions/node.h"
#include "control/live/destinations.h"
#include "control/live/neighbour.h"

#include <stdint.h>

struct live_links_side {
    struct live_links *links;
    enum msg_port port;
    const struct live_config_port *config;
    struct neighbour neighbours;
    unsigned sender; /* worker that sends its frames */
};

struct live_links {
    struct node *node;
    const struct associations *esp;
    int64_t now;
    struct live_links_side sides[MSG_PORTS];
    int64_t age_ns;                   /* of the next search for old destinations */
    struct destinations destinations; /* on Gn */
};

/* Starts with the addresses, routes and neighbours of the configuration, and registers with the core for
 * frames. The node and ESP's associations must outlive the links. */
void live_links_init(struct live_links *links, struct node *node, const struct associations *esp,
                     int64_t now);

/* After an exchange of ESP's rules: answers for the near ends of tunnels, and sends to their far ones. */
void live_links_follow(struct live_links *links, int64_t now);

/* Adds the addresses of a context of a configuration, which may be newer than the node's: answers ARP and
 * Neighbour Discovery for the SGSN's, resolves the next hop of the GGSN's. */
void live_links_add_context(struct live_links *links, const struct node_config *config,
                            const struct node_config_context *context);

/* Answers for one local address on Gn more, and announces it. */
void live_links_add_own(struct live_links *links, uint32_t ip);

/* Resolves the next hop of each NS-VC without one. */
void live_links_want_nsvcs(struct live_links *links);

/*
 * Announces the local addresses of a port whose link is up again, through each worker's queue: switches learn
 * them, and the kernel reports to the first frame of each socket that the link was down (net_af_packet),
 * which then waits for the next.
 */
void live_links_announce(struct live_links *links, enum msg_port port);

/* Sends the requests that are due; returns the next deadline. */
int64_t live_links_step(struct live_links *links, int64_t now);

#endif
