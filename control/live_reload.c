/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live_reload.h"

#include "control/core_address.h"
#include "control/core_nsvc.h"
#include "control/live.h"
#include "control/lua_config_diff.h"
#include "control/sessions_gtpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- mobiles --- */

static void remove_mobiles(struct live *live, const struct lua_config_diff *diff)
{
    struct sessions *s = &live->node.sessions;
    for (uint32_t i = 0; i < diff->removed_count; i++) {
        sessions_gtpc_forget(s, diff->removed[i]);
        for (uint32_t k = 0; k < s->count; k++)
            if (s->list[k].is_active && strcmp(s->mobiles[s->list[k].mobile].imsi, diff->removed[i]) == 0)
                sessions_end(s, &s->list[k]);
    }
}

static void add_mobiles(struct live *live, const struct lua_config_diff *diff)
{
    for (uint32_t i = 0; i < diff->added_count; i++) {
        const struct node_config_mobile *listed = &diff->config.list[diff->added[i]];
        sessions_add_listed(&live->node.sessions, &diff->config, listed);
        for (uint32_t k = 0; k < listed->context_count; k++)
            live_links_add_context(&live->links, &diff->config,
                                   &diff->config.contexts[listed->first_context + k]);
    }
}

static void change_classes(struct live *live, const struct lua_config_diff *diff)
{
    for (uint32_t i = 0; i < diff->class_count; i++) {
        const struct node_config_mobile *listed = &diff->config.list[diff->classes[i].mobile];
        const struct node_config_context *context =
            &diff->config.contexts[listed->first_context + diff->classes[i].context];
        sessions_gtpc_change(&live->node.sessions, listed->imsi, context->nsapi, context->qclass);
    }
}

/* --- Gb --- */

static void set_policies(struct live *live, const struct lua_config_diff *diff)
{
    struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->policy_count; i++) {
        uint16_t cell = diff->policies[i];
        struct msg msg = {.type = MSG_BVC_POLICY, .index = cell, .policy = diff->config.cells[cell].policy};
        config->cells[cell].policy = msg.policy;
        lua_gb_set_max_rise(&live->node.core.gb, config->nses[config->cells[cell].nse].nsei,
                            config->cells[cell].bvci, diff->config.cells[cell].max_rise_ppm);
        core_request(&live->node.core, node_config_worker_of(config, cell), &msg);
    }
}

static void set_links(struct live *live, const struct lua_config_diff *diff)
{
    struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->link_count; i++) {
        uint16_t nse = diff->links[i];
        struct msg msg = {.type = MSG_NSE_RATE, .index = nse, .link = diff->config.nses[nse].link};
        config->nses[nse].link = msg.link;
        core_request(&live->node.core, config->nses[nse].worker, &msg);
    }
}

/* Counting those as used whose place will be free. */
static bool has_room_for_nsvcs(const struct live *live, const struct lua_config_diff *diff)
{
    uint32_t room = live->node.config.nsvc_count + diff->nsvc_count;
    for (uint32_t i = 0; i < live->node.config.nsvc_count; i++)
        room -= live->node.config.nsvcs[i].is_free;
    if (room <= live->node.workers[0]->context.limits.nsvcs)
        return true;
    fprintf(stderr, "gbflow: reload: no room for %u NS-VCs\n", room);
    return false;
}

/* New NSEs are at the end of both configurations, and so are their NS-VCs and cells. */
static bool has_room_for_nses(const struct live *live, const struct lua_config_diff *diff)
{
    const struct context_limits *limits = &live->node.workers[0]->context.limits;
    uint32_t nsvcs = live->node.config.nsvc_count;
    for (uint32_t i = 0; i < diff->config.nsvc_count && diff->nse_count > 0; i++)
        nsvcs += diff->config.nsvcs[i].nse >= diff->nses[0];
    if (diff->config.nse_count <= limits->nses && diff->config.cell_count <= limits->bvcs &&
        nsvcs + diff->nsvc_count <= limits->nsvcs)
        return true;
    fprintf(stderr, "gbflow: reload: no room for so many NSEs, NS-VCs or cells: at most %u, %u, %u\n",
            limits->nses, limits->nsvcs, limits->bvcs);
    return false;
}

static void add_nsvcs_of(struct live *live, const struct lua_config_diff *diff, uint16_t nse)
{
    struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->config.nsvc_count; i++) {
        struct node_config_nsvc nsvc = diff->config.nsvcs[i];
        if (nsvc.nse != nse)
            continue;
        nsvc.own_address = core_address_of(&live->node.core, &diff->config, nsvc.own_address);
        nsvc.address = core_address_of(&live->node.core, &diff->config, nsvc.address);
        node_config_add_nsvc(config, &nsvc);
        if (!nsvc.is_absent)
            core_nsvc_add(&live->node.core, config->nsvc_count - 1);
    }
}

