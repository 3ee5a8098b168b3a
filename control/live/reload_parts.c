/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a reload that are not Gb, mobiles or limits: AQM schemes, metrics, workers' idling, LLC,
 * GTP-C, phones. */
#include "control/live/reload.h"
#include "control/live/exporter.h"

#include "control/base/eal.h"
#include "control/config/lua_config_diff.h"
#include "control/core/core.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_link.h"
#include "control/live/live.h"
#include "control/sessions/sessions_records.h"
#include "dataplane/sched/aqm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the thread --- */

static bool prepare_schemes(struct live *live)
{
    struct live_reload *reload = &live->reload;
    const struct lua_config_diff *diff = &reload->diff;
    for (unsigned i = 0; diff->schemes != 0 && i < live->node.worker_count; i++) {
        struct context_policy policy = node_policy_of(&diff->config, i);
        char message[128];
        reload->parts.aqm[i] = sched_aqm_prepare(&live->node.workers[i]->context.sched, policy.sched.aqm,
                                                 diff->schemes, message, sizeof(message));
        if (reload->parts.aqm[i])
            continue;
        fprintf(stderr, "queues: AQM schemes: %s\n", message);
        return false;
    }
    return true;
}

/* Another address or port needs another server. */
static bool is_moved(const struct live_config *from, const struct live_config *to)
{
    return from->metrics.is_on != to->metrics.is_on || from->metrics.port != to->metrics.port ||
           strcmp(from->metrics.address, to->metrics.address) != 0;
}

static bool prepare_metrics(struct live *live)
{
    const struct live_config *new = &live->reload.diff.config.live;
    if (live->reload.is_trial || !new->metrics.is_on || !is_moved(&live->node.config.live, new))
        return true;
    live->reload.parts.metrics = live_exporter_start(live, new);
    return live->reload.parts.metrics != NULL;
}

/* A trial leaves no file behind. */
static bool prepare_records(struct live *live)
{
    const struct live_config_records *new = &live->reload.diff.config.live.records;
    struct records *records = &live->node.records;
    return live->reload.is_trial || !records_are_on(records) || records_prepare(records, new);
}

static bool prepare_parts(struct live *live)
{
    struct live_reload *reload = &live->reload;
    return live_capabilities_prepare(&live->capabilities, &reload->diff.config, reload->is_trial,
                                     &reload->parts.next);
}

bool live_reload_prepare(struct live *live)
{
    live->reload.parts.effective = lua_config_diff_effective(live->reload.diff.L);
    return prepare_schemes(live) && prepare_metrics(live) && prepare_records(live) && prepare_parts(live);
}

void live_reload_release(struct live_reload_parts *parts)
{
    for (unsigned i = 0; i < TEID_WORKERS; i++)
        sched_aqm_release(parts->aqm[i]);
    metrics_http_stop(parts->metrics);
    free(parts->effective);
    live_capabilities_release(&parts->next);
    *parts = (struct live_reload_parts){0};
}

/* --- the control thread --- */

static void order_schemes(struct live *live)
{
    struct core *core = &live->node.core;
    for (unsigned i = 0; i < core->workers; i++) {
        const struct msg msg = {.type = MSG_QUEUE_AQM, .aqm = &live->reload.parts.aqm[i]};
        core_link_order(core, i, &msg);
    }
}

static void exchange_metrics(struct live *live, const struct live_config *new)
{
    if (is_moved(&live->node.config.live, new)) {
        struct metrics_http *former = live->metrics;
        live->metrics = live->reload.parts.metrics;
        live->reload.parts.metrics = former;
    } else if (live->metrics) {
        metrics_http_set_rows(live->metrics, new->metrics.mobiles);
    }
    live->node.config.live.metrics = new->metrics;
}

static void set_idling(struct live *live, const struct live_config *new)
{
    live->node.config.live.is_polling = new->is_polling;
    live->node.config.live.max_sleep_ns = new->max_sleep_ns;
    if (new->is_polling)
        eal_live_leave_workers(live->worker_count);
    for (unsigned i = 0; i < live->worker_count; i++) {
        atomic_store_explicit(&live->workers[i].is_polling, new->is_polling, memory_order_relaxed);
        atomic_store_explicit(&live->workers[i].max_sleep_ns, new->max_sleep_ns, memory_order_relaxed);
    }
}

/* A local address stays until the end: contexts may have it. */
static void add_address(struct live *live, uint32_t ip)
{
    struct live_config *config = &live->node.config.live;
    for (uint32_t i = 0; i < config->address_count; i++)
        if (config->addresses[i] == ip)
            return;
    if (config->address_count < LIVE_CONFIG_ADDRESSES)
        config->addresses[config->address_count++] = ip;
    links_add_own(&live->links, ip);
    core_gtpc_claim_one(&live->node.core, ip);
}

static void add_addresses(struct live *live, const struct node_config *new)
{
    for (uint32_t i = 0; i < new->live.address_count; i++)
        add_address(live, core_address_of(&live->node.core, new, new->live.addresses[i]));
}

void live_reload_apply_parts(struct live *live)
{
    struct live_reload *reload = &live->reload;
    const struct lua_config_diff *diff = &reload->diff;
    if (diff->schemes != 0)
        order_schemes(live);
    live_capabilities_apply(&live->capabilities, &reload->parts.next);
    if (diff->has_live) {
        live->log.own.lines_per_s = diff->config.live.log_lines_per_s;
        set_idling(live, &diff->config.live);
        exchange_metrics(live, &diff->config.live);
    }
    if (diff->has_addresses)
        add_addresses(live, &diff->config);
    if (diff->has_phones) {
        core_tell(&live->node.core, phones_configure, LUA_AT(diff->L, "phones"));
        records_exchange(&live->node.records, &diff->config.live.records);
        sessions_records_set_every(&live->node.sessions, diff->config.live.records.every_ns);
    }
    if (diff->has_llc) {
        core_tell(&live->node.core, llc_set_values, LUA_AT(diff->L, "llc"));
        node_set_links(&live->node, &diff->config);
    }
    if (diff->has_phones || diff->has_gtpc)
        core_tell(&live->node.core, gtpc_configure, LUA_AT(diff->L, "gn.gtpc"),
                  LUA_AT(diff->L, "phones.pool"));
    char *former = live->effective;
    live->effective = reload->parts.effective;
    reload->parts.effective = former;
}
