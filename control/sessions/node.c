/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/node.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/device.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/msg.h"

#include <limits.h>
#include <rte_ring.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define TX_BUFFERS          8191
#define TRACE_EVENTS        65536
#define BUFFER_OCTETS       4160 /* of pool memory: without huge pages no two buffers share a page */
#define TAIL_OCTETS         40   /* behind a short frame, for what follows an LLC-PDU */
#define ENTRY_OCTETS        256  /* of look-up table memory, for each mobile or context */
#define BASE_OCTETS         ((size_t)96 << 20) /* rings and ports of one worker, DPDK itself */
#define WORKER_OCTETS       ((size_t)16 << 20) /* rings and ports of each further worker */
#define MOST_AWAYS          16384u             /* remote mobiles of a worker at a time */
#define SPARE_NSVCS         256                /* room for those that a reload adds to a live node */
#define SPARE_NSES          16
#define SPARE_CELLS         64
#define MOST_ORDERS         2048                 /* without an answer, at start */
#define READY_NS            (44 * MOMENT_SECOND) /* T3314 of TS 24.008, if the configuration does not say */
#define FRAGMENT_OCTETS     1024
#define FRAGMENT_TIMEOUT_NS (5 * MOMENT_SECOND)

bool node_load(struct node *node, const char *path)
{
    *node = (struct node){.L = lua_host_new(lua_modules)};
    if (!node->L) {
        fprintf(stderr, "gbflow: out of memory for the Lua state\n");
        return false;
    }
    return lua_config_load_node(node->L, path, &node->config);
}

void node_adopt(struct node *node, struct lua_State *L, struct node_config *config)
{
    *node = (struct node){.L = L, .config = *config};
    *config = (struct node_config){0};
}

/* Buffers of fragments, of uplink segments and of ports' descriptors come on top of those for queued N-PDUs,
 * so that incomplete packets cannot leave Gn and Gb without any. */
static unsigned rx_buffers_of(const struct node_config *config)
{
    unsigned each = config->limits.fragments + reassembly_buffers(config->limits.reassemblies) +
                    (config->live.is_on ? MSG_PORTS * DEVICE_DESCRIPTORS : 0) +
                    (config->abm.links ? 2 * config->abm.buffers + config->abm.links : 0);
    return config->limits.npdu_buffers + each * node_config_workers(config);
}

/* In acknowledged mode a compressed N-PDU has a second buffer. */
static unsigned tx_buffers_of(const struct node_config *config)
{
    bool has_images = config->abm.links && config->compression.entities;
    return (TX_BUFFERS + (has_images ? config->abm.buffers : 0)) * node_config_workers(config);
}

/* Without packet buffers: those of virtual time are no memory of DPDK (pool_lazy_new()). */
static size_t virtual_memory_octets(const struct node_config *config)
{
    unsigned workers = node_config_workers(config);
    size_t entries = (size_t)config->limits.mobiles + config->limits.contexts;
    size_t tables = entries * ENTRY_OCTETS + (size_t)config->limits.fragments * FRAGMENT_OCTETS;
    tables += config->abm.links * gb_abm_link_octets(&config->abm.values);
    return BASE_OCTETS + (workers - 1) * WORKER_OCTETS + tables * workers;
}

size_t node_memory_octets(const struct node_config *config)
{
    size_t buffers = (size_t)rx_buffers_of(config) + tx_buffers_of(config);
    return virtual_memory_octets(config) + buffers * BUFFER_OCTETS;
}

static bool node_complain(const char *error)
{
    if (error)
        fprintf(stderr, "gbflow: the node does not start: %s\n", error);
    return !error;
}

#define NAME_CHARS 32

/* The name of one of the node's objects in DPDK. */
static const char *name_of(const struct node *node, const char *what, unsigned number, char out[NAME_CHARS])
{
    snprintf(out, NAME_CHARS, number == UINT_MAX ? "%s%s" : "%s%s%u", node->tag, what, number);
    return out;
}

static struct rte_mempool *make_rx_pool(const struct node *node, int numa_node)
{
    uint16_t octets = node->frame_octets ? node->frame_octets : POOL_DATA_OCTETS;
    char name[NAME_CHARS];
    (void)name_of(node, "rx", UINT_MAX, name);
    return node->is_virtual ? pool_lazy_new(name, node->rx_count, octets)
                            : pool_new_on(name, node->rx_count, numa_node);
}

