/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core.h"

#include "dataplane/base/moment.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- requests
 * ---------------------------------------------------------------------------------------------------------
 */

static void keep(struct core *core, const struct msg *msg)
{
    if (core->backlog_count == core->backlog_cap) {
        core->backlog_cap = core->backlog_cap ? 2 * core->backlog_cap : 256;
        core->backlog = reallocarray(core->backlog, core->backlog_cap, sizeof(*core->backlog));
        if (!core->backlog) {
            fprintf(stderr, "gbflow: no memory for messages to the worker\n");
            exit(1);
        }
    }
    core->backlog[core->backlog_count++] = *msg;
}

void core_request(struct core *core, const struct msg *msg)
{
    struct msg request = *msg;
    request.seq = ++core->seq;
    if (core->backlog_count > 0 || !msg_put(core->rings->to_worker, &request))
        keep(core, &request);
}

static unsigned hand_on(struct core *core)
{
    unsigned moved = 0;
    while (core->backlog_head < core->backlog_count &&
           msg_put(core->rings->to_worker, &core->backlog[core->backlog_head])) {
        core->backlog_head++;
        moved++;
    }
    if (core->backlog_head == core->backlog_count)
        core->backlog_head = core->backlog_count = 0;
    return moved;
}

/* --- intents
 * ----------------------------------------------------------------------------------------------------------
 */

static void send_pdu(struct core *core, const struct lua_gb_intent *intent)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(core->pool);
    char *room = mbuf ? rte_pktmbuf_append(mbuf, (uint16_t)intent->octets) : NULL;
    if (!room) {
        rte_pktmbuf_free(mbuf);
        core->send_failures++;
        return;
    }
    memcpy(room, intent->bytes, intent->octets);
    struct msg msg = {.type = MSG_SEND, .index = intent->nsvc, .mbuf = mbuf};
    core_request(core, &msg);
}

static struct gb_flow flow_of(const struct lua_gb_intent *intent)
{
    return (struct gb_flow){
        .bucket_octets = intent->bucket_octets,
        .rate_bps = intent->rate_bps,
        .ms_bucket_octets = intent->ms_bucket_octets,
        .ms_rate_bps = intent->ms_rate_bps,
        .ratio_percent = intent->ratio_percent,
    };
}

static void order_bvc(struct core *core, const struct lua_gb_intent *intent)
{
    int nse = node_config_nse(core->config, intent->nsei);
    struct msg msg = {.index = (uint32_t)node_config_cell(core->config, nse, intent->bvci)};

    switch (intent->op) {
    case LUA_GB_BVC_RESET:
        msg.type = MSG_BVC_RESET;
        break;
    case LUA_GB_BVC_STATE:
        msg.type = MSG_BVC_UNBLOCK;
        msg.flag = intent->is_usable;
        break;
    default:
        msg.type = MSG_BVC_FLOW;
        msg.flow = flow_of(intent);
        break;
    }
    core_request(core, &msg);
}

static void order_ms(struct core *core, const struct lua_gb_intent *intent)
{
    struct msg msg = {.parent = (uint16_t)node_config_nse(core->config, intent->nsei), .id = intent->tlli};

    switch (intent->op) {
    case LUA_GB_MS_FLOW:
        msg.type = MSG_MS_FLOW;
        msg.flow = flow_of(intent);
        break;
    case LUA_GB_MS_DEFAULTS:
        msg.type = MSG_MS_DEFAULTS;
        break;
    default:
        msg.type = MSG_MS_DISCARDED;
        msg.octets = intent->octets;
        break;
    }
    core_request(core, &msg);
}

static void print_log(const struct core *core, const struct lua_gb_intent *intent)
{
    if (core->is_verbose || strcmp(intent->level, "info") != 0)
        fprintf(stderr, "gb: %s: %s\n", intent->level, intent->text);
}

