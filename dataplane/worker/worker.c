/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/worker.h"
#include "dataplane/worker/guards.h"
#include "dataplane/worker/stages.h"

#include "dataplane/base/budget.h"
#include "dataplane/base/moment.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/memory/pool.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/ports/port.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/wait.h"

#include <rte_common.h>
#include <rte_malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORKER_GN_MTU_OCTETS 1500

#define MESSAGES   4096 /* slots of a ring, which holds one message less */
#define PUNTS_PART 4    /* divides the buffers: the part that control may have at a time */
#define NEWS_PART  8    /* divides the ring to control: the part that shares leave to other messages */

int64_t worker_step(struct worker *w, int64_t now)
{
    unsigned moved = 0;
    w->step_ns = now;
    sched_wait_at(&w->context.sched, now);
#define WORKER_STAGE(name, step, next_ns) moved += step(w, now);
#include "dataplane/worker/stages.def"
    if (moved)
        return now;

    if (likely(!w->keeps_spare))
        gb_tx_outbox_rest(w);
    int64_t due_ns = MOMENT_NEVER;
#define WORKER_STAGE(name, step, next_ns) due_ns = moment_min(due_ns, next_ns(w, now));
#include "dataplane/worker/stages.def"
    return due_ns;
}

static bool is_peer_found_out(const struct worker_config *config)
{
    static const uint8_t none[6];
    return config->has_neighbours && memcmp(config->gn_peer_mac, none, sizeof(none)) == 0;
}

static const char *worker_start(struct worker *w, const struct worker_config *config)
{
    if (config->number >= (config->xworker ? config->xworker->count : TEID_WORKERS))
        return "the worker's number is not below the number of workers";
    if (!context_new(&w->context, &config->limits, &config->policy))
        return "no memory for the worker's tables";
    if (!lookup_new(&w->lookup, config->name, &config->limits))
        return "no memory for the worker's look-up tables";
    w->tunnels.worker = config->number;
    w->tunnels.workers = config->xworker ? config->xworker->count : 1;
    if (!tunnels_new(&w->tunnels, config->name, &w->context))
        return "no memory for foreign TEIDs";
    if (!moves_new(&w->moves, config->xworker ? config->remote_mobiles_max : 0))
        return "no memory for remote mobiles";
    if (!forward_new(&w->forward, config->limits.pdps))
        return "no memory for contexts that go to another SGSN";
    if (config->pacing.classes != 0) {
        struct pacing_params pacing = config->pacing;
        pacing.view = gn_tx_user_view(w);
        w->pacing = pacing_new(&pacing, &(struct pacing_limits){config->limits.mobiles, config->limits.bvcs,
                                                                config->limits.nses});
        if (!w->pacing)
            return "no memory for TCP flows; lower queues.pacing.flows";
    }
    if (!hops_new(&w->hops, is_peer_found_out(config) ? NULL : config->gn_peer_mac))
        return "no memory for next hops";
    uint32_t buffers = config->fragment_buffers ? config->fragment_buffers : config->fragments;
    if (!fragments_new(&w->fragments, config->fragments, buffers, config->fragment_timeout_ns))
        return "no memory for outer fragments";
    if (!gn_echo_new(&w->echo))
        return "no memory for paths on Gn";
    if (!punts_gtpc_new(&w->gtpc, &config->gtpc_key))
        return "no memory for peers of GTP-C";
    if (!reassembly_new(&w->reassembly, config->reassemblies, config->limits.pdps))
        return "no memory for uplink reassembly";
    if (!gb_abm_new(w, &config->abm, config->limits.mobiles))
        return "no memory for links in acknowledged mode; lower llc.acknowledged.links";
    if (!gb_compression_new(w, &config->compression, config->limits.mobiles))
        return "no memory for SNDCP's compression; lower limits.mobiles";
    if (!recent_new(&w->recent))
        return "no memory for the records of the latest N-PDUs";
    if (!msg_rings_new(&w->rings, config->name, MESSAGES))
        return "no memory for the worker's message rings";
    unsigned places = MESSAGES - MESSAGES / NEWS_PART;
    if (!shares_new(&w->shares, config->limits.nses, RTE_MIN(config->rx_pool->size / PUNTS_PART, places)))
        return "no memory for the shares of the ring to control";
    w->rings.shares = &w->shares;
    if (config->are_ports_shared) {
        port_share(&w->gn, config->gn_port, config->gn_queue, &config->gn_settings);
        port_share(&w->gb, config->gb_port, config->gb_queue, &config->gb_settings);
        guards_put(w, config);
        return NULL;
    }
    if (port_open(&w->gn, config->gn_port, config->rx_pool) < 0)
        return "the Gn port does not start";
    if (port_open(&w->gb, config->gb_port, config->rx_pool) < 0)
        return "the Gb port does not start";
    guards_put(w, config);
    return NULL;
}

