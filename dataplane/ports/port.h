/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ethdev port, or one receive and one transmit queue of a port, as a worker uses it. Frames that the port
 * does not accept at once stay in a list of `pending` frames and are sent first next time: a frame that left
 * the scheduler is never dropped for lack of room.
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
    uint16_t queue; /* of receive and transmit */
    uint16_t pending_count;
    bool is_shared;
    struct rte_mbuf *pending[PORT_PENDING];
};

/* Configures and starts an ethdev port; received frames use buffers of pool. 0, or a negative errno. */
int port_open(struct port *port, uint16_t id, struct rte_mempool *pool);

/* One queue of a port that the caller starts before, and stops after all its queues are closed. */
void port_share(struct port *port, uint16_t id, uint16_t queue);

/* Frees frames that were not sent; stops and closes what port_open() started. */
void port_close(struct port *port);

/* Receives up to PORT_BURST frames, which the caller then owns. Returns their number. */
uint16_t port_receive(struct port *port, struct rte_mbuf **frames);

/* How many frames port_send() is sure to accept. */
static inline unsigned port_room(const struct port *port)
{
    return PORT_PENDING - port->pending_count;
}

/* Takes ownership of a frame; port_room() must not be 0. port_flush() sends it. */
static inline void port_send(struct port *port, struct rte_mbuf *frame)
{
    port->pending[port->pending_count++] = frame;
}

/* Sends pending frames; returns how many the port accepted. */
unsigned port_flush(struct port *port);

#endif
