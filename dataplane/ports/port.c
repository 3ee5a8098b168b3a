/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/port.h"

#include <errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdio.h>
#include <string.h>

#define RX_DESCRIPTORS 1024
#define TX_DESCRIPTORS 1024

static int set_up(uint16_t id, struct rte_mempool *pool)
{
    struct rte_eth_conf conf = {0};
    uint16_t rx = RX_DESCRIPTORS, tx = TX_DESCRIPTORS;
    int socket = rte_eth_dev_socket_id(id), rc;

    if ((rc = rte_eth_dev_configure(id, 1, 1, &conf)) < 0)
        return rc;
    if ((rc = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx, &tx)) < 0)
        return rc;
    if ((rc = rte_eth_rx_queue_setup(id, 0, rx, (unsigned)socket, NULL, pool)) < 0)
        return rc;
    if ((rc = rte_eth_tx_queue_setup(id, 0, tx, (unsigned)socket, NULL)) < 0)
        return rc;
    return rte_eth_dev_start(id);
}

int port_open(struct port *port, uint16_t id, struct rte_mempool *pool)
{
    *port = (struct port){.id = id};
    return set_up(id, pool);
}

void port_share(struct port *port, uint16_t id, uint16_t queue)
{
    *port = (struct port){.id = id, .queue = queue, .is_shared = true};
}

void port_close(struct port *port)
{
    rte_pktmbuf_free_bulk(port->pending, port->pending_count);
    port->pending_count = 0;
    if (port->is_shared)
        return;
    rte_eth_dev_stop(port->id);
    rte_eth_dev_close(port->id);
}

uint16_t port_receive(struct port *port, struct rte_mbuf **frames)
{
    return rte_eth_rx_burst(port->id, port->queue, frames, PORT_BURST);
}

unsigned port_flush(struct port *port)
{
    if (port->pending_count == 0)
        return 0;
    uint16_t sent = rte_eth_tx_burst(port->id, port->queue, port->pending, port->pending_count);
    port->pending_count -= sent;
    memmove(port->pending, port->pending + sent, port->pending_count * sizeof(port->pending[0]));
    return sent;
}

#define RING_FRAMES 1024

static struct rte_ring *create(const char *name, const char *way)
{
    char full[RTE_RING_NAMESIZE];
    snprintf(full, sizeof(full), "%s.%s", name, way);
    return rte_ring_create(full, RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

int vport_new(struct vport *vport, const char *name, struct rte_mempool *pool)
{
    *vport = (struct vport){.pool = pool};
    vport->to_worker = create(name, "in");
    vport->to_outside = create(name, "out");
    int id = -ENOMEM;
    if (vport->to_worker && vport->to_outside)
        id = rte_eth_from_rings(name, &vport->to_worker, 1, &vport->to_outside, 1, 0);
    if (id < 0) {
        vport_free(vport);
        return -ENOMEM;
    }
    vport->id = (uint16_t)id;
    return 0;
}

static void drain(struct rte_ring *ring)
{
    void *mbuf;
    while (ring && rte_ring_dequeue(ring, &mbuf) == 0)
        rte_pktmbuf_free(mbuf);
    rte_ring_free(ring);
}

void vport_free(struct vport *vport)
{
    drain(vport->to_worker);
    drain(vport->to_outside);
    *vport = (struct vport){0};
}

int vport_push(struct vport *vport, const uint8_t *frame, size_t octets)
{
    if (octets + RTE_PKTMBUF_HEADROOM > rte_pktmbuf_data_room_size(vport->pool))
        return -EMSGSIZE;
    if (rte_ring_full(vport->to_worker))
        return -EAGAIN;
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(vport->pool);
    if (!mbuf)
        return -ENOBUFS;
    memcpy(rte_pktmbuf_append(mbuf, (uint16_t)octets), frame, octets);
    return rte_ring_enqueue(vport->to_worker, mbuf);
}

struct rte_mbuf *vport_pull(struct vport *vport)
{
    void *mbuf;
    return rte_ring_dequeue(vport->to_outside, &mbuf) == 0 ? mbuf : NULL;
}