static void set_markings(struct worker *w, const struct worker_config *config)
{
    const struct marking *gb = &config->gb_marking;
    w->gn_marking = config->gn_marking;
    w->gb_marking = *gb;
    w->gb_marking.clears_ecn = true;
    w->marks_gb = gb->copies_dscp;
    for (unsigned i = QCLASS_CONVERSATIONAL; i < QCLASS_COUNT; i++)
        w->marks_gb |= gb->dscp[i] != gb->dscp[QCLASS_SIGNALLING];
}

/* Each worker has the numbers that give its own, divided by the step, which divides 2^16. */
static void set_identifications(struct worker *w, const struct worker_config *config)
{
    w->gn_id_step = rte_align32pow2(config->xworker ? config->xworker->count : 1);
    w->gn_ip_id = w->gn_fragment_id = config->salt * w->gn_id_step + config->number;
}

struct worker *worker_new(const struct worker_config *config, const char **error)
{
    struct worker *w = rte_zmalloc(config->name, sizeof(*w), RTE_CACHE_LINE_SIZE);
    if (!w) {
        *error = "no memory";
        return NULL;
    }
    w->number = config->number;
    w->xworker = config->xworker;
    set_identifications(w, config);
    w->tx_pool = config->tx_pool;
    w->gea = config->gea;
    w->is_any_ggsn = config->is_any_ggsn;
    w->punts_unknown_tlli = config->punts_unknown_tlli;
    w->punts_unlisted = config->punts_unlisted;
    budget_init(&w->unlisted_budget);
    w->has_paging = config->has_paging;
    w->no_uplink_filter = config->no_uplink_filter;
    w->is_any_destination = config->is_any_destination;
    w->is_gn_whole = config->is_gn_whole;
    set_markings(w, config);
    w->keeps_spare = config->keeps_spare;
    w->gb_overhead_octets = config->gb_overhead_octets;
    w->gn_mtu_octets = config->gn_mtu_octets ? config->gn_mtu_octets : WORKER_GN_MTU_OCTETS;
    budget_init(&w->echo_budget);
    budget_init(&w->error_budget);
    for (int port = 0; port < MSG_PORTS; port++) {
        budget_init(&w->resolution_budgets[port]);
        budget_init(&w->icmp_budgets[port]);
    }
    w->gn.id = w->gb.id = RTE_MAX_ETHPORTS;
    memcpy(w->gn_mac, config->gn_mac, sizeof(w->gn_mac));
    w->has_neighbours = config->has_neighbours;
    w->has_gtpc = config->has_gtpc;
    *error = worker_start(w, config);
    if (!*error)
        return w;
    worker_free(w);
    return NULL;
}

static void free_waiting(struct worker *w)
{
    struct n_pdu_list waiting = {0};
    struct n_pdu *n_pdu;
    for (uint32_t i = 0; w->context.mobiles && i < w->context.limits.mobiles; i++)
        if (w->context.mobiles[i].in_use)
            sched_ms_take_all(&w->context.sched, &w->context.mobiles[i].sched, &waiting);
    while ((n_pdu = n_pdu_list_take(&waiting)))
        pool_n_pdu_free(n_pdu);
}

static void free_messages(struct rte_ring *ring)
{
    struct msg msg;
    while (ring && msg_take(ring, &msg))
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
}

void worker_free(struct worker *w)
{
    free_waiting(w);
    gb_abm_free(w);
    gb_compression_free(w);
    gb_tx_outbox_rest(w);
    signalling_free(w);
    free_messages(w->rings.to_worker);
    free_messages(w->rings.to_control);
    if (w->gn.id != RTE_MAX_ETHPORTS)
        port_close(&w->gn);
    if (w->gb.id != RTE_MAX_ETHPORTS)
        port_close(&w->gb);
    msg_rings_free(&w->rings);
    shares_free(&w->shares);
    recent_free(&w->recent);
    reassembly_free(&w->reassembly);
    gn_echo_free(&w->echo);
    punts_gtpc_free(&w->gtpc);
    fragments_free(&w->fragments);
    gn_wait_free(&w->wait);
    hops_free(&w->hops);
    pacing_free(w->pacing);
    moves_free(&w->moves);
    forward_free(&w->forward);
    tunnels_free(&w->tunnels);
    lookup_free(&w->lookup);
    context_free(&w->context);
    rte_free(w);
}
