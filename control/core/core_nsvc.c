/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_nsvc.h"

#include "control/core/core_address.h"

#include <string.h>

/* Its ends, as the workers know them. */
static struct gb_nsvc_params params_of(const struct core *core, const struct node_config_nsvc *nsvc)
{
    const struct node_config *config = core->config;
    struct gb_nsvc_params params = {
        .local_ip = nsvc->own_address,
        .remote_ip = nsvc->address,
        .local_port = nsvc->own_port,
        .remote_port = nsvc->udp_port,
        .nse = nsvc->nse,
        .needs_mac = config->live.is_on && !nsvc->has_mac,
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
    core_request_others(core, worker, &msg);
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

/* --- IP-SNS --- */

static uint32_t address_of(struct core *core, const struct lua_gb_address *address)
{
    return core_address(core, address->octets, address->count);
}

static void come(struct core *core, const struct lua_gb_intent *intent)
{
    struct node_config_nsvc *nsvc = &core->config->nsvcs[intent->nsvc];
    nsvc->own_address = address_of(core, &intent->ends.own_address);
    nsvc->own_port = intent->ends.own_port;
    nsvc->address = address_of(core, &intent->ends.address);
    nsvc->udp_port = intent->ends.udp_port;
    nsvc->data_weight = intent->weight;
    nsvc->is_absent = nsvc->is_leaving = false;
    core_nsvc_add(core, intent->nsvc);
    if (core->neighbours.arg)
        core->neighbours.on_nsvc(core->neighbours.arg, intent->nsvc);
}

static void go(struct core *core, uint32_t index)
{
    struct node_config_nsvc *nsvc = &core->config->nsvcs[index];
    struct msg msg = {.type = MSG_NSVC_DEL, .slot = index};
    core_order(core, &msg);
    tell_others(core, nsvc, true);
    nsvc->is_absent = nsvc->is_leaving = true;
}

void core_nsvc_apply(struct core *core, const struct lua_gb_intent *intent)
{
    struct msg msg = {.slot = intent->nsvc};

    switch (intent->op) {
    case LUA_GB_NSVC_ADD:
        come(core, intent);
        break;
    case LUA_GB_NSVC_DEL:
        go(core, intent->nsvc);
        break;
    case LUA_GB_NSVC_STATE:
        msg.type = MSG_NSVC_USE;
        msg.is_usable = intent->is_usable;
        core_order(core, &msg);
        break;
    default:
        msg.type = MSG_NSVC_WEIGHT;
        msg.data_weight = intent->weight;
        core_order(core, &msg);
        break;
    }
}
