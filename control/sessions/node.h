/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node: configuration, mbuf pools, workers with the xworker rings between them, and the control core. In
 * virtual time the node makes two virtual ports for each worker; otherwise the caller supplies ports. A
 * process has one node, in virtual time several.
 */
#ifndef CONTROL_SESSIONS_NODE_H
#define CONTROL_SESSIONS_NODE_H

#include "control/core/core.h"
#include "control/config/node_config.h"
#include "control/sessions/records.h"
#include "control/sessions/sessions.h"
#include "dataplane/ports/port.h"
#include "dataplane/worker/worker.h"

#include <stdbool.h>

struct lua_State;

/* Ports of one worker: ethdev ids, and the index of its receive and transmit queue at each. */
struct node_ports {
    uint16_t gn, gn_queue, gb, gb_queue;
    struct port_settings gn_settings, gb_settings;
    struct guards guards; /* of both; ops NULL: none */
};

#define NODE_TAG_CHARS 4

struct node {
    struct lua_State *L;
    struct node_config config;
    char tag[NODE_TAG_CHARS]; /* begins the names of its objects in DPDK; "" of the only node */
    bool adds_no_mobiles;     /* those of the configuration are not ordered at the start */
    bool has_eal;             /* it ends DPDK at its end */
    struct rte_mempool *rx_pool, *tx_pool;
    struct rte_mempool *short_pool; /* of short frames on Gn in virtual time; NULL: none */
    unsigned rx_count, tx_count;    /* buffers in them */
    bool is_virtual;                /* the node has started DPDK and owns ports and traces */
    uint16_t frame_octets;          /* of virtual time's longest frame on Gn or Gb; 0: POOL_DATA_OCTETS */
    unsigned worker_count;          /* workers made so far */
    struct worker *workers[TEID_WORKERS];
    struct xworker *xworker;     /* NULL: one worker */
    struct siphash_key gtpc_key; /* random in a live node */
    uint64_t salt;               /* likewise: of values that are told to others, so no part of a key */
    struct vport gn[TEID_WORKERS], gb[TEID_WORKERS];
    struct rte_ring *traces[TEID_WORKERS]; /* NULL: none */
    struct core core;
    struct sessions sessions;
    struct records records; /* of phones; a live node opens them before node_start_on() */
};

/* Reads a configuration; false: it has errors, which were printed. Allocates only the Lua state. */
bool node_load(struct node *node, const char *path);

/* Takes ownership of a Lua state with a node's checked table on top of its stack, and of a configuration;
 * *config is empty afterwards. */
void node_adopt(struct node *node, struct lua_State *L, struct node_config *config);

/* The DPDK memory that a node of this configuration needs. */
size_t node_memory_octets(const struct node_config *config);

/* Other values of LLC links, for those that are established from now on. */
void node_set_links(struct node *node, const struct node_config *config);

/* The policy of worker `number`: limits of the node are divided among its workers. */
struct context_policy node_policy_of(const struct node_config *config, unsigned number);

/* Virtual time: starts DPDK, allocates everything else, and orders the configured mobiles. False, with a
 * line on stderr: failed. */
bool node_start(struct node *node);

/* The same of several nodes, whose tags differ. node_free() of the first comes last. */
bool node_start_all(struct node *const *nodes, unsigned count);

/* The same in two steps with ports of the caller, after DPDK has been started: first the mbuf pools (the
 * ports' queues receive into rx_pool) in the memory of a NUMA node or of any (SOCKET_ID_ANY), then, with a
 * node_ports for each worker, the rest. The caller starts the ports before, and stops them when no worker is
 * in a step any more. */
bool node_take_buffers(struct node *node, int numa_node);
bool node_start_on(struct node *node, const struct node_ports *ports);

/*
 * Frees everything; no worker may be in a step. Returns the number of leaked mbufs: 0, or a defect.
 */
unsigned node_free(struct node *node);

#endif