static struct rte_mempool *make_tx_pool(const struct node *node, int numa_node)
{
    char name[NAME_CHARS];
    (void)name_of(node, "tx", UINT_MAX, name);
    return node->is_virtual ? pool_lazy_new(name, node->tx_count, POOL_DATA_OCTETS)
                            : pool_new_on(name, node->tx_count, numa_node);
}

static struct rte_mempool *make_short_pool(const struct node *node)
{
    char name[NAME_CHARS];
    return pool_lazy_new(name_of(node, "short", UINT_MAX, name), node->rx_count,
                         VPORT_SHORT_OCTETS + TAIL_OCTETS);
}

bool node_take_buffers(struct node *node, int numa_node)
{
    node->rx_count = rx_buffers_of(&node->config);
    node->tx_count = tx_buffers_of(&node->config);
    node->rx_pool = make_rx_pool(node, numa_node);
    node->tx_pool = make_tx_pool(node, numa_node);
    bool has_short = node->is_virtual && node->frame_octets;
    node->short_pool = has_short ? make_short_pool(node) : NULL;
    bool is_there = node->rx_pool && node->tx_pool && (!has_short || node->short_pool);
    return node_complain(is_there ? NULL : "out of memory for mbufs; lower limits.npdu_buffers");
}

/* --- workers --- */

struct context_policy node_policy_of(const struct node_config *config, unsigned number)
{
    struct context_policy policy = config->policy;
    unsigned workers = node_config_workers(config);
    policy.sched.budget_pkts = RTE_MAX(policy.sched.budget_pkts / workers, 1u);
    policy.sched.reserve_pkts /= workers;
    policy.ready_ns = config->mobiles.ready_ns >= 0 ? config->mobiles.ready_ns
                      : config->live.is_on          ? READY_NS
                                                    : 0;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        policy.sched.aqm[k].choice.stream = number * QCLASS_COUNT + k;
    return policy;
}

/* Equal seeds of a run give equal places in the table. */
static struct pacing_params pacing_of(const struct node *node)
{
    struct pacing_params pacing = node->config.pacing;
    uint64_t salt = node->config.policy.flow_salt;
    pacing.key = node->is_virtual ? (struct siphash_key){salt, ~salt} : node->gtpc_key;
    return pacing;
}

/* Equal seeds of a run give equal IOV-I. */
static struct link_settings abm_of(const struct node *node)
{
    struct link_settings abm = node->config.abm;
    abm.seed = node->is_virtual ? node->config.policy.flow_salt : node->salt;
    return abm;
}

void node_set_links(struct node *node, const struct node_config *config)
{
    const struct msg msg = {.type = MSG_LINK_VALUES, .link_values = config->abm.values};
    node->config.abm.values = config->abm.values;
    core_link_order_others(&node->core, TEID_WORKERS, &msg);
}

static struct worker_config config_of(const struct node *node, const char *name, unsigned number)
{
    const struct node_config *config = &node->config;
    struct worker_config worker = {
        .name = name,
        .number = number,
        .xworker = node->xworker,
        .limits =
            {
                .nses = config->nse_count + (config->live.is_on ? SPARE_NSES : 0),
                .nsvcs = config->nsvc_count + (config->live.is_on ? SPARE_NSVCS : 0),
                .bvcs = config->cell_count + (config->live.is_on ? SPARE_CELLS : 0),
                .mobiles = config->limits.mobiles,
                .pdps = config->limits.contexts,
                .npdus = config->live.is_on ? config->limits.npdu_buffers : 0,
                .extra_flows = config->limits.extra_flows,
                .flow_sets = config->limits.flow_sets,
                .has_elements = config->live.is_on || config->elements_count > 0, /* of a reload */
                .has_volumes = config->live.is_on && config->live.records.file[0],
            },
        .remote_mobiles_max = RTE_MIN(config->limits.mobiles, MOST_AWAYS),
        .policy = node_policy_of(config, number),
        .pacing = pacing_of(node),
        .abm = abm_of(node),
        .compression = node->config.compression,
        .reassemblies = config->limits.reassemblies,
        .fragments = config->limits.fragments,
        .fragment_timeout_ns = FRAGMENT_TIMEOUT_NS,
        .are_ports_shared = !node->is_virtual,
        .has_neighbours = config->live.is_on,
        .has_paging = config->live.is_on || config->mobiles.ready_ns > 0,
        .has_gtpc = config->live.is_on,
        .gtpc_key = node->gtpc_key,
        .salt = (uint32_t)node->salt,
        .punts_unknown_tlli = true,
        .punts_unlisted = config->live.is_on && config->accepted.most > 0,
        .gn_mtu_octets = config->gn.mtu_octets,
        .gb_overhead_octets = config->gb.overhead_octets,
        .gn_marking = config->gn.marking,
        .gb_marking = config->gb.marking,
        .is_gn_whole = config->gn.is_whole,
        .no_uplink_filter = config->gn.no_uplink_filter,
        .is_any_destination = config->gn.is_any_destination,
        .keeps_spare = node->is_virtual,
        .rx_pool = node->rx_pool,
        .tx_pool = node->tx_pool,
    };
    memcpy(worker.gn_mac, config->gn.mac, sizeof(worker.gn_mac));
    memcpy(worker.gn_peer_mac, config->gn.peer_mac, sizeof(worker.gn_peer_mac));
    return worker;
}

