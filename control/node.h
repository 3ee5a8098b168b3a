/* SPDX-License-Identifier: BSD-3-Clause */
/* A node in virtual time: configuration, packet buffers, two ports without hardware, the worker, and the
 * control core. */
#ifndef CONTROL_NODE_H
#define CONTROL_NODE_H

#include "control/core.h"
#include "control/node_config.h"
#include "control/sessions.h"
#include "dataplane/ports/vport.h"
#include "dataplane/worker/worker.h"

#include <stdbool.h>

struct lua_State;

struct node {
    struct lua_State *L;
    struct node_config config;
    struct rte_mempool *rx_pool, *tx_pool;
    unsigned rx_count, tx_count; /* buffers in them */
    struct vport gn, gb;
    struct worker *worker;
    struct rte_ring *trace;
    struct core core;
    struct sessions sessions;
};

/* Reads a configuration; false when it is wrong (printed). Nothing but the Lua state is taken yet. */
bool node_load(struct node *node, const char *path);

/* Takes over a state with a node's checked table on top of its stack, and a configuration, which is emptied.
 */
void node_adopt(struct node *node, struct lua_State *L, struct node_config *config);

/* Takes everything else and orders the configured mobiles. False, with a line on stderr, when something is
 * missing. */
bool node_start(struct node *node);

/*
 * Frees everything that node_load() and node_start() took. Returns the number of packet buffers that did not
 * come back: 0, or a defect.
 */
unsigned node_free(struct node *node);

#endif
