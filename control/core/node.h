/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node: configuration, packet buffers, workers with the ways between them, and the control core. In virtual
 * time it brings two ports without hardware for each worker along; else whoever runs it brings ports.
 */
#ifndef CONTROL_CORE_NODE_H
#define CONTROL_CORE_NODE_H

#include "control/core/core.h"
#include "control/config/node_config.h"
#include "control/core/sessions.h"
#include "dataplane/ports/vport.h"
#include "dataplane/worker/worker.h"

#include <stdbool.h>

struct lua_State;

/* Of one worker: ethdev ports, and the queue of each, both ways. */
struct node_ports {
    uint16_t gn, gn_queue, gb, gb_queue;
};

struct node {
    struct lua_State *L;
    struct node_config config;
    struct rte_mempool *rx_pool, *tx_pool;
    unsigned rx_count, tx_count; /* buffers in them */
    bool is_virtual;             /* DPDK, ports and traces are its own */
    unsigned worker_count;       /* how many there are as yet */
    struct worker *workers[TEID_WORKERS];
    struct xworker *xworker; /* NULL: one worker */
    struct vport gn[TEID_WORKERS], gb[TEID_WORKERS];
    struct rte_ring *traces[TEID_WORKERS]; /* NULL: none */
    struct core core;
    struct sessions sessions;
};

/* Reads a configuration; false when it is wrong (printed). Nothing but the Lua state is taken yet. */
bool node_load(struct node *node, const char *path);

/* Takes over a state with a node's checked table on top of its stack, and a configuration, which is emptied.
 */
void node_adopt(struct node *node, struct lua_State *L, struct node_config *config);

/* What a node of this configuration needs of DPDK's memory. */
size_t node_memory_octets(const struct node_config *config);

/* How a worker treats packets: what is for all of them is shared out. */
struct context_policy node_policy_of(const struct node_config *config, unsigned number);

/* Virtual time: starts DPDK, takes everything else, and orders the configured mobiles. False, with a line on
 * stderr, when something is missing. */
bool node_start(struct node *node);

/* The same in two steps with ports of the caller's, after DPDK has been started: first the buffers (rx_pool
 * is what the ports' queues receive into), then, with a node_ports for each worker, the rest. The ports are
 * started already, and are the caller's to stop when no worker is in a step any more. */
bool node_take_buffers(struct node *node);
bool node_start_on(struct node *node, const struct node_ports *ports);

/*
 * Frees everything that was taken; no worker is in a step. Returns the number of packet buffers that did not
 * come back: 0, or a defect.
 */
unsigned node_free(struct node *node);

#endif
