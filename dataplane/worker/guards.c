/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/guards.h"

#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>

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

static void guard_put(struct guard *guard, const struct worker_config *config, const struct rules *rules,
                      struct port *port)
{
    if (!rules)
        return;
    guard->esp = (struct esp){.rules = rules,
                              .ops = config->esp.ops,
                              .buffers = config->tx_pool,
                              .queue = (uint16_t)config->number};
    guard->calls = (struct port_guard){.arg = guard, .receive = guard_receive, .send = guard_send};
    port->guard = &guard->calls;
}

void guards_new(struct worker *w, const struct worker_config *config)
{
    struct guard *gn = &w->guards[MSG_PORT_GN], *gb = &w->guards[MSG_PORT_GB];
    *gn = (struct guard){.drops = w->stats.gn_drops, .unsent = w->stats.gn_unsent};
    *gb = (struct guard){.drops = w->stats.gb_drops, .unsent = w->stats.gb_unsent};
    guard_put(gn, config, config->esp.rules[MSG_PORT_GN], &w->gn);
    guard_put(gb, config, config->esp.rules[MSG_PORT_GB], &w->gb);
}
