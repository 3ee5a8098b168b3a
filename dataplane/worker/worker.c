/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/worker.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/downlink.h"
#include "dataplane/worker/framing.h"
#include "dataplane/worker/uplink.h"

#include <rte_malloc.h>
#include <string.h>

#define MESSAGES 4096

int64_t worker_step(struct worker *w, int64_t now)
{
    unsigned moved = orders_apply(w, now);
    moved += uplink_receive(w, now);
    moved += downlink_receive(w, now);
    sched_advance(&w->context.sched, now);
    downlink_reap(w, now);
    moved += framing_send(w, now);
    moved += port_flush(&w->gb) + port_flush(&w->gn);
    fragments_expire(&w->fragments, &w->stats, now);
    reassembly_expire(&w->reassembly, &w->stats, now);
    if (moved)
        return now;

    int64_t next_ns = moment_min(fragments_next_ns(&w->fragments), reassembly_next_ns(&w->reassembly));
    return moment_min(next_ns, framing_next_ns(w, now));
}

static const char *start(struct worker *w, const struct worker_config *config)
{
    if (!context_new(&w->context, &config->limits, &config->lifetime))
        return "no memory for its tables";
    if (!lookup_new(&w->lookup, config->name, &config->limits))
        return "no memory for its look-ups";
    if (!fragments_new(&w->fragments, config->fragments, config->fragment_timeout_ns))
        return "no memory for outer fragments";
    if (!reassembly_new(&w->reassembly, config->reassemblies, config->limits.pdps))
        return "no memory for uplink reassembly";
    if (!msg_rings_new(&w->rings, config->name, MESSAGES))
        return "no memory for its message rings";
    if (port_open(&w->gn, config->gn_port, config->rx_pool) < 0)
        return "the Gn port does not start";
    if (port_open(&w->gb, config->gb_port, config->rx_pool) < 0)
        return "the Gb port does not start";
    return NULL;
}

struct worker *worker_new(const struct worker_config *config, const char **error)
{
    struct worker *w = rte_zmalloc(config->name, sizeof(*w), RTE_CACHE_LINE_SIZE);
    if (!w) {
        *error = "no memory";
        return NULL;
    }
    w->tx_pool = config->tx_pool;
    w->is_any_ggsn = config->is_any_ggsn;
    budget_init(&w->echo_budget);
    budget_init(&w->error_budget);
    w->gn.id = w->gb.id = RTE_MAX_ETHPORTS;
    memcpy(w->gn_mac, config->gn_mac, sizeof(w->gn_mac));
    memcpy(w->gn_peer_mac, config->gn_peer_mac, sizeof(w->gn_peer_mac));
    *error = start(w, config);
    if (!*error)
        return w;
    worker_free(w);
    return NULL;
}

static void free_waiting(struct worker *w)
{
    struct n_pdu *n_pdu;
    for (uint32_t i = 0; w->context.mobiles && i < w->context.limits.mobiles; i++)
        while (w->context.mobiles[i].in_use &&
               (n_pdu = ms_queue_drop_head(&w->context.mobiles[i].sched.queue)))
            rte_pktmbuf_free(pool_mbuf(n_pdu));
}

static void free_messages(struct rte_ring *ring)
{
    struct msg msg;
    while (ring && msg_take(ring, &msg))
        if (msg.type == MSG_PUNT || msg.type == MSG_SEND)
            rte_pktmbuf_free(msg.mbuf);
}

void worker_free(struct worker *w)
{
    free_waiting(w);
    free_messages(w->rings.to_worker);
    free_messages(w->rings.to_control);
    if (w->gn.id != RTE_MAX_ETHPORTS)
        port_close(&w->gn);
    if (w->gb.id != RTE_MAX_ETHPORTS)
        port_close(&w->gb);
    msg_rings_free(&w->rings);
    reassembly_free(&w->reassembly);
    fragments_free(&w->fragments);
    lookup_free(&w->lookup);
    context_free(&w->context);
    rte_free(w);
}