/* In virtual time ciphering is switched on for listed mobiles alone. The test of an engine takes 0.003 s and
 * touches 3 MB of code. */
static bool needs_ciphers(const struct node *node)
{
    const struct node_config *config = &node->config;
    bool is_needed = !node->is_virtual || config->gea_engine[0];
    for (uint32_t i = 0; i < config->mobile_count && !is_needed; i++)
        is_needed = config->list[i].ciphering.algorithm != 0;
    return is_needed;
}

static const char *make_worker(struct node *node, const struct node_ports *ports)
{
    const char *error, *engine = node->config.gea_engine[0] ? node->config.gea_engine : NULL;
    unsigned number = node->worker_count;
    char name[NAME_CHARS];
    struct worker_config config = config_of(node, name_of(node, "worker", number, name), number);
    config.gn_port = ports->gn;
    config.gn_queue = ports->gn_queue;
    config.gb_port = ports->gb;
    config.gb_queue = ports->gb_queue;
    config.gn_settings = ports->gn_settings;
    config.gb_settings = ports->gb_settings;
    config.guards = ports->guards;
    config.gea = needs_ciphers(node) ? gea_init(engine, &error) : NULL;
    if (needs_ciphers(node) && !config.gea)
        return error;
    struct worker *worker = worker_new(&config, &error);
    if (!worker)
        return error;
    worker->trace = node->traces[number];
    node->workers[node->worker_count++] = worker;
    return NULL;
}

static const char *make_workers(struct node *node, const struct node_ports *ports)
{
    unsigned workers = node_config_workers(&node->config);
    const char *error = NULL;
    char name[NAME_CHARS];
    if (workers > 1) {
        node->xworker = xworker_new(name_of(node, "peers", UINT_MAX, name), workers);
        if (!node->xworker)
            return "out of memory for the rings between workers";
    }
    for (unsigned i = 0; i < workers && !error; i++)
        error = make_worker(node, &ports[i]);
    return error;
}

static const char *make_control(struct node *node)
{
    struct msg_rings *rings[TEID_WORKERS];
    for (unsigned i = 0; i < node->worker_count; i++)
        rings[i] = &node->workers[i]->rings;
    bool is_made = core_init(&node->core, node->L, &node->config, rings, node->tx_pool);
    if (!is_made || !sessions_new(&node->sessions, &node->core))
        return "out of memory for sessions; lower limits.mobiles or limits.contexts";
    node->sessions.gone.starts = (uint32_t)node->salt;
    return NULL;
}

/* The threads of a live node's workers do not run yet: orders are carried out here as soon as a ring is full,
 * so that no more of them than a ring holds take memory. */
static void add_live_mobiles(struct node *node)
{
    const struct node_config *config = &node->config;
    struct core *core = &node->core;
    for (uint32_t i = 0; i < config->mobile_count; i++) {
        sessions_listed_add(&node->sessions, config, &config->list[i]);
        while (core_link_unanswered(core) > MOST_ORDERS) {
            for (unsigned k = 0; k < node->worker_count; k++)
                orders_apply(node->workers[k], 0);
            core_step(core, 0);
        }
    }
}

