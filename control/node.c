/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/node.h"

#include "control/eal.h"
#include "control/lua_config.h"
#include "control/lua_host.h"
#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/trace.h"

#include <rte_ring.h>
#include <stdio.h>
#include <string.h>

#define TX_BUFFERS          8191
#define TRACE_EVENTS        65536
#define BUFFER_OCTETS       4160 /* of pool memory: without huge pages no two buffers share a page */
#define ENTRY_OCTETS        256  /* of look-up table memory, for each mobile or context */
#define BASE_OCTETS         ((size_t)96 << 20) /* rings, ports, DPDK itself */
#define FRAGMENT_OCTETS     1024
#define FRAGMENT_TIMEOUT_NS (5 * MOMENT_SECOND)

bool node_load(struct node *node, const char *path)
{
    *node = (struct node){.L = lua_host_new()};
    if (!node->L) {
        fprintf(stderr, "gbflow: no memory for Lua\n");
        return false;
    }
    return lua_config_load_node(node->L, path, &node->config);
}

void node_adopt(struct node *node, struct lua_State *L, struct node_config *config)
{
    *node = (struct node){.L = L, .config = *config};
    *config = (struct node_config){0};
}

static size_t memory_octets(const struct node_config *config)
{
    size_t buffers = (size_t)config->limits.npdu_buffers + TX_BUFFERS;
    size_t entries = (size_t)config->limits.mobiles + config->limits.contexts;
    return BASE_OCTETS + buffers * BUFFER_OCTETS + entries * ENTRY_OCTETS +
           (size_t)config->limits.fragments * FRAGMENT_OCTETS;
}

static const char *make_ports(struct node *node)
{
    node->rx_count = node->config.limits.npdu_buffers;
    node->tx_count = TX_BUFFERS;
    node->rx_pool = pool_new("rx", node->rx_count);
    node->tx_pool = pool_new("tx", node->tx_count);
    node->trace = trace_new("trace", TRACE_EVENTS);
    if (!node->rx_pool || !node->tx_pool || !node->trace)
        return "no memory for packet buffers (limits.npdu_buffers)";
    if (vport_new(&node->gn, "net_ring_gn", node->rx_pool) < 0 ||
        vport_new(&node->gb, "net_ring_gb", node->rx_pool) < 0)
        return "no memory for its ports";
    return NULL;
}

static const char *make_worker(struct node *node)
{
    const struct node_config *config = &node->config;
    const char *error;
    struct worker_config worker = {
        .name = "worker0",
        .limits =
            {
                .nses = config->nse_count,
                .nsvcs = config->nsvc_count,
                .bvcs = config->cell_count,
                .mobiles = config->limits.mobiles,
                .pdps = config->limits.contexts,
            },
        .lifetime = config->lifetime,
        .reassemblies = config->limits.reassemblies,
        .fragments = config->limits.fragments,
        .fragment_timeout_ns = FRAGMENT_TIMEOUT_NS,
        .gn_port = node->gn.id,
        .gb_port = node->gb.id,
        .rx_pool = node->rx_pool,
        .tx_pool = node->tx_pool,
    };
    memcpy(worker.gn_mac, config->gn.mac, sizeof(worker.gn_mac));
    memcpy(worker.gn_peer_mac, config->gn.peer_mac, sizeof(worker.gn_peer_mac));
    node->worker = worker_new(&worker, &error);
    if (!node->worker)
        return error;
    node->worker->trace = node->trace;
    return NULL;
}

static void on_tunnel_error(void *arg, uint32_t ggsn_ip, uint32_t ggsn_teid)
{
    sessions_lose(arg, ggsn_ip, ggsn_teid);
}

bool node_start(struct node *node)
{
    if (!eal_start_virtual(memory_octets(&node->config)))
        return false;
    const char *error = make_ports(node);
    if (!error)
        error = make_worker(node);
    if (!error) {
        core_init(&node->core, node->L, &node->config, &node->worker->rings, node->tx_pool);
        error = sessions_new(&node->sessions, &node->core) ? NULL : "no memory for sessions (limits)";
    }
    if (error) {
        fprintf(stderr, "gbflow: the node does not start: %s\n", error);
        return false;
    }
    node->core.on_tunnel_error = on_tunnel_error;
    node->core.tunnel_error_arg = &node->sessions;
    sessions_add_configured(&node->sessions);
    return true;
}

static unsigned missing(struct rte_mempool *pool, unsigned count)
{
    unsigned there = pool ? rte_mempool_avail_count(pool) : count;
    rte_mempool_free(pool);
    return count - there;
}

unsigned node_free(struct node *node)
{
    unsigned lost = 0;

    if (node->core.rings)
        core_fini(&node->core);
    sessions_free(&node->sessions);
    if (node->worker)
        worker_free(node->worker);
    vport_free(&node->gn);
    vport_free(&node->gb);
    rte_ring_free(node->trace);
    lost += missing(node->rx_pool, node->rx_count);
    lost += missing(node->tx_pool, node->tx_count);
    if (node->rx_count > 0)
        eal_stop();
    node_config_free(&node->config);
    lua_host_free(node->L);
    *node = (struct node){0};
    return lost;
}
