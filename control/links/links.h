/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of the ports: finds the MAC addresses of next hops on both ports, and sends to the workers the
 * next hop of each NS-VC and of each address on Gn to which they send. */
#ifndef CONTROL_LINKS_LINKS_H
#define CONTROL_LINKS_LINKS_H

#include "control/sessions/node.h"
#include "control/links/destinations.h"
#include "control/links/neighbour.h"

#include <stdbool.h>
#include <stdint.h>

struct links_side {
    struct links *links;
    enum msg_port port;
    const struct live_config_port *config;
    struct neighbour neighbours;
    unsigned sender; /* worker that sends its frames */
};

/* UDP packets from one end to the other, of one IP version. */
struct links_way {
    struct neighbour_ip local, remote;
    uint16_t local_port, remote_port;
};

/* Tunnels by which packets of a port leave and come, as its guard has them. Functions NULL: there are none.
 */
struct links_tunnels {
    void *arg;
    /* The far end of the tunnel of packets that leave so. False: there is none. */
    bool (*far_end)(const void *arg, enum msg_port port, const struct links_way *way,
                    struct neighbour_ip *end);
    /* The near ends for which the port answers, some of them several times; returns how many, at most
     * `most`. */
    unsigned (*near_ends)(const void *arg, enum msg_port port, struct neighbour_ip *ends, unsigned most);
};

struct links {
    struct node *node;
    struct links_tunnels tunnels;
    int64_t now;
    struct links_side sides[MSG_PORTS];
    int64_t age_ns;                   /* of the next search for old destinations */
    struct destinations destinations; /* on Gn */
};

/* Starts with the addresses, routes and neighbours of the configuration, and registers with the core for
 * frames. The node and the arg of tunnels must outlive the links. */
void links_init(struct links *links, struct node *node, const struct links_tunnels *tunnels, int64_t now);

/* After a change of tunnels: answers for their near ends, and sends to their far ones. */
void links_follow(struct links *links, int64_t now);

/* Adds the addresses of a context of a configuration, which may be newer than the node's: answers ARP and
 * Neighbour Discovery for the SGSN's, resolves the next hop of the GGSN's. */
void links_add_context(struct links *links, const struct node_config *config,
                       const struct node_config_context *context);

/* Answers for one local address on Gn more, and announces it. */
void links_add_own(struct links *links, uint32_t ip);

/* Resolves the next hop of each NS-VC without one. */
void links_want_nsvcs(struct links *links);

/*
 * Announces the local addresses of a port whose link is up again, through each worker's queue: switches learn
 * them, and the kernel reports to the first frame of each socket that the link was down (net_af_packet),
 * which then waits for the next.
 */
void links_announce(struct links *links, enum msg_port port);

/* Sends the requests that are due; returns the next deadline. */
int64_t links_step(struct links *links, int64_t now);

#endif
