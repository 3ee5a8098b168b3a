/* SPDX-License-Identifier: BSD-3-Clause */
/* The NS-VCs of the control core: added, started, deleted at the workers. */
#include "control/core/core_gb.h"

#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"

#include <string.h>

/* Its endpoints, as addresses of the workers. */
static struct gb_nsvc_params params_of(const struct core *core, const struct node_config_nsvc *nsvc)
{
    const struct node_config *config = core->config;
    struct gb_nsvc_params params = {
        .local_ip = nsvc->own_address,
        .remote_ip = nsvc->address,
        .local_port = nsvc->own_port,
        .remote_port = nsvc->udp_port,
        .nse = nsvc->nse,
        .needs_mac = config->live.is_on && !nsvc->has_mac && !nsvc->has_heard_mac,
        .data_weight = nsvc->data_weight,
    };
    memcpy(params.local_mac, config->gb.mac, sizeof(params.local_mac));
    memcpy(params.remote_mac, nsvc->mac, sizeof(params.remote_mac));
    return params;
}

static void tell_others(struct core *core, const struct node_config_nsvc *nsvc, bool is_gone)
{
    unsigned worker = core->config->nses[nsvc->nse].worker;
    struct msg msg = {
        .type = MSG_NSVC_AT,
        .nsvc_at = {.worker = (uint16_t)worker, .is_gone = is_gone, .params = params_of(core, nsvc)}};
    core_link_order_others(core, worker, &msg);
}

void core_nsvc_add(struct core *core, uint32_t index)
{
    const struct node_config_nsvc *nsvc = &core->config->nsvcs[index];
    struct msg msg = {.type = MSG_NSVC_ADD, .slot = index, .nsvc = params_of(core, nsvc)};
    core_order(core, &msg);
    tell_others(core, nsvc, false);
}

void core_nsvc_start(struct core *core)
{
    for (uint32_t i = 0; i < core->config->nsvc_count; i++)
        if (!core->config->nsvcs[i].is_absent)
            core_nsvc_add(core, i);
}

static uint32_t address_of(struct core *core, const struct lua_field_address *address)
{
    return core_address(core, address->octets, address->count);
}

void core_nsvc_made(struct core *core, struct core_intent *intent)
{
    struct node_config_nsvc *nsvc = &core->config->nsvcs[intent->msg.slot];
    nsvc->nse = (uint16_t)node_config_nse(core->config, intent->nsei);
    nsvc->nsvci = intent->nsvci;
    nsvc->is_free = false;
    uint32_t known = core->addresses.count;
    nsvc->own_address = address_of(core, &intent->own_address);
    nsvc->own_port = intent->own_port;
    nsvc->address = address_of(core, &intent->address);
    if (core->config->nses[nsvc->nse].is_accepted) {
        core->accepted_addresses += core->addresses.count - known;
        memcpy(nsvc->mac, core->accepted_mac, sizeof(nsvc->mac));
        nsvc->has_heard_mac = true;
    }
    nsvc->udp_port = intent->udp_port;
    nsvc->data_weight = intent->weight;
    nsvc->is_absent = nsvc->is_leaving = false;
    core_nsvc_add(core, intent->msg.slot);
    if (core->neighbours.arg)
        core->neighbours.on_nsvc(core->neighbours.arg, intent->msg.slot);
}

void core_nsvc_deleted(struct core *core, struct core_intent *intent)
{
    struct node_config_nsvc *nsvc = &core->config->nsvcs[intent->msg.slot];
    core_order(core, &intent->msg);
    tell_others(core, nsvc, true);
    nsvc->is_absent = nsvc->is_leaving = true;
    nsvc->is_free = core->config->nses[nsvc->nse].is_accepted;
}