static const char *take_random(struct node *node)
{
    struct siphash_key *key = &node->gtpc_key;
    bool is_good = getrandom(key, sizeof(*key), 0) == sizeof(*key) &&
                   getrandom(&node->salt, sizeof(node->salt), 0) == sizeof(node->salt);
    return is_good ? NULL : "the kernel gives no random numbers";
}

bool node_start_on(struct node *node, const struct node_ports *ports)
{
    const struct aqm_choices *aqm = node->config.aqm;
    const char *error = NULL;
    if (!node->is_virtual && aqm && aqm->script_count > 0)
        error = "queues.aqm.lua: schemes in Lua run in virtual time only; use a built-in scheme or a plug-in";
    if (!error && node->config.live.is_on)
        error = take_random(node);
    if (!error)
        error = make_workers(node, ports);
    if (!error)
        error = make_control(node);
    if (!node_complain(error))
        return false;
    sessions_core_join(&node->sessions);
    node->sessions.records = &node->records;
    for (unsigned i = 0; i < node->worker_count; i++)
        node->records.volumes[i] = node->workers[i]->context.volumes;
    if (!node->is_virtual)
        add_live_mobiles(node);
    else if (!node->adds_no_mobiles)
        sessions_listed_add_all(&node->sessions);
    return true;
}

/* --- virtual time --- */

static const char *make_ports(struct node *node, unsigned number, struct node_ports *ports)
{
    char gn[NAME_CHARS], gb[NAME_CHARS], trace[NAME_CHARS];
    snprintf(gn, sizeof(gn), "net_ring_%sgn%u", node->tag, number);
    snprintf(gb, sizeof(gb), "net_ring_%sgb%u", node->tag, number);
    (void)name_of(node, "trace", number, trace);
    node->traces[number] = fate_trace_new(trace, TRACE_EVENTS);
    if (!node->traces[number] || vport_new(&node->gn[number], gn, node->rx_pool) < 0 ||
        vport_new(&node->gb[number], gb, node->rx_pool) < 0)
        return "out of memory for virtual ports";
    node->gn[number].short_pool = node->short_pool;
    *ports = (struct node_ports){.gn = node->gn[number].id, .gb = node->gb[number].id};
    return NULL;
}

static bool start_virtual(struct node *node)
{
    struct node_ports ports[TEID_WORKERS] = {0};
    const char *error = NULL;
    node->is_virtual = true;
    if (!node_take_buffers(node, SOCKET_ID_ANY))
        return false;
    for (unsigned i = 0; i < node_config_workers(&node->config) && !error; i++)
        error = make_ports(node, i, &ports[i]);
    return node_complain(error) && node_start_on(node, ports);
}

bool node_start_all(struct node *const *nodes, unsigned count)
{
    size_t octets = 0;
    for (unsigned i = 0; i < count; i++)
        octets += virtual_memory_octets(&nodes[i]->config);
    if (!eal_start_virtual(octets))
        return false;
    nodes[0]->has_eal = true;
    bool is_started = true;
    for (unsigned i = 0; is_started && i < count; i++)
        is_started = start_virtual(nodes[i]);
    return is_started;
}

bool node_start(struct node *node)
{
    return node_start_all(&node, 1);
}

/* --- the end --- */

static unsigned missing(struct rte_mempool *pool, unsigned count)
{
    unsigned there = pool ? rte_mempool_avail_count(pool) : count;
    rte_mempool_free(pool);
    return count - there;
}

static void free_workers(struct node *node)
{
    if (node->xworker)
        xworker_free(node->xworker, moves_free_note);
    for (unsigned i = 0; i < node->worker_count; i++)
        worker_free(node->workers[i]);
    for (unsigned i = 0; i < TEID_WORKERS; i++) {
        vport_free(&node->gn[i]);
        vport_free(&node->gb[i]);
        rte_ring_free(node->traces[i]);
    }
}

unsigned node_free(struct node *node)
{
    unsigned lost = 0;

    if (node->core.workers > 0)
        core_fini(&node->core);
    sessions_free(&node->sessions);
    records_close(&node->records);
    free_workers(node);
    lost += missing(node->rx_pool, node->rx_count);
    lost += missing(node->tx_pool, node->tx_count);
    lost += missing(node->short_pool, node->short_pool ? node->rx_count : 0);
    if (node->has_eal)
        eal_stop();
    node_config_free(&node->config);
    lua_host_free(node->L);
    *node = (struct node){0};
    return lost;
}