static void add_nses(struct live *live, const struct lua_config_diff *diff, const char *text)
{
    struct node_config *config = &live->node.config;
    struct core *core = &live->node.core;
    for (uint32_t i = 0; i < diff->nse_count; i++) {
        uint16_t nse = diff->nses[i];
        node_config_add_nse(config, &diff->config.nses[nse]);
        core_nse_add(core, nse);
        add_nsvcs_of(live, diff, nse);
        for (uint32_t k = 0; k < diff->config.cell_count; k++) {
            if (diff->config.cells[k].nse != nse)
                continue;
            node_config_add_cell(config, &diff->config.cells[k]);
            core_cell_add(core, k);
        }
        lua_gb_nse_add(&core->gb, text, nse, core->now);
    }
    if (diff->nse_count > 0)
        live_links_want_nsvcs(&live->links);
}

static void remove_nsvcs(struct live *live, const struct lua_config_diff *diff)
{
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->gone_count; i++) {
        uint32_t index = node_config_nsvc_of(config, diff->gone[i].nse, diff->gone[i].nsvci);
        lua_gb_nsvc_del(&live->node.core.gb, index, live->node.core.now);
        config->nsvcs[index].is_free = true;
    }
}

/* Where a new one has its row: in the first place that is free, or behind all others. */
static uint32_t place_nsvc(struct node_config *config, const struct node_config_nsvc *nsvc)
{
    for (uint32_t i = 0; i < config->nsvc_count; i++) {
        if (config->nsvcs[i].is_free) {
            config->nsvcs[i] = *nsvc;
            return i;
        }
    }
    node_config_add_nsvc(config, nsvc);
    return config->nsvc_count - 1;
}

static void add_nsvcs(struct live *live, const struct lua_config_diff *diff)
{
    struct node_config *config = &live->node.config;
    struct core *core = &live->node.core;
    for (uint32_t i = 0; i < diff->nsvc_count; i++) {
        struct node_config_nsvc nsvc = diff->config.nsvcs[diff->nsvcs[i]];
        nsvc.own_address = core_address_of(core, &diff->config, nsvc.own_address);
        nsvc.address = core_address_of(core, &diff->config, nsvc.address);
        uint32_t index = place_nsvc(config, &nsvc);
        core_nsvc_add(core, index);
        lua_gb_nsvc_add(&core->gb, config->nses[nsvc.nse].nsei, nsvc.nsvci, index, core->now);
    }
    if (diff->nsvc_count > 0)
        live_links_want_nsvcs(&live->links);
}

static void change_endpoints(struct live *live, const struct lua_config_diff *diff)
{
    struct lua_gb_endpoint list[LUA_CONFIG_DIFF_ENDPOINTS];
    for (uint32_t i = 0; i < diff->endpoints_count; i++) {
        uint16_t nse = diff->endpoints[i];
        unsigned count = lua_config_diff_endpoints(diff, nse, list);
        lua_gb_sns_endpoints(&live->node.core.gb, live->node.config.nses[nse].nsei, list, count,
                             live->node.core.now);
    }
}

static void set_timer(void *arg, const char *group, const char *name, int64_t value)
{
    struct live *live = arg;
    lua_gb_set_duration(&live->node.core.gb, group, name, value);
}

/* --- the whole --- */

static void apply(struct live *live, const struct lua_config_diff *diff, const char *text)
{
    remove_mobiles(live, diff);
    change_classes(live, diff);
    set_policies(live, diff);
    set_links(live, diff);
    remove_nsvcs(live, diff);
    add_nses(live, diff, text);
    add_nsvcs(live, diff);
    change_endpoints(live, diff);
    add_mobiles(live, diff);
    if (diff->has_timers)
        lua_config_diff_timers(diff, live, set_timer);
    if (diff->has_log_lines)
        live->log.lines_per_s = diff->config.live.log_lines_per_s;
    fprintf(stderr,
            "gbflow: reload: %u mobiles added, %u removed, %u contexts, %u cells, %u links changed, %u "
            "NS-VCs added, %u removed, %u NSEs added%s\n",
            diff->added_count, diff->removed_count, diff->class_count, diff->policy_count, diff->link_count,
            diff->nsvc_count, diff->gone_count, diff->nse_count, diff->has_timers ? ", timers changed" : "");
}

void live_reload(struct live *live)
{
    struct lua_config_diff diff = {0};
    char *text = lua_config_diff_text(live->options->node);
    bool is_new = text && lua_config_diff_new(&diff, live->options->node, live->text, text) &&
                  has_room_for_nsvcs(live, &diff) && has_room_for_nses(live, &diff);
    if (is_new) {
        live->links.now = live->node.core.now;
        apply(live, &diff, text);
        free(live->text);
        live->text = text;
    } else {
        fprintf(stderr, "gbflow: reload: nothing was changed\n");
        free(text);
    }
    lua_config_diff_free(&diff);
}