static void on_intent(void *arg, const struct lua_gb_intent *intent)
{
    struct core *core = arg;
    struct msg use = {.type = MSG_NSVC_USE, .index = intent->nsvc, .flag = intent->is_usable};

    switch (intent->op) {
    case LUA_GB_SEND:
        send_pdu(core, intent);
        break;
    case LUA_GB_NSVC_STATE:
        core_request(core, &use);
        break;
    case LUA_GB_BVC_RESET:
    case LUA_GB_BVC_STATE:
    case LUA_GB_BVC_FLOW:
        order_bvc(core, intent);
        break;
    case LUA_GB_MS_FLOW:
    case LUA_GB_MS_DEFAULTS:
    case LUA_GB_DISCARDED:
        order_ms(core, intent);
        break;
    case LUA_GB_COUNT: /* kept on the Lua side */
        break;
    case LUA_GB_LOG:
        print_log(core, intent);
        break;
    }
}

/* --- life
 * -------------------------------------------------------------------------------------------------------------
 */

static void order_gb(struct core *core)
{
    const struct node_config *config = core->config;

    for (uint32_t i = 0; i < config->nse_count; i++) {
        struct msg msg = {.type = MSG_NSE_ADD, .index = i, .id = config->nseis[i]};
        core_request(core, &msg);
    }
    for (uint32_t i = 0; i < config->nsvc_count; i++) {
        const struct node_config_nsvc *nsvc = &config->nsvcs[i];
        struct msg msg = {.type = MSG_NSVC_ADD, .index = i};
        msg.nsvc = (struct gb_nsvc_params){
            .local_ip = config->gb.address,
            .remote_ip = nsvc->address,
            .local_port = config->gb.udp_port,
            .remote_port = nsvc->udp_port,
            .nse = nsvc->nse,
        };
        memcpy(msg.nsvc.local_mac, config->gb.mac, sizeof(msg.nsvc.local_mac));
        memcpy(msg.nsvc.remote_mac, nsvc->mac, sizeof(msg.nsvc.remote_mac));
        core_request(core, &msg);
    }
    for (uint32_t i = 0; i < config->cell_count; i++) {
        struct msg msg = {
            .type = MSG_BVC_ADD, .index = i, .id = config->cells[i].bvci, .parent = config->cells[i].nse};
        core_request(core, &msg);
    }
}

void core_init(struct core *core, lua_State *L, const struct node_config *config, struct msg_rings *rings,
               struct rte_mempool *pool)
{
    *core = (struct core){.config = config, .rings = rings, .pool = pool, .timer_ns = MOMENT_NEVER};
    lua_gb_init(&core->gb, L, on_intent, core);
    order_gb(core);
}

void core_fini(struct core *core)
{
    for (size_t i = core->backlog_head; i < core->backlog_count; i++)
        if (core->backlog[i].type == MSG_SEND)
            rte_pktmbuf_free(core->backlog[i].mbuf);
    free(core->backlog);
    lua_gb_fini(&core->gb);
}

void core_start(struct core *core, int64_t now)
{
    lua_gb_start(&core->gb, now);
    core->timer_ns = lua_gb_next_ns(&core->gb);
}

static void receive(struct core *core, const struct msg *msg, int64_t now)
{
    if (msg->type == MSG_PUNT) {
        lua_gb_pdu(&core->gb, msg->index, rte_pktmbuf_mtod(msg->mbuf, uint8_t *),
                   rte_pktmbuf_data_len(msg->mbuf), now);
        rte_pktmbuf_free(msg->mbuf);
        return;
    }
    if (msg->type == MSG_TUNNEL_ERROR) {
        if (core->on_tunnel_error)
            core->on_tunnel_error(core->tunnel_error_arg, msg->index, msg->id);
        return;
    }
    core->answered++;
    core->refused += msg->status != 0;
}

int64_t core_step(struct core *core, int64_t now)
{
    struct msg msg;
    unsigned moved = 0;

    while (msg_take(core->rings->to_control, &msg)) {
        receive(core, &msg, now);
        moved++;
    }
    if (core->timer_ns <= now) {
        lua_gb_advance(&core->gb, now);
        moved++;
    }
    if (moved)
        core->timer_ns = lua_gb_next_ns(&core->gb);
    moved += hand_on(core);
    return moved ? now : core->timer_ns;
}
