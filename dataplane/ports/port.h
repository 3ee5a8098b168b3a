/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ethdev port, or one queue of one, each way, as a worker uses it. What the port does not take at once
 * stays in a short list and goes first next time: a frame that left the queues is never thrown away for want
 * of room.
 */
#ifndef DATAPLANE_PORTS_PORT_H
#define DATAPLANE_PORTS_PORT_H

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_mempool;

#define PORT_BURST   64
#define PORT_PENDING (4 * PORT_BURST)

struct port {
    uint16_t id;
    uint16_t queue; /* number, each way */
    uint16_t pending_count;
    bool is_shared;
    struct rte_mbuf *pending[PORT_PENDING];
};

/* Configures and starts an ethdev port; received frames lie in buffers of pool. 0, or a negative errno. */
int port_open(struct port *port, uint16_t id, struct rte_mempool *pool);

/* One queue of a port that somebody else has started, and stops when nobody uses it any more. */
void port_share(struct port *port, uint16_t id, uint16_t queue);

/* Frees frames that were not sent; stops and closes what port_open() started. */
void port_close(struct port *port);

/* Up to PORT_BURST frames, the caller's. */
uint16_t port_receive(struct port *port, struct rte_mbuf **frames);

/* How many frames port_send() will surely take. */
static inline unsigned port_room(const struct port *port)
{
    return PORT_PENDING - port->pending_count;
}

/* Takes a frame over; there must be room. It leaves with port_flush(). */
static inline void port_send(struct port *port, struct rte_mbuf *frame)
{
    port->pending[port->pending_count++] = frame;
}

/* Hands over what waits; returns how many frames went. */
unsigned port_flush(struct port *port);

#endif
