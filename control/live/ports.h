/* SPDX-License-Identifier: BSD-3-Clause */
/* The two devices of a live node, from their names to a queue for each worker. */
#ifndef CONTROL_LIVE_PORTS_H
#define CONTROL_LIVE_PORTS_H

#include "control/core/node.h"
#include "dataplane/ports/device.h"

#include <stdbool.h>

struct live_ports {
    struct device gn, gb;
    unsigned open_count; /* 0, 1: Gn, 2: both */
};

/*
 * Makes and starts them, with buffers of the node; puts the MAC addresses that they have into the
 * configuration where the operator said none. False, with a line on stderr: one of them cannot be had.
 */
bool live_ports_open(struct live_ports *ports, struct node *node);

/* Stops and closes those that are open; no worker is in a step. */
void live_ports_close(struct live_ports *ports);

/* What each worker uses of them: the queues of its number. */
void live_ports_deal(const struct live_ports *ports, unsigned workers, struct node_ports *out);

#endif
