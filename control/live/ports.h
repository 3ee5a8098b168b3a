/* SPDX-License-Identifier: BSD-3-Clause */
/* The two DPDK devices of a live node, with a queue for each worker. */
#ifndef CONTROL_LIVE_PORTS_H
#define CONTROL_LIVE_PORTS_H

#include "control/core/node.h"
#include "dataplane/ports/device.h"

#include <stdbool.h>

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

#endif
