/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/port.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
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
