/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/guards.h"

#include "dataplane/base/teid.h"
#include "dataplane/esp/sa.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <rte_mbuf.h>

static_assert(SA_WORKERS == TEID_WORKERS, "an association counts for each worker");

static const struct budget_rates ike_rates = {
    .each = {MOMENT_SECOND / GUARDS_IKE_PER_S, GUARDS_IKE_BURST},
    .all = {MOMENT_SECOND / GUARDS_IKE_ALL_PER_S, GUARDS_IKE_ALL_BURST},
};
static_assert(BUDGET_SOURCES > GUARDS_IKE_ALL_BURST + GUARDS_IKE_ALL_PER_S / GUARDS_IKE_PER_S, "one each");

/* Passes a frame to control, for the daemon. */
static enum drop take_ike(void *arg, struct rte_mbuf *frame, uint64_t source)
{
    struct guard *guard = arg;
    struct worker *w = guard->worker;
    enum msg_port port = guard == &w->guards[MSG_PORT_GN] ? MSG_PORT_GN : MSG_PORT_GB;
    struct msg msg = {.type = MSG_IKE, .port = port, .mbuf = frame};
    bool is_put = budget_take(&guard->ike_budget, source, w->step_ns) ? shares_put(&w->rings, &msg, SHARE_IKE)
                                                                      : shares_refuse(&w->rings, SHARE_IKE);
    return is_put ? DROP_IKE : DROP_PUNT_FULL;
}

static unsigned guard_receive(void *arg, struct rte_mbuf **frames, unsigned count)
{
    struct guard *guard = arg;
    return esp_receive(&guard->esp, frames, count, guard->drops);
}

static unsigned guard_send(void *arg, struct rte_mbuf **frames, unsigned count)
{
    struct guard *guard = arg;
    return esp_send(&guard->esp, frames, count, guard->unsent);
}

static void guard_put(struct guard *guard, const struct worker_config *config, struct rules *rules,
                      struct port *port)
{
    if (!rules)
        return;
    budget_init_rates(&guard->ike_budget, &ike_rates);
    guard->esp = (struct esp){.rules = rules,
                              .ops = config->esp.ops,
                              .buffers = config->tx_pool,
                              .take_ike = config->esp.has_ike ? take_ike : NULL,
                              .arg = guard,
                              .queue = (uint16_t)config->number};
    guard->calls = (struct port_guard){.arg = guard, .receive = guard_receive, .send = guard_send};
    port->guard = &guard->calls;
    port->sums_udp = false; /* a device cannot write into what is encrypted */
}

/* Between two bursts. -1: the port has no guard. */
int guards_order_rules(struct worker *w, uint32_t unused_index, const struct msg *msg, int64_t unused_now)
{
    struct esp *esp = msg->rules.port < MSG_PORTS ? &w->guards[msg->rules.port].esp : NULL;
    if (!esp || !esp->rules)
        return -1;
    struct rules *former = esp->rules;
    esp->rules = msg->rules.rules;
    atomic_fetch_sub_explicit(&former->users, 1, memory_order_release);
    return 0;
}

void guards_new(struct worker *w, const struct worker_config *config)
{
    struct guard *gn = &w->guards[MSG_PORT_GN], *gb = &w->guards[MSG_PORT_GB];
    *gn = (struct guard){.worker = w, .drops = w->stats.gn_drops, .unsent = w->stats.gn_unsent};
    *gb = (struct guard){.worker = w, .drops = w->stats.gb_drops, .unsent = w->stats.gb_unsent};
    guard_put(gn, config, config->esp.rules[MSG_PORT_GN], &w->gn);
    w->gn_guard_octets = w->gn.guard ? SA_OVERHEAD_MAX_OCTETS : 0;
    guard_put(gb, config, config->esp.rules[MSG_PORT_GB], &w->gb);
}
